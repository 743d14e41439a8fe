import DBusStreams
import EventLoops
import Glibc
import Properties
import Streams
import StreamsTesting
import Testing

extension DBusTests {
  /// Starts a service of python-dbusmock, and waits until it owns its name.
  static func mock(_ template: String, _ name: String, _ bus: TestBus, _ client: DBusConnection) throws -> Peer {
    let peer = try bus.run(["/usr/bin/python3", "-m", "dbusmock", "--system", "--template", template])
    let owners = client.owner(of: name).record()
    try bus.loop.run(until: "\(template) starts: \(peer.errors)") { owners.elements.contains { $0 != nil } }
    return peer
  }

  @Test
  static func `logind: sessions, arguments of several types, and the signal before sleep`() async throws {
    try await withBus { bus, bag in
      let client = try bus.connect(in: bag)
      let mock = try mock("logind", "org.freedesktop.login1", bus, client)
      let path: DBusObjectPath = "/org/freedesktop/login1"
      let manager = client.object("org.freedesktop.login1", at: path, interface: "org.freedesktop.login1.Manager")
      let control = client.object("org.freedesktop.login1", at: path, interface: "org.freedesktop.DBus.Mock")
      let sleeping = manager.signal("PrepareForSleep", as: Bool.self).record()
      _ = try bus.value(
        control.call("AddSession", "c1", "seat0", UInt32(500), "joe", true, as: String.self))
      let sessions = try bus.value(
        manager.call(
          "ListSessions", as: [DBusStruct<String, UInt32, String, String, DBusObjectPath>].self))
      let first = try #require(sessions.first?.members)
      #expect(sessions.count == 1 && first.0 == "c1" && first.1 == 500 && first.2 == "joe" && first.3 == "seat0")
      let session = client.object("org.freedesktop.login1", at: first.4, interface: "org.freedesktop.login1.Session")
      #expect(try bus.value(session.get("Name", as: String.self)) == "joe")
      #expect(try bus.value(session.get("Active", as: Bool.self)))
      let user = try bus.value(session.get("User", as: DBusStruct<UInt32, DBusObjectPath>.self)).members
      #expect(user.0 == 500)
      for isBeginning in [true, false] {
        try bus.value(
          control.call(
            "EmitSignal", "org.freedesktop.login1.Manager", "PrepareForSleep", "b", [DBusValue(isBeginning)]))
      }
      try bus.loop.run(until: "the signals") { sleeping.elements.count == 2 }
      #expect(sleeping.elements == [true, false])

      // A property that does not exist, and one that has another type.
      guard case .remote = try bus.failure(session.get("Missing", as: String.self)) else { throw TestError("missing") }
      #expect(try bus.failure(session.get("Name", as: Bool.self)) == .mismatch(expected: "b", actual: "s"))

      let sleepLock = try bus.value(
        manager.call("Inhibit", "sleep", "test", "wait", "delay", as: DBusFileDescriptor.self))
      #expect(fcntl(sleepLock.descriptor, F_GETFD) == FD_CLOEXEC)
      try mock.process.kill()
      try bus.loop.run(until: "the end of the mock") { mock.hasEnded }
    }
  }

  @Test
  static func `NetworkManager: properties follow their changes, also when the service starts later`() async throws {
    try await withBus { bus, bag in
      let client = try bus.connect(in: bag)
      let path: DBusObjectPath = "/org/freedesktop/NetworkManager"
      let name = "org.freedesktop.NetworkManager"
      let manager = client.object(name, at: path, interface: name)
      let control = client.object(name, at: path, interface: "org.freedesktop.DBus.Mock")
      let connectivity = manager.property("State", initial: UInt32(0))
      var mock = try mock("networkmanager", name, bus, client)
      let states = connectivity.toStream().record()
      try bus.loop.run(until: "the state") { connectivity.value == 70 }
      try bus.value(control.call("UpdateProperties", name, ["State": DBusValue(UInt32(20))]))
      try bus.loop.run(until: "the change") { connectivity.value == 20 }
      try bus.value(manager.set("WirelessEnabled", to: false))
      #expect(try bus.value(manager.get("WirelessEnabled", as: Bool.self)) == false)

      let device = try bus.value(control.call("AddEthernetDevice", "mock_eth0", "eth0", Int32(100), as: String.self))
      #expect(try bus.value(manager.call("GetDevices", as: [DBusObjectPath].self)).map(\.rawValue) == [device])
      let interface = client.object(name, at: DBusObjectPath(rawValue: device), interface: "\(name).Device")
      #expect(try bus.value(interface.get("Interface", as: String.self)) == "eth0")

      // Another process with the same name.
      try mock.process.kill(.kill)
      let gone = mock
      try bus.loop.run(until: "the end of the mock") { gone.hasEnded }
      mock = try DBusTests.mock("networkmanager", name, bus, client)
      try bus.loop.run(until: "the state of the new process") { connectivity.value == 70 }
      #expect(states.elements.suffix(3) == [70, 20, 70])
      try mock.process.kill()
      try bus.loop.run(until: "the end of the mock") { mock.hasEnded }
    }
  }

  @Test
  static func `file descriptors are passed`() async throws {
    try await withBus { bus, bag in
      let (server, client) = (try bus.connect(in: bag), try bus.connect(in: bag))
      let interface = DBusInterface("org.example.Pipes").method("Pass") { (descriptor: DBusFileDescriptor) in descriptor
      }
      try server.export(interface, at: "/").dispose(in: bag)
      try bus.own("org.example.Pipes", server, in: bag)
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let writing = DBusFileDescriptor(owning: ends[1])
      defer { close(ends[0]) }
      let object = client.object("org.example.Pipes", at: "/", interface: "org.example.Pipes")
      let passed = try bus.value(object.call("Pass", writing, as: DBusFileDescriptor.self))
      #expect(passed.descriptor != writing.descriptor)
      #expect(write(passed.descriptor, "x", 1) == 1)
      var byte: UInt8 = 0
      #expect(read(ends[0], &byte, 1) == 1 && byte == UInt8(ascii: "x"))
      #expect(throws: DBusError.self) { try DBusFileDescriptor(duplicating: -1) }
    }
  }
}
