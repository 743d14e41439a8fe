import Dispatch
import EventLoops
import Foundation
import Glibc
import NIOCore
import NIOPosix
import Streams

/// Connections that come and go, and those that do nothing.
enum Connections {
  /// Accepting a connection, reading its end and closing it: processor nanoseconds of the loop's thread.
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

  /// Bytes of this process for each connection that has been accepted, is read and does nothing. One reader serves all.
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
    // Behind what the last one needed.
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

/// Clients that use the system alone.
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

  /// A thread that connects, ends, waits for the other end and closes, `count` times.
  static func start(_ port: UInt16, _ count: Int) -> DispatchGroup {
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      for _ in 0..<count {
        let client = connect(port)
        shutdown(client, Int32(SHUT_WR))
        var byte: UInt8 = 0
        precondition(read(client, &byte, 1) <= 0)
        // Without TIME_WAIT: thousands of them would use the ports up.
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close(client)
      }
    }
    return group
  }

  /// How many connect at first: what they need is not theirs alone.
  static let first = 1000

  /// A process that makes `first` connections, and `count` more when it is told to.
  static func process(_ port: UInt16, _ count: Int) -> VisitingProcess {
    raiseLimit()
    return VisitingProcess(["stay", "\(port)", "\(count)"])
  }

  /// What that process does.
  static func stay(_ port: UInt16, _ count: Int) {
    raiseLimit()
    for _ in 0..<first { _ = connect(port) }
    _ = readLine()
    for _ in 0..<count { _ = connect(port) }
    _ = readLine()
  }

  /// As many descriptors as the system allows.
  static func raiseLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// Connections that somebody else holds, so that they cost nothing here.
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
