import Callbacks
import CallingC
import EventLoops
import Streams
import Synchronization

/// Callbacks on a thread of the C library, whose values a loop receives in order. The time is from the first call to
/// the last delivery.
enum ForeignThread {
  /// A bounded inlet that delivers in batches and drops the newest value if it is full. It has room for all values.
  static func inlet(_ total: Total) -> Side {
    Side(name: "ForeignCallback, Inlet(.dropNewest), loop") {
      { count in
        let inlet = Inlet<Int64>(capacity: count, whenFull: .dropNewest)
        let callback = ForeignCallback<Int64, Void> { inlet.send($0) }
        let subscription = inlet.stream.observeNext { value in
          total.value &+= value
          if value == Int64(count) - 1 { Loop.current.stop() }
        }
        run(count, callback.context) { ForeignCallback<Int64, Void>.call($0, $1) }
        subscription.dispose()
        precondition(inlet.dropped == 0, "The inlet has room for all.")
      }
    }
  }

  /// The code that one would write by hand: an array that a mutex protects, and a wake-up when it was empty.
  static func byHand(_ total: Total) -> Side {
    Side(name: "by hand: Unmanaged, Mutex, Queue.async") {
      { count in
        // Only the loop's thread uses it.
        nonisolated(unsafe) let total = total
        let buffer = HandWrittenBuffer(Queue.current!) { values in
          for value in values { total.value &+= value }
          if values.last == Int64(count) - 1 { Loop.current.stop() }
        }
        let context = Unmanaged.passRetained(buffer).toOpaque()
        run(count, context) { Unmanaged<HandWrittenBuffer>.fromOpaque($0!).takeUnretainedValue().add($1) }
        Unmanaged<HandWrittenBuffer>.fromOpaque(context).release()
      }
    }
  }

  private static func run(_ count: Int, _ context: UnsafeMutableRawPointer, _ function: calling_function) {
    // Keeps the loop running until it is stopped.
    let keeper = try! TimerHandle()
    keeper.start(after: .seconds(600)) { Loop.current.stop() }
    calling_start(function, context, Int64(count))
    Loop.current.run()
    calling_join()
    keeper.dispose()
  }
}

private final class HandWrittenBuffer: Sendable {
  private let values = Mutex<[Int64]>([])
  private let queue: Queue
  private let deliver: @Sendable ([Int64]) -> Void

  init(_ queue: Queue, _ deliver: @escaping @Sendable ([Int64]) -> Void) {
    self.queue = queue
    self.deliver = deliver
  }

  func add(_ value: Int64) {
    let isFirst = values.withLock { values in
      values.append(value)
      return values.count == 1
    }
    if isFirst { queue.async { [self] in drain() } }
  }

  private func drain() {
    deliver(
      values.withLock { values in
        let batch = values
        values = []
        return batch
      })
  }
}
