import DBusStreams
import EventLoops
import Streams
import StreamsTesting
import Testing

extension DBusTests {
  /// Exports an object with the methods of the tests below, on a connection of its own.
  private static func serve(_ bus: TestBus, in bag: DisposeBag) throws -> DBusObject {
    let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
    let interface = DBusInterface("org.example.Hostile")
      .method("Echo") { (text: String) in text }
      .method("Bytes") { (count: UInt32) in [UInt8](repeating: 1, count: Int(count)) }
      .method("Fail") { (name: String) -> String in throw DBusError.remote(name: name, message: "why") }
    try server.export(interface, at: "/hostile").dispose(in: bag)
    try bus.own("org.example.Hostile", server, in: bag)
    return client.object("org.example.Hostile", at: "/hostile", interface: "org.example.Hostile")
  }

  @Test
  static func `an error whose name is not valid is answered, and ends no connection`() async throws {
    try await withBus { bus, bag in
      let object = try serve(bus, in: bag)
      for name in ["not a name", "", "é.é", "single"] {
        let error = try bus.failure(object.call("Fail", name, as: String.self))
        #expect(error == .remote(name: "org.freedesktop.DBus.Error.Failed", message: "why"))
      }
      let error = try bus.failure(object.call("Fail", "org.example.Error", as: String.self))
      #expect(error == .remote(name: "org.example.Error", message: "why"))
    }
  }

  @Test
  static func `an array that is too large for D-Bus is refused, and ends no connection`() async throws {
    try await withBus { bus, bag in
      let object = try serve(bus, in: bag)
      let size: UInt32 = 64 << 20
      guard case .remote(_, let message) = try bus.failure(object.call("Bytes", size + 1, as: [UInt8].self)) else {
        throw TestError("no error")
      }
      #expect(message.contains("64 MiB"))
      guard case .invalid = try bus.failure(object.call("Echo", [UInt8](repeating: 1, count: Int(size) + 1))) else {
        throw TestError("no error")
      }
      #expect(try bus.value(object.call("Bytes", size, as: [UInt8].self)).count == Int(size))
      #expect(try bus.value(object.call("Echo", "small", as: String.self)) == "small")
    }
  }

  @Test(arguments: [true, false])
  static func `an object refuses more calls at the same time than its limit`(answers: Bool) async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      let gate = PublishSubject<Int32, DBusError>()
      var started = 0
      let interface = DBusInterface("org.example.Slow")
        .method("Wait") { () -> Operation<Int32, DBusError> in
          started += 1
          return gate.toOperation()
        }
      try server.export(interface, at: "/slow", maximumCalls: 3).dispose(in: bag)
      try bus.own("org.example.Slow", server, in: bag)
      let object = client.object("org.example.Slow", at: "/slow", interface: "org.example.Slow")
      if answers {
        for _ in 0..<3 { object.call("Wait", as: Int32.self).observe { _ in }.dispose(in: bag) }
      } else {
        let busctl = ["busctl", "--user", "--expect-reply=no", "call", "org.example.Slow", "/slow"]
        for _ in 0..<5 { #expect(try bus.output(of: busctl + ["org.example.Slow", "Wait"]).status == .exited(0)) }
      }
      try bus.loop.run(until: "started \(started)") { started == 3 }
      guard case .remote(let name, let message) = try bus.failure(object.call("Wait", as: Int32.self)) else {
        throw TestError("no error")
      }
      #expect(name == "org.freedesktop.DBus.Error.LimitsExceeded")
      #expect(message == "3 calls of /slow run already. Call it again when one of them has ended.")
      // Ended calls make room.
      gate.next(1)
      let fourth = object.call("Wait", as: Int32.self).record()
      try bus.loop.run(until: "started \(started)") { started == 4 }
      gate.next(2)
      try bus.loop.run(until: "\(fourth.elements)") { fourth.elements == [2] }
    }
  }

  @Test
  static func `a name with a null character is refused, and not cut off`() async throws {
    try await withBus { bus, bag in
      _ = try serve(bus, in: bag)
      let client = try bus.connect(in: bag)
      let names: [(String, DBusObjectPath, String, String)] = [
        ("org.example.Hostile\0", "/hostile", "org.example.Hostile", "Echo"),
        ("org.example.Hostile", "/hostile\0", "org.example.Hostile", "Echo"),
        ("org.example.Hostile", "/hostile", "org.example.Hostile\0", "Echo"),
        ("org.example.Hostile", "/hostile", "org.example.Hostile", "Echo\0"),
      ]
      for (destination, path, interface, member) in names {
        let call = client.object(destination, at: path, interface: interface).call(member, "", as: String.self)
        guard case .invalid = try bus.failure(call) else { throw TestError("called \(member.debugDescription)") }
      }
      #expect(throws: DBusError.self) { try client.export(DBusInterface("org.example.A"), at: "/a\0").dispose(in: bag) }
    }
  }

  @Test
  static func `rules are told apart by their bytes, and nothing is delivered after close`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      let texts = PublishSubject<String, Never>()
      try server.export(DBusInterface("org.example.Texts").signal("Text", from: texts.toStream()), at: "/texts")
        .dispose(in: bag)
      // The accent makes the quote a part of another character.
      let arguments = ["caf\u{E9}", "cafe\u{301}", "a'\u{301}b"]
      let records = arguments.map { client.signals(matching: DBusRule(member: "Text", firstArgument: $0)).record() }
      var all = 0
      client.signals(matching: DBusRule(path: "/texts")).observe(
        next: { message in
          all += 1
          if message.values == [.string("end")] { client.close() }
        }, termination: { _ in }
      ).dispose(in: bag)
      try bus.ready(client)
      try bus.ready(server)
      for text in arguments + ["end", "late", "late"] { texts.next(text) }
      try bus.loop.run(until: "the end") { records.allSatisfy { $0.termination != nil } }
      for (argument, record) in zip(arguments, records) {
        #expect(
          record.elements.compactMap { $0.values.first?.converted(to: String.self).map { Array($0.utf8) } }
            == [Array(argument.utf8)])
      }
      #expect(all == 4)
    }
  }
}
