import DBusStreams
import EventLoops
import Properties
import Streams
import StreamsTesting
import Testing

extension DBusTests {
  @Test
  static func `properties are read, written, and refused, and their changes are sent`() async throws {
    try await withBus { bus, bag in
      let server = try bus.connect(in: bag)
      let level = Property<Int32>(3)
      let interface = DBusInterface("org.example.Settings")
        .property(
          "Level", level,
          set: { new in
            if new < 0 { throw DBusError.remote(name: "org.example.Negative", message: "too low") }
            level.value = new
          }
        )
        .property("Double", level.map { $0 * 2 })
      try server.export(interface, DBusInterface("org.example.Other"), at: "/settings").dispose(in: bag)
      try bus.own("org.example.Settings", server, in: bag)
      let changes = try bus.run(["gdbus", "monitor", "--session", "-d", "org.example.Settings"])
      try bus.loop.run(until: "the monitor is ready") { changes.output.contains("is owned by") }
      func busctl(_ command: String, _ arguments: String...) throws -> String {
        try bus.output(
          of: ["busctl", "--user", command, "--", "org.example.Settings", "/settings", "org.example.Settings"]
            + arguments
        ).text
      }
      #expect(try busctl("get-property", "Level", "Double") == "i 3\ni 6\n")
      #expect(try busctl("set-property", "Level", "i", "5") == "")
      #expect(level.value == 5)
      #expect(try busctl("set-property", "Level", "i", "-5").contains("too low"))
      #expect(try busctl("set-property", "Level", "s", "text").contains("\"s\""))
      #expect(try busctl("set-property", "Double", "i", "1").contains("read-only"))
      #expect(try busctl("get-property", "Missing").contains("no property"))
      #expect(try busctl("call", "Missing").contains("no method"))
      // A value that stays the same is no change.
      level.value = 5
      level.value = 6
      func lines() -> [Substring] { changes.output.split(separator: "\n").filter { $0.contains("PropertiesChanged") } }
      try bus.loop.run(until: "the changes") { lines().count >= 4 }
      // The order of two properties that change together does not matter.
      #expect(
        Set(lines().prefix(2).map { $0.drop { $0 != "{" } }) == [
          "{'Level': <5>}, @as [])", "{'Double': <10>}, @as [])",
        ])
      #expect(
        Set(lines().dropFirst(2).map { $0.drop { $0 != "{" } }) == [
          "{'Level': <6>}, @as [])", "{'Double': <12>}, @as [])",
        ])
      let all = try bus.output(
        of: [
          "gdbus", "call", "--session", "-d", "org.example.Settings", "-o", "/settings", "-m",
          "org.freedesktop.DBus.Properties.GetAll", "org.example.Missing",
        ])
      #expect(all.text.contains("UnknownInterface"))
      try changes.process.kill()
      try bus.loop.run(until: "the end of the monitor") { changes.hasEnded }
    }
  }

  @Test
  static func `objects are found below each other, and are gone after they are disposed`() async throws {
    try await withBus { bus, bag in
      let server = try bus.connect(in: bag)
      let interface = DBusInterface("org.example.Tree").method("Touch", in: ["why & <how>"]) { (text: String) in }
      let parent = try server.export(interface, at: "/tree")
      let child = try server.export(interface, at: "/tree/a/b")
      #expect(throws: DBusError.self) { try server.export(interface, at: "/tree") }
      #expect(throws: DBusError.self) { try server.export(interface, at: "tree") }
      try bus.own("org.example.Tree", server, in: bag)
      func tree() throws -> [String] {
        try bus.output(of: ["busctl", "--user", "--list", "tree", "org.example.Tree"]).text.split(separator: "\n").map(
          String.init)
      }
      #expect(try tree() == ["/", "/tree", "/tree/a", "/tree/a/b"])
      let description = try bus.output(of: [
        "gdbus", "introspect", "--session", "-d", "org.example.Tree", "-o", "/tree",
      ])
      #expect(description.text.contains("Touch(in  s why & <how>)"))
      parent.dispose()
      parent.dispose()
      let call = ["busctl", "--user", "call", "org.example.Tree", "/tree", "org.example.Tree", "Touch", "s", "x"]
      #expect(try bus.output(of: call).text == "Call failed: Unknown object '/tree'.\n")
      #expect(try tree().last == "/tree/a/b")
      let again = try server.export(interface, at: "/tree")
      #expect(try bus.output(of: call).status == .exited(0))
      again.dispose()
      child.dispose()
      #expect(try bus.output(of: call).text == "Call failed: Unknown object '/tree'.\n")
    }
  }

  @Test
  static func `disposing an object cancels its methods, and their callers receive an error at once`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      var (begun, ended) = (0, 0)
      let interface = DBusInterface("org.example.Long")
        .method("Wait") { () in
          begun += 1
          do { try await Task.sleep(for: .seconds(600)) } catch { ended += 1 }
        }
      let object = try server.export(interface, at: "/long")
      try bus.own("org.example.Long", server, in: bag)
      let remote = client.object("org.example.Long", at: "/long", interface: "org.example.Long")
      let calls = (0..<3).map { _ in remote.call("Wait").record() }
      try bus.loop.run(until: "the calls") { begun == 3 }
      object.dispose()
      let later = remote.call("Wait").record()
      try bus.loop.run(until: "the cancellations") { ended == 3 }
      try bus.loop.run(until: "the answers") { (calls + [later]).allSatisfy { $0.termination != nil } }
      let unknown = DBusError.remote(
        name: "org.freedesktop.DBus.Error.UnknownObject", message: "Unknown object '/long'.")
      #expect((calls + [later]).map(\.failure) == [unknown, unknown, unknown, unknown])
    }
  }

  @Test
  static func `a method that disposes its object answers, and the calls that arrive with it receive an error`()
    async throws
  {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      let object = DisposeBag()
      var hasWaited = false
      let interface = DBusInterface("org.example.Once")
        .method("Stop") { () in object.dispose() }
        .method("StopAndWait") { () -> Operation<Void, DBusError> in
          object.dispose()
          return .never()
        }
        .method("Wait") { () in hasWaited = true }
      try bus.own("org.example.Once", server, in: bag)
      let remote = client.object("org.example.Once", at: "/once", interface: "org.example.Once")
      let unknown = DBusError.remote(
        name: "org.freedesktop.DBus.Error.UnknownObject", message: "Unknown object '/once'.")
      for (method, failure) in [("Stop", nil), ("StopAndWait", unknown)] {
        try server.export(interface, at: "/once").dispose(in: object)
        let calls = [method, "Wait", "Wait"].map { remote.call($0).record() }
        try bus.loop.run(until: "the answers") { calls.allSatisfy { $0.termination != nil } }
        #expect(calls.map(\.failure) == [failure, unknown, unknown])
      }
      #expect(!hasWaited)
    }
  }

  @Test
  static func `wrong interfaces trap with the fix`() async throws {
    let results = [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = DBusInterface("Greeter") },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = DBusInterface("org.example.Greeter").method("Say-it") { () in }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = DBusInterface("org.example.Greeter").method("Greet") { () in }.signal("Greet", from: Stream<Void>.never())
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = DBusInterface("org.example.Greeter").method("Greet", in: ["a", "b"]) { (name: String) in }
      },
    ]
    let messages = [
      "\"Greeter\" is not the name of an interface", "\"Say-it\" is not the name of a member",
      "two members with the name Greet", "has 1 values and 2 names",
    ]
    for (result, message) in zip(results, messages) {
      let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(output.contains(message))
    }
  }
}
