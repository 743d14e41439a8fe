import Dispatch
import EventLoops
import Glibc
import NIOCore
import NIOPosix
import Streams

/// The sum of the callbacks. It is a class, so that the work cannot be optimized away.
final class Total {
  var value = 0
}

let timerCount = 1_000_000

/// A million timeouts. The figures are processor nanoseconds per timeout, including its scheduling and its end.
enum Timers {
  /// Fires timeouts within a second, each with its own closure.
  static func fire() -> Double {
    onLoop { loop in
      let total = Total()
      var generator = Generator()
      let before = Processor.process
      for number in 0..<timerCount {
        let delay = Duration.microseconds(generator.next(below: 1_000_000))
        _ = loop.scheduler.schedule(after: delay) { total.value &+= number }
      }
      loop.run()
      precondition(total.value == timerCount * (timerCount - 1) / 2)
      return (Processor.process - before) / Double(timerCount)
    }
  }

  /// Cancels timeouts of half a minute, each with its own closure.
  static func cancel() -> Double {
    onLoop { loop in
      let total = Total()
      var generator = Generator()
      var pending: [any Disposable] = []
      pending.reserveCapacity(timerCount)
      let before = Processor.process
      for number in 0..<timerCount {
        let delay = Duration.microseconds(30_000_000 + generator.next(below: 1_000_000))
        pending.append(loop.scheduler.schedule(after: delay) { total.value &+= number })
      }
      for timeout in pending { timeout.dispose() }
      let taken = Processor.process - before
      precondition(total.value == 0)
      return taken / Double(timerCount)
    }
  }

  /// Returns the bytes that the loop holds for each pending timeout. All timeouts share one closure.
  static func memory() -> Double {
    onLoop { loop in
      let total = Total()
      let action = { total.value += 1 }
      var generator = Generator()
      let before = residentBytes
      for _ in 0..<timerCount {
        _ = loop.scheduler.schedule(after: .microseconds(10_000_000 + generator.next(below: 50_000_000)), action)
      }
      return (residentBytes - before) / Double(timerCount)
    }
  }

  /// Restarts a debounce with each element.
  static func debounce() -> Double {
    onLoop { loop in
      let total = Total()
      let source = PushStream<Int>()
      let subscription = source.debounce(for: .seconds(10)).observeNext { total.value &+= $0 }
      source.next(0)
      let before = Processor.process
      for number in 0..<timerCount { source.next(number) }
      let taken = Processor.process - before
      subscription.dispose()
      return taken / Double(timerCount)
    }
  }

  private static func onLoop(_ body: (Loop) -> Double) -> Double {
    let loop = Loop.main
    let result = body(loop)
    loop.shutdown()
    return result
  }

  // MARK: SwiftNIO

  static func fireNIO() -> Double {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let before = Processor.process
    let done = DispatchSemaphore(value: 0)
    loop.execute {
      var generator = Generator()
      let total = NIOLoopBoundBox(0, eventLoop: loop)
      for number in 0..<timerCount {
        let delay = TimeAmount.microseconds(Int64(generator.next(below: 1_000_000)))
        loop.assumeIsolated().scheduleTask(in: delay) {
          total.value += 1
          if total.value == timerCount { done.signal() }
          _ = number
        }
      }
    }
    done.wait()
    return (Processor.process - before) / Double(timerCount)
  }

  static func cancelNIO() -> Double {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let before = Processor.process
    try! loop.submit {
      var generator = Generator()
      var pending: [Scheduled<Void>] = []
      pending.reserveCapacity(timerCount)
      for number in 0..<timerCount {
        let delay = TimeAmount.microseconds(30_000_000 + Int64(generator.next(below: 1_000_000)))
        pending.append(loop.assumeIsolated().scheduleTask(in: delay) { _ = number })
      }
      for timeout in pending { timeout.cancel() }
    }.wait()
    return (Processor.process - before) / Double(timerCount)
  }
}
