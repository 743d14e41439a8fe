import Callbacks
import EventLoops
import Streams
import StreamsTesting
import Testing

extension CallbacksTests {
  /// Calls from C on the thread of a closing or closed loop, while another thread gives the context back.
  @Suite("Callbacks of closed loops", .noLiveResources)
  struct ClosedLoopTests {
    typealias Lent = LentCallback<Int32, Void>

    /// Makes a context that logs its calls and its release. A call with a positive number gives it back on another thread.
    private static func makeContext(_ log: Lock<[String]>) -> UnsafeMutableRawPointer {
      let witness = LoudWitness { log.withLock { $0.append("released") } }
      return Lent { number in
        if number > 0 { giveBackOnThread(callContext.withLock { $0 }) }
        log.withLock { $0.append("call \(number)") }
        withExtendedLifetime(witness) {}
      }.context
    }

    @Test func `the loop has been shut down: the box stays until the call has returned`() async throws {
      let log = Lock<[String]>([])
      try await onOwnThread {
        let loop = Loop()
        let context = Self.makeContext(log)
        callContext.withLock { $0 = UInt(bitPattern: context) }
        loop.shutdown()
        Lent.call(context, 0)
        Lent.call(context, 1)
        log.withLock { $0.append("returned") }
        Lent.call(context, 2)
      }
      await settle { log.withLock { $0.count } >= 4 }
      #expect(log.withLock { $0 } == ["call 0", "call 1", "returned", "released"])
    }

    @Test func `a queue is being shut down: the same`() async throws {
      let log = Lock<[String]>([])
      let queue = Queue(label: "closing")
      queue.async {
        let context = Self.makeContext(log)
        callContext.withLock { $0 = UInt(bitPattern: context) }
        if let timer = try? TimerHandle() {
          // The closure runs while the queue closes its handles.
          timer.onClosed {
            Lent.call(UnsafeMutableRawPointer(bitPattern: callContext.withLock { $0 }), 1)
            log.withLock { $0.append("returned") }
          }
        }
      }
      queue.shutdown()
      await settle { log.withLock { $0.count } >= 3 }
      #expect(log.withLock { $0 } == ["call 1", "returned", "released"])
    }

    @Test func `the thread has ended: given back, the box is released at once`() async throws {
      let log = Lock<[String]>([])
      let context = try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        return UInt(bitPattern: Self.makeContext(log))
      }
      Lent.giveBack(UnsafeMutableRawPointer(bitPattern: context))
      await settle { log.withLock { $0.count } >= 1 }
      #expect(log.withLock { $0 } == ["released"])
    }
  }
}

/// The context that another thread gives back. One variable suffices, because the tests run one after another.
private let callContext = Lock<UInt>(0)

private func giveBackOnThread(_ context: UInt) {
  let queue = Queue(label: "library")
  try? queue.sync { LentCallback<Int32, Void>.giveBack(UnsafeMutableRawPointer(bitPattern: context)) }
  queue.shutdown()
}

/// Runs a closure when it is deallocated.
private final class LoudWitness: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
