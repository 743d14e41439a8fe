import Allocations
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// A round trip over an established connection allocates no memory. The counts are exact, also in debug builds.
@Suite(
  "Byte streams: cost", .noLiveResources,
  .enabled(if: allocations_are_counted(), "a sanitizer puts its own allocator in the place of the one that counts"))
struct StreamCostTests {
  /// The allocations of 1,000 round trips between a client and its peer, which `serve` handles.
  private static func allocations(
    _ ping: Bytes = "some bytes", _ serve: @escaping @Sendable (TCPHandle, DisposeBag) -> Void
  ) async throws -> Int {
    try await withLoop { loop, bag in
      let (near, far) = try connectedPair(loop)
      serve(near, bag)
      var trips = 0
      var (before, after) = (0, 0)
      far.bytes.observeNext { _ in
        trips += 1
        // The first trips include lookups that the runtime makes only once.
        if trips == 20 { before = Int(allocations_so_far_here()) }
        if trips == 1020 {
          after = Int(allocations_so_far_here())
          return loop.stop()
        }
        far.write(ping)
      }.dispose(in: bag)
      // Begins after the loop has checked whether the connections are retained, which it does once here.
      loop.scheduler.schedule(after: .milliseconds(200)) { far.write(ping) }.dispose(in: bag)
      loop.run()
      near.dispose()
      far.dispose()
      #expect(trips == 1020 && before > 0)
      return after - before
    }
  }

  @Test func `a reader that writes back allocates nothing`() async throws {
    final class Echo: ByteReader {
      let connection: TCPHandle
      init(_ connection: TCPHandle) { self.connection = connection }
      override func received(_ bytes: RawSpan) { connection.write(copying: bytes) }
    }
    #expect(try await Self.allocations { connection, _ in connection.startReading(Echo(connection)) } == 0)
  }

  @Test func `a stream of bytes that is written back allocates nothing`() async throws {
    let count = try await Self.allocations { connection, bag in
      connection.bytes.observeNext { connection.write($0) }.dispose(in: bag)
    }
    #expect(count == 0)
  }

  @Test func `the same through four operators and pipe(to:) allocates nothing`() async throws {
    let count = try await Self.allocations { connection, bag in
      connection.bytes.map { $0.dropFirst(0) }.filter { !$0.isEmpty }.skip(0).map { $0.rebased }
        .pipe(to: connection).observe { _ in }.dispose(in: bag)
    }
    #expect(count == 0)
  }

  @Test func `slabs of which something is kept go round: a megabyte is read into a few`() async throws {
    let count = try await Self.allocations(Bytes(repeating: 1, count: 1_000)) { connection, bag in
      // The last 100 chunks.
      var kept = Array(repeating: Bytes(), count: 100)
      var index = 0
      connection.bytes.observeNext { bytes in
        kept[index % 100] = bytes
        index += 1
        connection.write(bytes)
      }.dispose(in: bag)
    }
    // If slabs were not reused, every 56 reads would take a new one.
    #expect(count <= 9)
  }
}
