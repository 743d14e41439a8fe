import DBusStreams
import EventLoops
import Properties
import Streams
import StreamsTesting
import Testing

extension DBusTests {
  @Test
  static func `100,000 signals arrive in order`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      let numbers = PublishSubject<UInt32, Never>()
      let interface = DBusInterface("org.example.Numbers").signal("Number", from: numbers.toStream())
      try server.export(interface, at: "/numbers").dispose(in: bag)
      try bus.own("org.example.Numbers", server, in: bag)
      let (expected, block) = (100_000 as UInt32, 500 as UInt32)
      var next: UInt32 = 0
      var isInOrder = true
      func send() { for number in next..<next + block { numbers.next(number) } }
      client.object("org.example.Numbers", at: "/numbers", interface: "org.example.Numbers")
        .signal("Number", as: UInt32.self)
        .observe(
          next: { number in
            isInOrder = isInOrder && number == next
            next += 1
            // The bus ends a connection to which it cannot write for long, so the sender does not run away.
            if next % block == 0, next < expected { send() }
          }, termination: { Issue.record("the signals ended: \($0)") }
        ).dispose(in: bag)
      try bus.ready(client)
      send()
      try bus.loop.run(until: "all signals") { next >= expected }
      #expect(isInOrder && next == expected)
    }
  }

  @Test
  static func `the first observer adds a rule, and the last one removes it`() async throws {
    try await withBus { bus, bag in
      let client = try bus.connect(in: bag)
      let rule = DBusRule(interface: "org.example.Rules", member: "Some")
      let messages = client.signals(matching: rule)
      try bus.ready(client)
      let before = try bus.rules(client)
      var seen = 0
      let first = messages.observe(next: { _ in seen += 1 }, termination: { _ in })
      let second = messages.observe(next: { _ in seen += 1 }, termination: { _ in })
      #expect(try bus.rules(client) == before + 1)
      let emit = ["busctl", "--user", "emit", "/rules", "org.example.Rules", "Some"]
      _ = try bus.output(of: emit)
      try bus.loop.run(until: "the signal") { seen == 2 }
      first.dispose()
      #expect(try bus.rules(client) == before + 1)
      _ = try bus.output(of: emit)
      try bus.loop.run(until: "the signal") { seen == 3 }
      second.dispose()
      #expect(try bus.rules(client) == before)
    }
  }

  @Test
  static func `a signal that another program sends in the name of the sender is dropped`() async throws {
    try await withBus { bus, bag in
      let (real, liar, client) = (try bus.connect(in: bag), try bus.connect(in: bag), try bus.connect(in: bag))
      let (true_, false_) = (PublishSubject<String, Never>(), PublishSubject<String, Never>())
      for (connection, subject) in [(real, true_), (liar, false_)] {
        try connection.export(DBusInterface("org.example.News").signal("News", from: subject.toStream()), at: "/news")
          .dispose(in: bag)
      }
      try bus.own("org.example.News", real, in: bag)
      let everything = client.signals(matching: DBusRule(interface: "org.example.News")).record()
      let news = client.object("org.example.News", at: "/news", interface: "org.example.News")
        .signal("News", as: String.self).record()
      try bus.ready(client)
      false_.next("lie")
      try bus.ready(liar)
      true_.next("fact")
      try bus.loop.run(until: "the signals") { !news.elements.isEmpty && everything.elements.count >= 2 }
      #expect(news.elements == ["fact"])
      #expect(everything.elements.map(\.member) == ["News", "News"])
      #expect(everything.elements.first?.values == [.string("lie")])
    }
  }

  @Test
  static func `a signal with other types fails, and so does a rule that the bus refuses`() async throws {
    try await withBus { bus, bag in
      let client = try bus.connect(in: bag)
      let signal = client.object(":1.0", at: "/x", interface: "org.example.X").signal("S", as: Bool.self)
      #expect(signal.record().termination == nil)
      let numbers = client.signals(matching: DBusRule(member: "S")).tryMap { message throws(DBusError) in
        try message.argument(as: Bool.self)
      }.record()
      try bus.ready(client)
      _ = try bus.output(of: ["busctl", "--user", "emit", "/x", "org.example.X", "S", "s", "text"])
      try bus.loop.run(until: "the failure") { numbers.termination != nil }
      #expect(numbers.failure == .mismatch(expected: "b", actual: "s"))

      let refusal = try bus.failure(client.signals(matching: DBusRule(path: "no path")))
      guard case .remote("org.freedesktop.DBus.Error.MatchRuleInvalid", _) = refusal else {
        throw TestError("an invalid rule: \(String(describing: refusal))")
      }
      guard case .invalid = try bus.failure(client.signals(matching: DBusRule(member: "S',path='/x"))) else {
        throw TestError("a rule in a name")
      }
    }
  }

  @Test(arguments: ["it's", #"a\b"#, "a,b", "", "plain"])
  static func `the first argument may contain everything`(argument: String) async throws {
    try await withBus { bus, bag in
      let client = try bus.connect(in: bag)
      let found = client.signals(matching: DBusRule(member: "S", firstArgument: argument)).record()
      try bus.ready(client)
      for text in ["other", argument, argument + "x"] {
        _ = try bus.output(of: ["busctl", "--user", "emit", "/x", "org.example.X", "S", "s", text])
      }
      try bus.ready(client)
      #expect(found.elements.map(\.values) == [[.string(argument)]])
    }
  }
}

extension TestBus {
  /// Waits until the bus has handled everything that a connection has sent before.
  func ready(_ connection: DBusConnection) throws {
    let bus = connection.object("org.freedesktop.DBus", at: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
    var isReady = false
    // While there is no connection, calls fail.
    while !isReady {
      let names = bus.call("GetId", as: String.self).record()
      try loop.run(until: "the bus answers") { names.termination != nil }
      isReady = names.isCompleted
    }
  }

  /// How many rules the bus has for a connection.
  func rules(_ connection: DBusConnection) throws -> UInt32 {
    guard case .connected(let name) = connection.state.value else { throw TestError("not connected") }
    let stats = try value(
      connection.object(
        "org.freedesktop.DBus", at: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus.Debug.Stats"
      )
      .call("GetConnectionStats", name, as: [String: DBusValue].self))
    guard let count = stats["MatchRules"]?.converted(to: UInt32.self) else { throw TestError("no figures: \(stats)") }
    return count
  }
}
