import DBusStreams
import EventLoops
import Properties
import Streams
import StreamsTesting
import Testing

extension DBusTests {
  @Test
  static func `names come and go`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      let owners = client.owner(of: "org.example.Name").record()
      try bus.loop.run(until: "the first state") { !owners.elements.isEmpty }
      #expect(owners.elements == [nil])
      let name = server.owning("org.example.Name")
      let states = name.record()
      try bus.loop.run(until: "the name") { owners.elements.count == 2 && states.elements == [.owned] }
      guard case .connected(let unique) = server.state.value else { throw TestError("not connected") }
      #expect(owners.elements == [nil, unique])
      // A late observer begins with the owner now.
      #expect(try bus.value(client.owner(of: "org.example.Name")) == unique)
      #expect(try bus.failure(client.owning("org.example.Name")) == .nameTaken("org.example.Name"))
      states.dispose()
      try bus.loop.run(until: "the name is gone") { owners.elements.count == 3 }
      #expect(owners.elements == [nil, unique, nil])
      guard case .some(.remote("org.freedesktop.DBus.Error.InvalidArgs", _)) = try bus.failure(client.owning("no name"))
      else { throw TestError("an invalid name") }
    }
  }

  @Test
  static func `a name can be waited for, and taken over from an owner that allows it`() async throws {
    try await withBus { bus, bag in
      let (first, second, third) = (try bus.connect(in: bag), try bus.connect(in: bag), try bus.connect(in: bag))
      let owner = first.owning("org.example.Name", allowsReplacement: true, waits: true).record()
      try bus.loop.run(until: "the first owner") { owner.elements == [.owned] }
      let waiting = second.owning("org.example.Name", waits: true).record()
      try bus.loop.run(until: "the second waits") { waiting.elements == [.waiting] }
      let taking = third.owning("org.example.Name", replaces: true).record()
      try bus.loop.run(until: "the third takes the name") { taking.elements == [.owned] && owner.elements.count == 2 }
      #expect(owner.elements == [.owned, .lost])
      owner.dispose()
      taking.dispose()
      try bus.loop.run(until: "the second gets the name") { waiting.elements == [.waiting, .owned] }
    }
  }

  @Test
  static func `after the bus was killed and restarted, everything is there again`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      let level = Property<UInt32>(1)
      let news = PublishSubject<String, Never>()
      let interface = DBusInterface("org.example.Lasting")
        .method("Echo") { (text: String) in text }
        .property("Level", level)
        .signal("News", from: news.toStream())
      try server.export(interface, at: "/lasting").dispose(in: bag)
      let owning = server.owning("org.example.Lasting").record()
      let object = client.object("org.example.Lasting", at: "/lasting", interface: "org.example.Lasting")
      let seen = object.signal("News", as: String.self).record()
      try bus.loop.run(until: "the name") { owning.elements == [.owned] }
      let levels = object.values(of: "Level", as: UInt32.self).record()
      let followed = object.property("Level", initial: UInt32(0))
      let owners = client.owner(of: "org.example.Lasting").map { $0 != nil }.distinct().record()
      try bus.loop.run(until: "the level") {
        levels.elements == [1] && followed.value == 1 && owners.elements == [true]
      }
      news.next("one")
      level.value = 2
      try bus.loop.run(until: "the news") {
        seen.elements == ["one"] && levels.elements == [1, 2] && followed.value == 2
      }

      try bus.kill()
      try bus.loop.run(until: "the loss") {
        owners.elements.last == false && owning.elements.last == .lost && "\(server.state.value)".hasPrefix("waiting")
      }
      // Nobody hears this.
      news.next("two")
      level.value = 3
      guard case .disconnected = try bus.failure(object.call("Echo", "x", as: String.self)) else {
        throw TestError("a call without a connection")
      }
      try bus.start()
      try bus.loop.run(until: "the new connection") {
        owning.elements == [.owned, .lost, .owned] && owners.elements == [true, false, true]
          && levels.elements.last == 3
      }
      try bus.ready(client)
      news.next("three")
      level.value = 4
      try bus.loop.run(until: "the later news") {
        seen.elements.count == 2 && levels.elements.last == 4 && followed.value == 4
      }
      #expect(seen.elements == ["one", "three"])
      #expect(levels.elements == [1, 2, 3, 4])
      #expect(try bus.value(object.call("Echo", "again", as: String.self)) == "again")
      #expect(seen.termination == nil && owning.termination == nil && levels.termination == nil)
      server.close()
      #expect(owning.isCompleted && server.state.value == .closed)
      try bus.loop.run(until: "the end of the name") { owners.elements == [true, false, true, false] }
    }
  }

  @Test
  static func `calls that wait fail when the bus is killed`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      var hasEnded = false
      let interface = DBusInterface("org.example.Silent").method("Silent") { () in
        Operation<Void, Never>.never().doOn(disposed: { hasEnded = true })
      }
      try server.export(interface, at: "/").dispose(in: bag)
      try bus.own("org.example.Silent", server, in: bag)
      let call = client.object("org.example.Silent", at: "/", interface: "org.example.Silent").call("Silent").record()
      try bus.ready(client)
      try bus.ready(server)
      #expect(call.termination == nil && !hasEnded)
      try bus.kill()
      try bus.loop.run(until: "the failure") { call.termination != nil && hasEnded }
      guard case .disconnected = call.failure else { throw TestError("a lost call") }
    }
  }

  @Test
  static func `a call has its time limit before the bus has completed the connection, too`() async throws {
    try await withBus { bus, bag in
      try bus.pause(true)
      let client = try bus.connect(in: bag)
      var object = client.object("org.freedesktop.DBus", at: "/", interface: "org.freedesktop.DBus")
      object.timeLimit = .milliseconds(50)
      let failure = try bus.failure(object.call("ListNames"))
      guard case .timedOut(.milliseconds(50))? = failure else { throw TestError("\(failure as Any)") }
      try bus.pause(false)
      object.timeLimit = .seconds(60)
      let names = object.call("ListNames", as: [String].self).record()
      try bus.loop.run(until: "the answer") { names.termination != nil }
      #expect(names.isCompleted, "\(names.events)")
    }
  }
}
