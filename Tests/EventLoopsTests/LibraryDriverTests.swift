import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("LibraryDriver", .noLiveResources)
struct LibraryDriverTests {
  /// Runs `body` with a loop, a driver, and a pair of connected sockets that are closed at the end.
  static func withSockets<Result: Sendable>(
    _ body: @escaping @Sendable (Loop, LibraryDriver, _ near: Int32, _ far: Int32) throws -> Result
  ) async throws -> Result {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      defer { for end in ends { close(end) } }
      let driver = try LibraryDriver()
      defer { driver.close() }
      let guardian = deadline(loop)
      defer { guardian.dispose() }
      return try body(loop, driver, ends[0], ends[1])
    }
  }

  static func readAll(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = recv(descriptor, &bytes, 100, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test func `a library that writes to a peer that has closed gets an error, and no signal`() async {
    await #expect(processExitsWith: .success) {
      try await Self.withSockets { _, driver, near, far in
        close(far)
        #expect(driver.during { write(near, "x", 1) } == -1)
        #expect(errno == EPIPE)
        // Closed again at the end.
        #expect(dup2(near, far) == far)
      }
    }
  }

  @Test func `a descriptor is watched for what was asked last, level-triggered, until it is watched for nothing`()
    async throws
  {
    let log = try await Self.withSockets { loop, driver, near, far in
      var log: [String] = []
      driver.start(ready: { [unowned driver] descriptor, events in
        #expect(descriptor == near)
        log.append(events == .writable ? "writable" : events == .readable ? "readable" : "\(events)")
        do throws(UVError) {
          switch log.count {
          case 1:
            try driver.watch(near, for: .readable)
            #expect(driver.interest(in: near) == .readable)
            send(far, "text", 4, 0)
          // Data that has not been read is reported again.
          case 3:
            log.append(Self.readAll(near))
            send(far, "more", 4, 0)
            try driver.watch(near, for: [])
            #expect(driver.watchedDescriptors == [])
          default: break
          }
        } catch {
          Issue.record(error)
        }
      })
      try driver.watch(near, for: .writable)
      loop.run()
      return log
    }
    #expect(log == ["writable", "readable", "readable", "text"])
  }

  @Test
  func `a timeout of zero comes on the next iteration, one after the other, and descriptors are served in between`()
    async throws
  {
    let log = try await Self.withSockets { loop, driver, near, far in
      var log: [String] = []
      var isSetting = false
      func set(_ delay: Duration?) {
        isSetting = true
        driver.setTimeout(delay)
        isSetting = false
      }
      driver.start(
        ready: { [unowned driver] _, _ in
          log.append(Self.readAll(near))
          driver.setTimeout(nil)
          driver.watchNothing()
        },
        timeout: {
          #expect(!isSetting)
          if log.last != "timeout" { log.append("timeout") }
          set(.zero)
        })
      try driver.watch(near, for: .readable)
      // Each call replaces the previous timeout.
      set(.seconds(600))
      set(.milliseconds(-1))
      send(far, "text", 4, 0)
      loop.run()
      return log
    }
    #expect(log == ["timeout", "text"])
  }

  @Test func `a timeout comes once and not early; nil cancels it`() async throws {
    try await Self.withSockets { loop, driver, _, _ in
      var count = 0
      driver.start(timeout: { count += 1 })
      let start = loop.now
      driver.setTimeout(.milliseconds(20))
      loop.run()
      #expect(count == 1)
      #expect(loop.now - start >= .milliseconds(19))
      driver.setTimeout(.milliseconds(1))
      driver.setTimeout(nil)
      driver.setTimeout(.zero)
      driver.setTimeout(nil)
      loop.run()
      #expect(count == 1)
    }
  }

  @Test func `afterCalls runs at the end of the outermost call, before what was deferred; errors pass through`()
    async throws
  {
    try await Self.withSockets { _, driver, _, _ in
      var log: [String] = []
      driver.start(afterCalls: { log.append("after") })
      driver.during {
        driver.afterCall { log.append("deferred") }
        driver.during { log.append("inner") }
        log.append("outer")
      }
      #expect(log == ["inner", "outer", "after", "deferred"])
      log = []
      #expect(throws: TestError.self) {
        try driver.during {
          driver.afterCall { driver.during { log.append("again") } }
          throw TestError("library")
        }
      }
      #expect(log == ["after", "again", "after"])
      driver.afterCall { log.append("at once") }
      #expect(log.last == "at once")
    }
  }

  @Test func `what beforePolling sets counts for this iteration; afterPolling comes behind the descriptors`()
    async throws
  {
    let log = try await Self.withSockets { loop, driver, near, far in
      var log: [String] = []
      var turns = 0
      send(far, "text", 4, 0)
      driver.start(
        ready: { _, _ in log.append("ready") },
        beforePolling: { [unowned driver] in
          turns += 1
          log.append("before")
          do { try driver.watch(near, for: .readable) } catch { Issue.record(error) }
          driver.setTimeout(.seconds(600))
        },
        afterPolling: { [unowned driver] in
          log.append("after")
          driver.watchNothing()
          driver.setTimeout(nil)
          if turns == 2 { Loop.current.stop() } else { Queue.current?.async {} }
        })
      // The hooks do not keep the loop alive, but a timeout does.
      driver.setTimeout(.seconds(600))
      loop.run()
      return log
    }
    #expect(Array(log.prefix(3)) == ["before", "ready", "after"])
  }

  @Test func `hooks alone do not keep the loop alive, and nothing does if that is switched off`() async throws {
    try await Self.withSockets { loop, driver, near, _ in
      var turns = 0
      driver.start(beforePolling: { turns += 1 }, afterPolling: { turns += 1 })
      loop.run()
      try driver.watch(near, for: .readable)
      driver.setTimeout(.seconds(600))
      #expect(driver.keepsLoopAlive)
      driver.keepsLoopAlive = false
      loop.run()
      #expect(driver.watchedDescriptors == [near])
    }
  }

  @Test
  func
    `closing inside of a call: the library may still end its watches, then it is destroyed, with nothing watched, once`()
    async throws
  {
    let log = try await Self.withSockets { loop, driver, near, far in
      var log: [String] = []
      driver.start(
        ready: { [unowned driver] _, _ in
          driver.close { [unowned driver] in
            log.append("destroy, watched: \(driver.watchedDescriptors.count)")
            do { try driver.watch(far, for: .readable) } catch { Issue.record(error) }
            driver.setTimeout(.zero)
            driver.afterCall { log.append("called back") }
            log.append("destroyed")
          }
          driver.close { log.append("twice") }
          #expect(driver.isClosed)
          log.append("watched: \(driver.watchedDescriptors.count)")
          do { try driver.watch(far, for: []) } catch { Issue.record(error) }
          log.append("watched: \(driver.watchedDescriptors.count)")
        },
        timeout: { log.append("timeout") }, afterCalls: { log.append("after") })
      try driver.watch(near, for: .writable)
      try driver.watch(far, for: .readable)
      driver.setTimeout(.seconds(600))
      loop.run()
      return log
    }
    #expect(
      log == ["watched: 2", "watched: 1", "after", "destroy, watched: 0", "destroyed", "called back"])
  }

  @Test func `a driver that is released, on any thread, watches nothing any longer`() async throws {
    try await Self.withSockets { loop, _, near, far in
      var driver: LibraryDriver? = try LibraryDriver()
      driver?.start(ready: { _, _ in Issue.record("ready") })
      try driver?.watch(near, for: .readable)
      driver?.setTimeout(.seconds(600))
      // Safe, because this thread has no other reference.
      nonisolated(unsafe) let last = Unmanaged.passRetained(driver!)
      driver = nil
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        {
          Unmanaged<LibraryDriver>.fromOpaque($0!).release()
          return nil
        }, last.toOpaque())
      pthread_join(thread, nil)
      send(far, "text", 4, 0)
      loop.run()
    }
  }

  @Test func `a descriptor that cannot be watched throws`() async throws {
    try await Self.withSockets { _, driver, near, _ in
      func code(_ descriptor: Int32, _ driver: LibraryDriver) -> String? {
        do throws(UVError) {
          try driver.watch(descriptor, for: .readable)
          return nil
        } catch {
          return error.name
        }
      }
      let file = open("/proc/self/exe", O_RDONLY)
      defer { close(file) }
      #expect(code(file, driver) == "EPERM")
      #expect(code(-1, driver) == "EBADF")
      #expect(code(near, driver) == nil)
      let other = try LibraryDriver()
      #expect(code(near, other) == "EEXIST")
      #expect(other.watchedDescriptors == [])
      other.close()
    }
  }

  /// A datagram socket whose peer has no reader: each `send` causes an error that the next `recv` returns.
  private static func refusedSocket() throws -> Int32 {
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    while true {
      let peer = Glibc.socket(AF_INET, kind, 0)
      let socket = Glibc.socket(AF_INET, kind, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(peer, address, length) + getsockname(peer, address, &length) + connect(socket, address, length)
        }
      }
      close(peer)
      if status != 0 { throw TestError("connect: \(errno)") }
      // Another test may have the port by now, or a process that is being started may still have the socket.
      send(socket, "x", 1, 0)
      var state = pollfd(fd: socket, events: 0, revents: 0)
      var byte: UInt8 = 0
      if poll(&state, 1, 1000) == 1, recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) < 0, errno == ECONNREFUSED {
        return socket
      }
      close(socket)
    }
  }

  @Test func `an error is readiness for everything that was asked for, and the watching goes on`() async throws {
    let log = try await Self.withSockets { loop, driver, _, _ in
      let socket = try Self.refusedSocket()
      defer { close(socket) }
      var log: [String] = []
      driver.start(ready: { [unowned driver] _, events in
        #expect(events.contains(.readable))
        var byte: UInt8 = 0
        log.append(recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == ECONNREFUSED ? "refused" : "?")
        if log.count == 3 { driver.watchNothing() } else { send(socket, "x", 1, 0) }
      })
      try driver.watch(socket, for: .readable)
      send(socket, "x", 1, 0)
      loop.run()
      return log
    }
    #expect(log == ["refused", "refused", "refused"])
  }

  @Test(arguments: [false, true])
  func `a library that closes a descriptor with an error without a word is reported, and ends the watch alone`(
    isTakenAgain: Bool
  ) async throws {
    let reports = try await Self.withSockets { loop, driver, near, _ in
      let socket = try Self.refusedSocket()
      // The report must also be made if another thread reuses the number immediately.
      driver.start(ready: { _, _ in _ = isTakenAgain ? dup2(near, socket) : close(socket) })
      defer { if isTakenAgain { close(socket) } }
      try driver.watch(socket, for: .readable)
      send(socket, "x", 1, 0)
      return captureDiagnostics {
        loop.run()
        #expect(driver.watchedDescriptors == [])
      }
    }
    #expect(reports.count == 1)
    #expect(reports.first?.contains("Stop watching it before the library closes it.") == true)
  }

  @Test func `when the loop has been shut down, the driver ignores what it is asked; closing still destroys`()
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      let driver = try LibraryDriver()
      driver.start(timeout: { Issue.record("timeout") })
      driver.setTimeout(.zero)
      loop.shutdown()
      #expect(driver.isClosed)
      try driver.watch(0, for: .readable)
      driver.setTimeout(.zero)
      driver.keepsLoopAlive = false
      var isDestroyed = false
      driver.close { isDestroyed = true }
      #expect(isDestroyed)
    }
  }

  @Test func `used on another thread, it traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        let loop = Loop()
        // Unsafe on purpose: this is the programmer error that traps.
        nonisolated(unsafe) let driver = try LibraryDriver()
        driver.setTimeout(.seconds(60))
        Task.detached { try driver.watch(0, for: .readable) }
        loop.run()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("A loop is used outside of its thread."))
  }
}
