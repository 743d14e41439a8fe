import Glibc
import NIOCore
import NIOPosix

/// The workload of `Echo` with SwiftNIO, with both ends on one event loop.
enum EchoNIO {
  static func run(_ count: Int) -> Double {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let done = loop.makePromise(of: Double.self)
    let server = try! ServerBootstrap(group: group)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Server()) }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    let trips = TripsNIO(count, done)
    let clients = (0..<pairCount).map { _ in
      try! ClientBootstrap(group: group)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Client(trips)) }
        }
        .connect(to: server.localAddress!).wait()
    }
    loop.execute {
      trips.before = Processor.process
      for client in clients {
        client.writeAndFlush(ByteBuffer(repeating: 120, count: messageSize), promise: nil)
      }
    }
    let taken = try! done.futureResult.wait()
    return taken / Double(count)
  }

  private final class Server: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.write(data, promise: nil) }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
  }

  private final class Client: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let trips: TripsNIO

    init(_ trips: TripsNIO) { self.trips = trips }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if !trips.isOver() { context.writeAndFlush(data, promise: nil) }
    }
  }
}

// Sendable, because only the event loop uses it.
private final class TripsNIO: @unchecked Sendable {
  private var left: Int
  private let done: EventLoopPromise<Double>
  var before = 0.0

  init(_ count: Int, _ done: EventLoopPromise<Double>) {
    left = count
    self.done = done
  }

  func isOver() -> Bool {
    left -= 1
    if left == 0 { done.succeed(Processor.process - before) }
    return left <= 0
  }
}
