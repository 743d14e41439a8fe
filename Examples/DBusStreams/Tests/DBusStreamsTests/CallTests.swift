import DBusStreams
import EventLoops
import Properties
import Streams
import StreamsTesting
import Testing

extension DBusTests {
  @Test
  static func `a call has the results of the method, and errors are typed`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      let interface = DBusInterface("org.example.Calls")
        .method("Divide") { (a: Int32, b: Int32) in
          if b == 0 { throw DBusError.remote(name: "org.example.Calls.ByZero", message: "b is 0") }
          return (a / b, a % b)
        }
        .method("Later") { (text: String) in
          await Task.yield()
          return text + text
        }
        .method("First") { (text: String) in Operation<String, Never>.sequence([text, "second"]) }
        .method("Nothing") { () in Operation<Void, Never>.completed() }
        .method("Empty") { () in Operation<String, Never>.completed() }
        .method("Fail") { () -> Void in throw TestError("failed here") }
        .method("Silent") { () in Operation<Void, Never>.never() }
      try server.export(interface, at: "/calls").dispose(in: bag)
      let states = server.state.record()
      try bus.loop.run(until: "the connection") { states.elements.last.map { "\($0)".contains(":1") } == true }
      guard case .connected(let name) = server.state.value else { throw TestError("no name") }
      let calls = client.object(name, at: "/calls", interface: "org.example.Calls")

      // The members of the tuple are found in a chain, too.
      let division = calls.call("Divide", Int32(7), Int32(2), as: (Int32, Int32).self)
      let (quotient, rest) = try bus.value(division.map { ($0.0, $0.1 + 0) })
      #expect(quotient == 3 && rest == 1)
      #expect(try bus.value(calls.call("Later", "ab", as: String.self)) == "abab")
      #expect(try bus.value(calls.call("First", "ab", as: String.self)) == "ab")
      try bus.value(calls.call("Nothing"))
      #expect(
        try bus.failure(calls.call("Divide", Int32(7), Int32(0), as: (Int32, Int32).self))
          == .remote(name: "org.example.Calls.ByZero", message: "b is 0"))
      #expect(
        try bus.failure(calls.call("Fail"))
          == .remote(name: "org.freedesktop.DBus.Error.Failed", message: "TestError(failed here)"))
      #expect(
        try bus.failure(calls.call("Empty", as: String.self))
          == .remote(name: "org.freedesktop.DBus.Error.Failed", message: "The method has ended without a result."))
      // The method of the other side, and then the result of this side, have other types.
      #expect(
        try bus.failure(calls.call("Later", true, as: String.self))
          == .remote(
            name: "org.freedesktop.DBus.Error.InvalidArgs",
            message: "The message contains values of the types \"b\", and \"s\" is expected."))
      #expect(
        try bus.failure(calls.call("Later", "a", as: (String, Bool).self)) == .mismatch(expected: "sb", actual: "s"))
      #expect(try bus.failure(calls.call("Later", "a")) == .mismatch(expected: "", actual: "s"))

      var patient = calls
      patient.timeLimit = .milliseconds(50)
      let begin = ContinuousClock.now
      #expect(try bus.failure(patient.call("Silent")) == .timedOut(.milliseconds(50)))
      #expect(ContinuousClock.now - begin >= .milliseconds(50))

      let elsewhere = client.object("org.example.Nobody", at: "/calls", interface: "org.example.Calls")
      guard case .remote("org.freedesktop.DBus.Error.ServiceUnknown", _) = try bus.failure(elsewhere.call("Nothing"))
      else {
        throw TestError("an unknown program")
      }
      for wrong in [
        client.object("no name", at: "/calls", interface: "org.example.Calls"),
        client.object(name, at: "no path", interface: "org.example.Calls"),
        client.object(name, at: "/calls", interface: "no interface"),
      ] {
        guard case .invalid = try bus.failure(wrong.call("Nothing")) else { throw TestError("an invalid name") }
      }
      guard case .invalid = try bus.failure(calls.call("Later", "a\0b", as: String.self)) else {
        throw TestError("a null")
      }

      let waiting = calls.call("Silent").record()
      client.close()
      #expect(waiting.failure == .closed)
      #expect(try bus.failure(calls.call("Nothing")) == .closed)
    }
  }

  @Test
  static func `nothing is sent before a call is observed, and disposing drops the answer`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      var (count, answers) = (0, 0)
      let interface = DBusInterface("org.example.Count").method("Count") { () in
        count += 1
        return Int64(count)
      }
      try server.export(interface, at: "/").dispose(in: bag)
      try bus.own("org.example.Count", server, in: bag)
      let call = client.object("org.example.Count", at: "/", interface: "org.example.Count")
        .call("Count", as: Int64.self)
      #expect(try bus.value(call) == 1)
      #expect(try bus.value(call) == 2)
      call.observe(next: { _ in answers += 1 }, termination: { _ in answers += 1 }).dispose()
      // Each call before is answered before this one.
      #expect(try bus.value(call) == 4)
      #expect(answers == 0)
    }
  }

  @Test
  static func `methods may use, and close, the connection that calls them`() async throws {
    try await withBus { bus, bag in
      let connection = try bus.connect(in: bag)
      let object = connection.object("org.example.Own", at: "/own", interface: "org.example.Own")
      var inner: (any Disposable)?
      let interface = DBusInterface("org.example.Own")
        .method("Double") { (number: Int64) in number * 2 }
        .method("Twice") { (number: Int64) in
          object.call("Double", number, as: Int64.self)
            .flatMap(.latest) { object.call("Double", $0, as: Int64.self) }
        }
        .method("Export") { () throws in
          inner = try connection.export(
            DBusInterface("org.example.Inner").method("Hello") { () in "hello" }, at: "/own/inner")
        }
        .method("Close") { () in connection.close() }
      try connection.export(interface, at: "/own").dispose(in: bag)
      try bus.own("org.example.Own", connection, in: bag)
      #expect(try bus.value(object.call("Twice", Int64(3), as: Int64.self)) == 12)
      try bus.value(object.call("Export"))
      let exported = connection.object("org.example.Own", at: "/own/inner", interface: "org.example.Inner")
      #expect(try bus.value(exported.call("Hello", as: String.self)) == "hello")
      inner?.dispose()

      // Many calls at once are answered in their order.
      var sums: [Int64] = []
      for number in 0..<2000 as Range<Int64> {
        object.call("Double", number, as: Int64.self).observe(next: { sums.append($0) }, termination: { _ in })
          .dispose(in: bag)
      }
      try bus.loop.run(until: "all answers") { sums.count == 2000 }
      #expect(sums == (0..<2000 as Range<Int64>).map { $0 * 2 })

      // The delivery of an answer releases what it came from.
      var last: DBusObject? = object
      var error: DBusError?
      last?.call("Close").observe(next: { last = nil }, termination: { if case .failed(let end) = $0 { error = end } })
        .dispose(in: bag)
      try bus.loop.run(until: "the end") { error != nil }
      #expect(error == .closed && connection.state.value == .closed)
    }
  }

  @Test
  static func `a connection that nothing uses keeps neither itself nor the loop`() async throws {
    try await withBus { bus, _ in
      weak var weakConnection: DBusConnection?
      func use() throws {
        let connection = try DBusConnection(to: bus.address)
        weakConnection = connection
        let object = connection.object(
          "org.freedesktop.DBus", at: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
        let names = object.call("ListNames", as: [String].self).record()
        #expect(names.elements.isEmpty)
        // A call that waits keeps the loop running, and then nothing does.
        bus.loop.run()
        #expect(names.elements.first?.contains("org.freedesktop.DBus") == true)
      }
      try use()
      #expect(weakConnection == nil)
    }
  }
}
