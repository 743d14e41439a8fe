import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Connections that nobody refers to any more.
@Suite("Abandoned connections", .noLiveResources, .timeLimit(.minutes(15)))
struct AbandonedConnectionTests {
  /// What a server does with a connection that it does not keep.
  enum Service: CaseIterable {
    /// Writes back what it reads, and does nothing at the end.
    case echo
    /// Reads once.
    case readOnce
    /// Writes more than the system takes at once, and reads nothing.
    case write
    /// Says that it has nothing to say.
    case finish

    var count: Int { if case .write = self { 4 << 20 } else { 5 } }

    func serve(_ connection: TCPHandle, _ bag: DisposeBag) {
      switch self {
      case .echo: connection.bytes.observeNext { connection.write($0) }.dispose(in: bag)
      case .readOnce: connection.bytes.take(1).observeNext { connection.write($0) }.dispose(in: bag)
      case .write: connection.write(Bytes(copying: [UInt8](repeating: 7, count: count).span.bytes))
      case .finish: connection.finish()
      }
    }
  }

  @Test("A connection to which there is no reference is closed when nothing is under way", arguments: Service.allCases)
  func closed(_ service: Service) async throws {
    try await onLoop { _ in
      let listener = try TCPListener(on: .loopback(port: 0))
      let bag = DisposeBag()
      weak var served: TCPHandle?
      listener.connections.observeNext { connection in
        served = connection
        service.serve(connection, bag)
      }.dispose(in: bag)
      let client = try await Operation.connect(to: listener.address).value
      var count = 0
      var hasEnded = false
      client.bytes.observe(next: { count += $0.count }, termination: { _ in hasEnded = true }).dispose(in: bag)
      client.write("hello")
      if case .echo = service { client.finish() }
      await untilTrue { hasEnded }
      #expect(count == (service == .finish ? 0 : service.count))
      await untilTrue { served == nil }
      #expect(served == nil)
      client.dispose()
      bag.dispose()
      listener.dispose()
    }
  }

  @Test("A connection that somebody keeps stays open, whether or not anything is under way")
  func kept() async throws {
    try await onLoop { _ in
      let listener = try TCPListener(on: .loopback(port: 0))
      let bag = DisposeBag()
      var kept: TCPHandle?
      listener.connections.observeNext { connection in
        kept = connection
        connection.bytes.take(1).observeNext { connection.write($0) }.dispose(in: bag)
      }.dispose(in: bag)
      let client = try await Operation.connect(to: listener.address).value
      var received: [UInt8] = []
      client.bytes.observeNext { $0.withUnsafeBytes { received += $0 } }.dispose(in: bag)
      client.write("a")
      await untilTrue { received.count == 1 }
      for _ in 0..<100 { await Task.yield() }
      kept?.write("b")
      await untilTrue { received.count == 2 }
      #expect(received == Array("ab".utf8) && kept?.isDisposed == false)
      kept?.dispose()
      client.dispose()
      bag.dispose()
      listener.dispose()
    }
  }
}
