import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("UDP", .noLiveResources, .timeLimit(.minutes(15)))
struct UDPTests {
  @Test(arguments: [false, true])
  func `an observer that pauses at each message gets them all`(batches: Bool) async throws {
    try await withLoop { loop, bag in
      let (sender, receiver) = (try UDPHandle(), try UDPHandle(batches: batches))
      try receiver.bind(to: .loopback(port: 0))
      let address = try receiver.localAddress()
      var received: [UInt8] = []
      var subscription: Subscription?
      subscription = receiver.datagrams.observeNext { datagram in
        datagram.bytes.withUnsafeBytes { received += $0 }
        if received.count == 30 { return loop.stop() }
        subscription?.pause()
        _ = loop.scheduler.schedule(after: .zero) { subscription?.resume() }
      }
      for number in 0..<30 { _ = try sender.trySend(Bytes([UInt8(number)]), to: address) }
      loop.run()
      #expect(received == Array(0..<30))
      subscription?.dispose()
      sender.dispose()
      receiver.dispose()
    }
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `messages arrive whole, with their sender, and are answered`(_ host: String) async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      let bag = DisposeBag()
      let server = try UDPHandle()
      server.dispose(in: bag)
      try server.bind(to: SocketAddress(host, port: 0))
      let address = try server.localAddress()
      #expect(address.port != 0 && address.host == host)
      server.datagrams.observeNext { datagram in
        server.send(datagram.bytes, to: datagram.sender).observe { event in
          if case .failed(let error) = event { Issue.record(error) }
        }.dispose(in: bag)
      }.dispose(in: bag)
      let client = try UDPHandle(family: address.family)
      client.dispose(in: bag)
      let messages: [Bytes] = ["hello", "", Bytes(repeating: 7, count: 1400), Bytes(repeating: 1, count: 60_000)]
      var answers: [Bytes] = []
      client.datagrams.observeNext { datagram in
        #expect(datagram.sender == address && !datagram.isTruncated)
        answers.append(datagram.bytes)
        if answers.count == messages.count {
          bag.dispose()
        } else {
          client.send(messages[answers.count], to: address).observe { _ in }.dispose(in: bag)
        }
      }.dispose(in: bag)
      var sent: [String] = []
      client.send(messages[0], to: address).observe { sent.append("\($0)") }.dispose(in: bag)
      // The system takes the datagram immediately.
      #expect(sent == ["next(())", "completed"])
      loop.run()
      #expect(answers == messages)
      guardian.dispose()
    }
  }

  @Test func `the sizes of the buffers are set, and read as the system has doubled them`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let socket = try UDPHandle()
      try socket.bind(to: .loopback(port: 0))
      try socket.setSendBufferSize(20_000)
      try socket.setReceiveBufferSize(30_000)
      #expect(try socket.sendBufferSize() == 40_000)
      #expect(try socket.receiveBufferSize() == 60_000)
      #expect(socket.queuedBytes == 0)
      socket.dispose()
      #expect(throws: UVError.self) { try socket.sendBufferSize() }
      #expect(socket.queuedBytes == 0)
    }
  }

  @Test func `a connected socket sends to, and hears, its peer alone, and is told that nobody listens`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      let server = try UDPHandle()
      try server.bind(to: .loopback(port: 0))
      let client = try UDPHandle()
      #expect(throws: UVError(code: -EDESTADDRREQ, call: "uv_udp_try_send")) { try client.trySend("x") }
      try client.connect(to: server.localAddress())
      #expect(try client.peerAddress() == server.localAddress())
      #expect(throws: UVError.self) { try client.trySend("x", to: .loopback(port: 9)) }
      let stranger = try UDPHandle()
      #expect(try stranger.trySend("stranger", to: client.localAddress()))
      #expect(try client.trySend("hello"))
      var texts: [String] = []
      let asking = SerialDisposable()
      let subscription = client.datagrams.observe { event in
        switch event {
        case .next(let datagram):
          texts.append(String(datagram.bytes))
          // From now on, the port has no receiver, except in a process that another test has forked and that has not begun its
          // program.
          server.onClosed {
            asking.inner = Stream.interval(.milliseconds(10)).observeNext { _ in _ = try? client.trySend("anybody?") }
          }
          server.dispose()
        case .failed(let error):
          texts.append(error.name)
          asking.dispose()
          loop.stop()
        case .completed: break
        }
      }
      let reception = server.datagrams.observeNext { datagram in
        #expect(datagram.bytes == "hello")
        #expect((try? server.trySend("welcome", to: datagram.sender)) == true)
      }
      loop.run()
      #expect(texts == ["welcome", "ECONNREFUSED"])
      #expect(subscription.isDisposed)
      // Receiving continues when the stream is observed again.
      let again = client.datagrams.observe { _ in }
      again.dispose()
      try client.connect(to: nil)
      #expect(throws: UVError.self) { try client.peerAddress() }
      reception.dispose()
      client.dispose()
      stranger.dispose()
      guardian.dispose()
      loop.run()
    }
  }

  @Test func `pausing leaves what comes with the system; disposal in the callback ends it; one receiver at a time`()
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      let server = try UDPHandle()
      try server.bind(to: .loopback(port: 0))
      let address = try server.localAddress()
      let client = try UDPHandle()
      var texts: [String] = []
      let bag = DisposeBag()
      let subscription = server.datagrams.observeNext { datagram in
        texts.append(String(datagram.bytes))
        if texts.count == 2 { bag.dispose() }
      }
      subscription.dispose(in: bag)
      server.dispose(in: bag)
      client.dispose(in: bag)
      var error: UVError?
      _ = server.datagrams.observeFailed { error = $0 }
      #expect(error?.name == "EBUSY")
      subscription.pause()
      for text in ["a", "b", "c"] { #expect(try client.trySend(Bytes(text.utf8), to: address)) }
      let timer = try TimerHandle()
      timer.start(after: .milliseconds(5)) {
        #expect(texts == [])
        timer.dispose()
        subscription.resume()
      }
      loop.run()
      #expect(texts == ["a", "b"])
      guardian.dispose()
    }
  }

  @Test(arguments: [false, true])
  func `many messages are received with few calls, and none is lost in between`(_ batches: Bool) async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      let server = try UDPHandle(batches: batches)
      #expect(server.receivesBatches == batches)
      try server.bind(to: .loopback(port: 0))
      let address = try server.localAddress()
      let client = try UDPHandle()
      // Few enough for the system's buffer.
      for number in 0..<60 { #expect(try client.trySend(Bytes("\(number)".utf8), to: address)) }
      var numbers: [Int] = []
      _ = server.datagrams.take(60).observe(
        next: { numbers.append(Int(String($0.bytes))!) },
        termination: { _ in
          server.dispose()
          client.dispose()
        }
      )
      loop.run()
      #expect(numbers == Array(0..<60))
      guardian.dispose()
    }
  }

  @Test func `errors are typed, with the address`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      let first = try UDPHandle()
      try first.bind(to: .loopback(port: 0))
      let address = try first.localAddress()
      let second = try UDPHandle()
      #expect(throws: UVError(code: -EADDRINUSE, call: "uv_udp_bind", address: address)) {
        try second.bind(to: address)
      }
      #expect(UVError(code: -EADDRINUSE, call: "uv_udp_bind", address: address).address == address)
      #expect(throws: UVError.self) { try second.bind(to: SocketAddress(path: "/tmp/x")) }
      #expect(throws: UVError(code: -EINVAL, call: "uv_udp_init_ex")) { try UDPHandle(family: .local) }
      let large = Bytes(repeating: 0, count: 70_000)
      #expect(throws: UVError(code: -EMSGSIZE, call: "uv_udp_try_send", address: address)) {
        try first.trySend(large, to: address)
      }
      var failures: [UVError] = []
      _ = first.send(large, to: address).observeFailed { failures.append($0) }
      first.dispose()
      _ = first.send("x", to: address).observeFailed { failures.append($0) }
      _ = first.datagrams.observeFailed { failures.append($0) }
      #expect(failures.map(\.name) == ["EMSGSIZE", "ECANCELED", "ECANCELED"])
      #expect(throws: UVError(code: -ECANCELED, call: "uv_udp_set_ttl", path: "7")) { try first.setTimeToLive(7) }
      var opened: UVError?
      _ = Operation.datagrams(to: try SocketAddress("192.0.2.250", port: 1)).observeFailed { opened = $0 }
      #expect(opened?.name == "EADDRNOTAVAIL" && opened?.path == "192.0.2.250:1")
      second.dispose()
      loop.run()
      guardian.dispose()
    }
  }

  /// Makes two connected local sockets. The system stops their sender when there is no room, which it never does for UDP over
  /// the loopback.
  private static func withPair<Result>(_ body: (UDPHandle, Int32) throws -> Result) throws -> Result {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0)
    defer { close(ends[1]) }
    let handle = try UDPHandle()
    try handle.open(ends[0])
    return try body(handle, ends[1])
  }

  @Test func `what the system has no room for waits, and is sent in order`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      try Self.withPair { handle, peer in
        let count = 2000
        var sent: [Int] = []
        for number in 0..<count {
          let subscription = handle.send(Bytes("\(number)".utf8)).observe(
            next: { sent.append(number) },
            termination: { end in
              #expect(end == .completed)
              if number == count - 1 { handle.dispose() }
            })
          // Halfway, an observer is disposed. Its datagram is sent nevertheless.
          if number == count / 2 { subscription.dispose() }
        }
        #expect(sent.count < count && handle.queuedCount == count - sent.count && handle.queuedBytes > 0)
        let isTaken = try handle.trySend("x")
        #expect(!isTaken)
        var received: [Int] = []
        let reading = Operation.poll(peer, for: .readable).observeNext { _ in
          var buffer = [UInt8](repeating: 0, count: 100)
          let size = read(peer, &buffer, 100)
          received.append(Int(String(decoding: buffer.prefix(max(0, size)), as: UTF8.self)) ?? -1)
          if received.count == count { loop.stop() }
        }
        loop.run()
        #expect(received == Array(0..<count))
        #expect(sent == received.filter { $0 != count / 2 } && handle.queuedCount == 0)
        reading.dispose()
        loop.run()
      }
      guardian.dispose()
    }
  }

  @Test(arguments: [false, true])
  func `what still waits when the handle closes, or the loop is shut down, fails, and nothing is left`(_ closes: Bool)
    async throws
  {
    try await onOwnThread {
      let loop = Loop()
      try Self.withPair { handle, _ in
        var sent = 0
        var errors: Set<String> = []
        for _ in 0..<500 {
          _ = handle.send("message").observe { event in
            if case .next = event { sent += 1 } else if let error = event.error { errors.insert(error.description) }
          }
        }
        #expect(sent < 500)
        let waiting = handle.queuedCount
        #expect(sent + waiting == 500)
        if closes { handle.dispose() }
        loop.shutdown()
        #expect(errors == ["uv_udp_send: operation canceled (ECANCELED)"])
      }
    }
  }

  @Test func `a group hears what is sent to it, through the loopback interface, until it is left`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      let server = try UDPHandle()
      try server.bind(to: .any(port: 0), options: .reuseAddress)
      let port = try server.localAddress().port
      try server.join(group: "239.255.7.7", interface: "127.0.0.1")
      #expect(throws: UVError(code: -EADDRINUSE, call: "uv_udp_set_membership", path: "239.255.7.7")) {
        try server.join(group: "239.255.7.7", interface: "127.0.0.1")
      }
      #expect(throws: UVError.self) { try server.join(group: "127.0.0.1") }
      #expect(throws: UVError.self) { try server.join(group: "nonsense") }
      try server.join(group: "232.1.1.1", interface: "127.0.0.1", source: "127.0.0.1")
      try server.leave(group: "232.1.1.1", interface: "127.0.0.1", source: "127.0.0.1")
      let client = try UDPHandle()
      try client.bind(to: .loopback(port: 0))
      try client.setMulticastInterface("127.0.0.1")
      try client.setMulticastTimeToLive(1)
      try client.setMulticastLoop(true)
      try client.setTimeToLive(8)
      for count in [-1, 256] {
        #expect(throws: UVError(code: -EINVAL, call: "uv_udp_set_multicast_ttl", path: "\(count)")) {
          try client.setMulticastTimeToLive(count)
        }
      }
      var texts: [String] = []
      let subscription = server.datagrams.observeNext { datagram in
        texts.append(String(datagram.bytes))
        loop.stop()
      }
      let group = try SocketAddress("239.255.7.7", port: port)
      #expect(try client.trySend("to the group", to: group))
      loop.run()
      try server.leave(group: "239.255.7.7", interface: "127.0.0.1")
      // This datagram is not received. The one that is sent directly follows it.
      #expect(try client.trySend("to nobody", to: group))
      #expect(try client.trySend("directly", to: .loopback(port: port)))
      loop.run()
      #expect(texts == ["to the group", "directly"])
      subscription.dispose()
      server.dispose()
      client.dispose()
      loop.run()
      guardian.dispose()
    }
  }

  @Test func `broadcasts want permission, and a descriptor of somebody else can be used`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      let handle = try UDPHandle()
      try handle.open(descriptor)
      #expect(throws: UVError.self) { try handle.open(-1) }
      let everybody = try SocketAddress("127.255.255.255", port: 9)
      #expect(throws: UVError(code: -EACCES, call: "uv_udp_try_send", address: everybody)) {
        try handle.trySend("x", to: everybody)
      }
      try handle.setBroadcast(true)
      #expect(try handle.trySend("x", to: everybody))
      let before = inode(of: descriptor)
      handle.dispose()
      loop.run()
      // Another file may already have the number.
      #expect(before != nil && inode(of: descriptor) != before)
    }
  }
}

/// The inode of the file that is open under a descriptor.
private func inode(of descriptor: Int32) -> UInt64? {
  var status = stat()
  return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
}
