import EventLoops
import Foundation
import NIOCore
import NIOPosix
import Streams

/// A server with 64 connections that sends each byte back to a client in another process. The figures are processor
/// nanoseconds of the server, in user and system mode, per byte.
enum Serving {
  /// Serves with one callback for each element.
  static func callbacks(_ count: Int) -> Double {
    serve(count) { connection, ended in
      connection.bytes.observe(next: { connection.write($0) }, termination: { _ in ended() })
    }
  }

  /// Serves with one task for each connection, which iterates over the elements.
  static func forAwait(_ count: Int) -> Double {
    serve(count) { connection, ended in
      // The task stays on the main actor, which is the home of the connection.
      nonisolated(unsafe) let (connection, ended) = (connection, ended)
      Task { @MainActor in
        do {
          for try await bytes in connection.bytes.values() { connection.write(bytes) }
        } catch {
          // The clients end without a graceful close.
        }
        ended()
      }
      return .none
    }
  }

  private static func serve(
    _ count: Int, _ start: @escaping (TCPHandle, @escaping () -> Void) -> any Disposable
  ) -> Double {
    let loop = Loop.main
    let listener = try! TCPListener(on: .loopback(port: 0))
    var left = pairCount
    let bag = DisposeBag()
    listener.connections.observe(
      next: { connection in
        start(connection) {
          connection.dispose()
          left -= 1
          if left == 0 { loop.stop() }
        }.dispose(in: bag)
      }, termination: { _ in }
    ).dispose(in: bag)
    let visitors = VisitingProcess(["knock", "\(listener.address.port)", "\(count)"])
    let before = Processor.process
    loop.run()
    let taken = Processor.process - before
    visitors.end()
    bag.dispose()
    listener.dispose()
    return taken / Double(count)
  }

  // MARK: Two threads

  /// Returns the processor nanoseconds of the server and the elapsed nanoseconds per byte, with two loops.
  static func loops(_ count: Int) -> (processor: Double, clock: Double) {
    let figures = Lock((processor: 0.0, clock: 0.0))
    let subscription = Operation.serve(
      on: .loopback(port: 0), loops: 2,
      bound: { address in
        Thread.detachNewThread {
          let taken = visited(address.port, count)
          figures.withLock { $0 = taken }
          Queue.main.stop()
        }
      },
      { connection, _ in
        connection.bytes.doOn(next: { connection.write($0) }, disposed: { connection.dispose() }).toStream(
          logError: false)
      }
    ).observeFailed { fatalError("\($0)") }
    Loop.main.run()
    subscription.dispose()
    return figures.withLock { $0 }
  }

  /// Returns the same figures for SwiftNIO with two event loops.
  static func loopsNIO(_ count: Int) -> (processor: Double, clock: Double) {
    final class Server: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer

      func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.write(data, promise: nil) }

      func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    let server = try! ServerBootstrap(group: group)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Server()) }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    return visited(UInt16(server.localAddress!.port!), count)
  }

  /// Runs a client process to its end, and returns the figures per byte.
  private static func visited(_ port: UInt16, _ count: Int) -> (processor: Double, clock: Double) {
    let before = Processor.process
    let time = ContinuousClock().measure {
      VisitingProcess(["knock", "\(port)", "\(count)"]).waitUntilGone()
    }
    return ((Processor.process - before) / Double(count), time / .nanoseconds(1) / Double(count))
  }

  /// Runs the body of the client process, which sends `count` bytes back and forth over all connections.
  static func knock(_ port: UInt16, _ count: Int) {
    let bag = DisposeBag()
    var left = count
    let byte = Bytes(repeating: 120, count: 1)
    for _ in 0..<pairCount {
      Operation.connect(to: .loopback(port: port)).observe(
        next: { connection in
          try! connection.setNoDelay(true)
          connection.bytes.observe(
            next: { bytes in
              left -= 1
              if left > 0 { connection.write(bytes) } else { Loop.main.stop() }
            }, termination: { _ in }
          ).dispose(in: bag)
          connection.write(byte)
        }, termination: { _ in }
      ).dispose(in: bag)
    }
    Loop.main.run()
  }
}
