import DBusStreams
import EventLoops
import Streams
import StreamsTesting
import Testing

extension DBusTests {
  @Test
  static func `values of all types arrive as they were sent`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      let interface = DBusInterface("org.example.Echo").method("Echo") { (value: DBusValue) in value }
      try server.export(interface, at: "/").dispose(in: bag)
      try bus.own("org.example.Echo", server, in: bag)
      let echo = client.object("org.example.Echo", at: "/", interface: "org.example.Echo")
      func check(_ value: DBusValue) throws {
        #expect(try bus.value(echo.call("Echo", value, as: DBusValue.self)) == value)
      }
      func roundTrip<Value: DBusConvertible & Equatable>(_ value: Value) throws {
        try check(DBusValue(value))
        #expect(DBusValue(value).converted(to: Value.self) == value)
      }
      try roundTrip(UInt8.max)
      try roundTrip(true)
      try roundTrip(Int16.min)
      try roundTrip(UInt16.max)
      try roundTrip(Int32.min)
      try roundTrip(UInt32.max)
      try roundTrip(Int64.min)
      try roundTrip(UInt64.max)
      try roundTrip(-0.5)
      try roundTrip("text with ünïcode")
      try roundTrip(DBusObjectPath(rawValue: "/a/b"))
      try roundTrip(DBusSignature(rawValue: "a{sv}"))
      try roundTrip([UInt8]())
      try roundTrip([UInt8](0...255))
      try roundTrip([String]())
      try roundTrip(["a", "b"])
      try roundTrip([[1, 2], [], [3]] as [[Int32]])
      try roundTrip(["one": 1, "two": 2] as [String: UInt64])
      try roundTrip([String: DBusValue]())
      try roundTrip(["name": .string("x"), "list": DBusValue([true, false])])
      try roundTrip(DBusStruct("a", Int32(1), [DBusStruct(true, 0.5)]))
      try roundTrip(DBusValue.variant(.variant(.byte(1))))

      // Trees of values from a fixed seed.
      var random = SplitMix(state: 3)
      for _ in 0..<300 { try check(random.value(depth: 4)) }
    }
  }

  @Test
  static func `an empty array has the type of its elements`() {
    #expect(DBusValue([String]()) == .array([], of: "s"))
    #expect(DBusValue([UInt8]()) == .bytes([]))
    #expect(DBusValue.bytes([]).converted(to: [String].self) == nil)
    #expect(DBusValue.array([], of: "s").converted(to: [UInt8].self) == nil)
    #expect(throws: DBusError.mismatch(expected: "as", actual: "ay")) { try [String](dBusValue: .bytes([])) }
  }

  @Test
  static func `other programs read and write the same types`() async throws {
    try await withBus { bus, bag in
      let server = try bus.connect(in: bag)
      let seen = PublishSubject<[DBusValue], Never>()
      let values = seen.record()
      let interface = DBusInterface("org.example.Types")
        .method("Take") {
          (a: UInt8, b: Bool, c: [String: DBusValue], d: DBusStruct<Int16, [UInt8]>, e: [DBusObjectPath]) in
          seen.next([a.dBusValue, b.dBusValue, c.dBusValue, d.dBusValue, e.dBusValue])
        }
        .method("Give") { () in
          (
            UInt16(7), 1.5, ["k": DBusValue([Int64(-1)])], DBusStruct("a", DBusSignature(rawValue: "ai")),
            [UInt8]([1, 2])
          )
        }
      try server.export(interface, at: "/types").dispose(in: bag)
      try bus.own("org.example.Types", server, in: bag)
      let target = ["org.example.Types", "/types", "org.example.Types"]
      let given = try bus.output(of: ["busctl", "--user", "call"] + target + ["Give"])
      #expect(given.text == "qda{sv}(sg)ay 7 1.5 1 \"k\" ax 1 -1 \"a\" \"ai\" 2 1 2\n")
      let taken = try bus.output(
        of: ["busctl", "--user", "call", "--"] + target + ["Take", "yba{sv}(nay)ao"]
          + ["255", "true", "1", "k", "s", "v", "-3", "2", "8", "9", "1", "/a"])
      #expect(taken.status == .exited(0) && taken.text == "")
      #expect(
        values.elements == [
          [
            .byte(255), .boolean(true), .dictionary([.string("k"): .variant(.string("v"))], keys: "s", values: "v"),
            .structure([.int16(-3), .bytes([8, 9])]), .array([.objectPath("/a")], of: "o"),
          ]
        ])
      let glib = try bus.output(
        of: ["gdbus", "call", "--session", "-d", target[0], "-o", target[1], "-m", "org.example.Types.Give"])
      #expect(glib.text == "(uint16 7, 1.5, {'k': <[int64 -1]>}, ('a', signature 'ai'), [byte 0x01, 0x02])\n")
    }
  }
}

extension SplitMix {
  mutating func value(depth: Int) -> DBusValue {
    switch Int.random(in: 0..<(depth == 0 ? 8 : 12), using: &self) {
    case 0: .byte(.random(in: 0...255, using: &self))
    case 1: .boolean(.random(using: &self))
    case 2: .int32(.random(in: .min ... .max, using: &self))
    case 3: .uint64(.random(in: .min ... .max, using: &self))
    case 4: .double(.random(in: -1...1, using: &self))
    case 5: .string(String(repeating: "é", count: .random(in: 0...20, using: &self)))
    case 6: .objectPath(DBusObjectPath(rawValue: "/a\(UInt8.random(in: 0...9, using: &self))"))
    case 7: .bytes((0..<UInt8.random(in: 0...9, using: &self)).map { $0 })
    case 8: .variant(value(depth: depth - 1))
    case 9: .structure((0...Int.random(in: 0...3, using: &self)).map { _ in value(depth: depth - 1) })
    case 10:
      // All elements have one type.
      .array((0..<Int.random(in: 0...3, using: &self)).map { _ in .variant(value(depth: depth - 1)) }, of: "v")
    default:
      .dictionary(
        Dictionary(
          (0..<Int.random(in: 0...3, using: &self)).map { (.int16(Int16($0)), .variant(value(depth: depth - 1))) },
          uniquingKeysWith: { $1 }), keys: "n", values: "v")
    }
  }
}
