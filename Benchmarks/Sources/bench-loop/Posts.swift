import Dispatch
import EventLoops
import Glibc
import NIOCore
import NIOPosix
import Streams

let postCount = 2_000_000

/// Jobs that are posted to a loop. The figures are nanoseconds per job, from the first post to the end of the last job.
enum Posts {
  /// Posts the same closure again and again from another thread.
  static func readyMade() -> Double {
    onQueue { queue, done in
      let box = Box()
      let job: @Sendable () -> Void = { box.add(1) }
      return {
        for _ in 0..<postCount { queue.async(job) }
        queue.async { done.signal() }
      }
    }
  }

  /// Posts a closure with its own captures each time, from another thread.
  static func capturing() -> Double {
    onQueue { queue, done in
      let box = Box()
      return {
        for number in 0..<postCount { queue.async { box.add(number) } }
        queue.async { done.signal() }
      }
    }
  }

  /// Posts from the loop's own thread, in batches of 1,000, because larger batches would measure the memory.
  static func own() -> Double {
    onQueue { queue, done in
      return {
        queue.async {
          let box = Box()
          let job: @Sendable () -> Void = { box.add(1) }
          @Sendable func batch(_ left: Int) {
            if left == 0 { done.signal(); return }
            for _ in 0..<999 { queue.async(job) }
            queue.async { batch(left - 1000) }
          }
          batch(postCount)
        }
      }
    }
  }

  private static func onQueue(_ prepare: (Queue, DispatchSemaphore) -> () -> Void) -> Double {
    let queue = Queue(label: "posts")
    let done = DispatchSemaphore(value: 0)
    let post = prepare(queue, done)
    try! queue.sync {}
    let taken = ContinuousClock().measure {
      post()
      done.wait()
    }
    queue.shutdown()
    return taken / .nanoseconds(1) / Double(postCount)
  }

  // MARK: SwiftNIO

  static func readyMadeNIO() -> Double {
    onEventLoop { loop, done in
      let box = Box()
      let job: @Sendable () -> Void = { box.add(1) }
      return {
        for _ in 0..<postCount { loop.execute(job) }
        loop.execute { done.signal() }
      }
    }
  }

  static func capturingNIO() -> Double {
    onEventLoop { loop, done in
      let box = Box()
      return {
        for number in 0..<postCount { loop.execute { box.add(number) } }
        loop.execute { done.signal() }
      }
    }
  }

  static func ownNIO() -> Double {
    onEventLoop { loop, done in
      return {
        loop.execute {
          let box = Box()
          let job: @Sendable () -> Void = { box.add(1) }
          @Sendable func batch(_ left: Int) {
            if left == 0 { done.signal(); return }
            for _ in 0..<999 { loop.execute(job) }
            loop.execute { batch(left - 1000) }
          }
          batch(postCount)
        }
      }
    }
  }

  private static func onEventLoop(_ prepare: (any EventLoop, DispatchSemaphore) -> () -> Void) -> Double {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let done = DispatchSemaphore(value: 0)
    let post = prepare(loop, done)
    try! loop.submit {}.wait()
    let taken = ContinuousClock().measure {
      post()
      done.wait()
    }
    try! group.syncShutdownGracefully()
    return taken / .nanoseconds(1) / Double(postCount)
  }
}

/// The sum to which jobs on a loop add.
final class Box: @unchecked Sendable {
  // Sendable, because only the loop's thread uses it.
  private var value = 0

  @inline(never) func add(_ number: Int) { value &+= number }
}
