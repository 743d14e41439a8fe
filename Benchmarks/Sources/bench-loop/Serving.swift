import EventLoops
import Foundation
import Streams

/// A server of 64 connections that sends each byte back, driven by a process of its own. The figures are processor
/// nanoseconds of the server, in user and system mode, for each byte.
enum Serving {
  /// One callback for each element.
  static func callbacks(_ count: Int) -> Double {
    serve(count) { connection, ended in
      connection.bytes.observe(next: { connection.write($0) }, termination: { _ in ended() })
    }
  }

  /// One task for each connection, which iterates over the elements.
  static func forAwait(_ count: Int) -> Double {
    serve(count) { connection, ended in
      // The task stays on the main actor, where the connection lives.
      nonisolated(unsafe) let (connection, ended) = (connection, ended)
      Task { @MainActor in
        do {
          for try await bytes in connection.bytes.values() { connection.write(bytes) }
        } catch {
          // The visitors leave in the middle.
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

  /// What the other process does: `count` bytes to and fro, over all connections.
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
