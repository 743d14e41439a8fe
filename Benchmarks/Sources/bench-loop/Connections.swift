import Dispatch
import EventLoops
import Foundation
import Glibc
import NIOCore
import NIOPosix
import Streams

/// Short-lived connections and idle connections.
enum Connections {
  /// Returns the processor nanoseconds that the loop's thread uses to accept a connection, read its end, and close it.
  static func accept(_ count: Int) -> Double {
    let loop = Loop.main
    let listener = try! TCPListener(on: .loopback(port: 0))
    var left = count
    let bag = DisposeBag()
    listener.connections.observe(
      next: { connection in
        connection.startReading(Closer(connection))
        connection.onClosed {
          left -= 1
          if left == 0 { loop.stop() }
        }
      }, termination: { _ in }
    ).dispose(in: bag)
    let port = listener.address.port
    let thread = Visitors.start(port, count)
    let before = Processor.thread
    loop.run()
    let taken = (Processor.thread - before) / Double(count)
    thread.wait()
    bag.dispose()
    listener.dispose()
    loop.shutdown()
    return taken
  }

  private final class Closer: ByteReader {
    private unowned(unsafe) let connection: TCPHandle

    init(_ connection: TCPHandle) { self.connection = connection }

    override func ended(_ end: Termination<UVError>) { connection.dispose() }
  }

  /// Returns the bytes of this process for each accepted connection that is read and idle. One reader serves all
  /// connections.
  static func idle(_ count: Int) -> Double {
    let loop = Loop.main
    let reader = ByteReader()
    let listener = try! TCPListener(on: .loopback(port: 0), backlog: 4096)
    var accepted = 0
    var expected = Visitors.first
    let bag = DisposeBag()
    listener.connections.observe(
      next: { connection in
        connection.startReading(reader)
        accepted += 1
        if accepted == expected { loop.stop() }
      }, termination: { _ in }
    ).dispose(in: bag)
    let visitors = Visitors.process(listener.address.port, count)
    loop.run()
    let before = residentBytes
    expected += count
    visitors.goOn()
    loop.run()
    let taken = (residentBytes - before) / Double(count)
    visitors.end()
    bag.dispose()
    listener.dispose()
    loop.shutdown()
    return taken
  }

  // MARK: SwiftNIO

  static func acceptNIO(_ count: Int) -> Double {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let closed = DispatchSemaphore(value: 0)
    let server = try! ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.closeFuture.whenComplete { _ in closed.signal() }
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    let loop = group.next()
    let before = try! loop.submit { Processor.thread }.wait()
    let thread = Visitors.start(UInt16(server.localAddress!.port!), count)
    thread.wait()
    for _ in 0..<count { closed.wait() }
    return (try! loop.submit { Processor.thread }.wait() - before) / Double(count)
  }

  static func idleNIO(_ count: Int) -> Double {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let accepted = DispatchSemaphore(value: 0)
    let server = try! ServerBootstrap(group: group)
      .serverChannelOption(ChannelOptions.backlog, value: 4096)
      .childChannelInitializer { channel in
        accepted.signal()
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    let visitors = Visitors.process(UInt16(server.localAddress!.port!), count)
    for _ in 0..<Visitors.first { accepted.wait() }
    // Waits until the loop has handled the last connection.
    try! group.next().submit {}.wait()
    let before = residentBytes
    visitors.goOn()
    for _ in 0..<count { accepted.wait() }
    try! group.next().submit {}.wait()
    let taken = (residentBytes - before) / Double(count)
    visitors.end()
    return taken
  }
}

/// Clients that use system calls only.
enum Visitors {
  static func connect(_ port: UInt16) -> Int32 {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(status == 0, "connect: \(errno)")
    return client
  }

  /// Starts a thread that connects, shuts down its sending side, waits for the peer's end, and closes, `count` times.
  static func start(_ port: UInt16, _ count: Int) -> DispatchGroup {
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      for _ in 0..<count {
        let client = connect(port)
        shutdown(client, Int32(SHUT_WR))
        var byte: UInt8 = 0
        precondition(read(client, &byte, 1) <= 0)
        // Avoids TIME_WAIT, because thousands of such sockets would use up the ports.
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close(client)
      }
    }
    return group
  }

  /// The number of connections before the measurement. They also cause allocations that all connections share.
  static let first = 1000

  /// Starts a process that opens `first` connections, and `count` more after `goOn()`.
  static func process(_ port: UInt16, _ count: Int) -> VisitingProcess {
    raiseLimit()
    return VisitingProcess(["stay", "\(port)", "\(count)"])
  }

  /// Runs the body of that process.
  static func stay(_ port: UInt16, _ count: Int) {
    raiseLimit()
    for _ in 0..<first { _ = connect(port) }
    _ = readLine()
    for _ in 0..<count { _ = connect(port) }
    _ = readLine()
  }

  /// Raises the limit on descriptors to the maximum that the system allows.
  static func raiseLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// Another process that holds the client ends of connections, so that they cost nothing in this process.
struct VisitingProcess {
  private let process = Process()
  private let input = Pipe()

  init(_ arguments: [String]) {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardInput = input
    try! process.run()
  }

  func goOn() { input.fileHandleForWriting.write(Data("\n".utf8)) }

  func waitUntilGone() { process.waitUntilExit() }

  func end() {
    try! input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
