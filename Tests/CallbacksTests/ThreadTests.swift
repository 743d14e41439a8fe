import Callbacks
import EventLoops
import HostileC
import Streams
import StreamsTesting
import Synchronization
import Testing

extension CallbacksTests {
  /// Libraries that call from their own threads, correctly and incorrectly.
  @Suite("Threads", .noLiveResources)
  struct ThreadTests {
    typealias Mine = RepeatingCallback<Int32, Void>
    typealias Lent = LentCallback<Int32, Void>
    typealias Foreign = ForeignCallback<Int32, Void>

    @Test
    func `what belongs to a loop's thread is not called on another; C gets its answer and the first call is reported`()
      async throws
    {
      struct Value { let number: Int32 }
      typealias Question = RepeatingCallback<Value, Int32>
      let before = DroppedCalls.soFar
      let answers = try await onLoop {
        let callback = Question { $0.number * 2 }
        return [
          hostile_ask({ Question.call($0, Value(number: $1), otherwise: -1) }, callback.context, 4),
          hostile_ask_on_thread({ Question.call($0, Value(number: $1), otherwise: -1) }, callback.context, 4),
        ]
      }
      #expect(answers == [8, -1])
      #expect(DroppedCalls.soFar - before == DroppedCalls(foreignThread: 1))
    }

    @Test func `what belongs to no thread serves any, one at a time: a second one at once is dropped`() {
      let before = DroppedCalls.soFar
      var values: [Int32] = []
      var own: UnsafeMutableRawPointer?
      let callback = Mine { value in
        values.append(value)
        // Another thread calls while this thread is in the callback.
        if value == 1, let context = own { hostile_call_on_thread({ Mine.call($0, $1) }, context, 2) }
      }
      own = callback.context
      hostile_call({ Mine.call($0, $1) }, callback.context, 1)
      hostile_call_on_thread({ Mine.call($0, $1) }, callback.context, 3)
      #expect(values == [1, 3])
      #expect(DroppedCalls.soFar - before == DroppedCalls(simultaneous: 1))
    }

    @Test func `a dropped call is reported once for each kind of callback and reason`() {
      struct Unique {}
      let callback = RepeatingCallback<Unique, Void> { _ in }
      callback.cancel()
      let reports = captureDiagnostics {
        for _ in 0..<3 { RepeatingCallback<Unique, Void>.call(callback.context, Unique()) }
      }
      #expect(reports.count == 1)
      #expect(reports.first?.contains("that had ended, and the call was dropped") == true, "\(reports)")
      #expect(reports.first?.contains("Unique") == true)
    }

    @Test func `numbers that are no contexts are dropped, whatever they are`() {
      let before = DroppedCalls.soFar
      let callback = Mine { _ in Issue.record("called") }
      let real = UInt(bitPattern: callback.context)
      var numbers: [UInt] = [1, 2, 0xffff_ffff, 1 << 32, 1 << 63, .max, real + 1, real + 1 << 32, real ^ 1 << 31]
      var generator = SystemRandomNumberGenerator()
      numbers += (0..<1000).map { _ in generator.next() | 1 << 60 }
      for number in numbers {
        Mine.call(UnsafeMutableRawPointer(bitPattern: number), 0)
        LentCallback<Int32, Void>.giveBack(UnsafeMutableRawPointer(bitPattern: number))
      }
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: numbers.count))
      #expect(!callback.isEnded)
    }

    @Test func `an ended context stays ended when its place has a new box`() {
      let before = DroppedCalls.soFar
      var contexts: Set<UnsafeMutableRawPointer> = []
      for _ in 0..<10_000 {
        let callback = Mine { _ in }
        contexts.insert(callback.context)
      }
      let live = (0..<2000).map { _ in Mine { _ in Issue.record("a stale context has found another box") } }
      #expect(contexts.count == 10_000, "no context is given out twice")
      for context in contexts { Mine.call(context, 0) }
      withExtendedLifetime(live) {}
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 10_000))
    }

    @Test func `the last reference may go on another thread: the closure is released at home, and not during a call`()
      throws
    {
      final class Place {
        let onDeinit: (String?) -> Void
        init(_ onDeinit: @escaping (String?) -> Void) { self.onDeinit = onDeinit }
        deinit { onDeinit(Queue.current?.label) }
      }
      let queue = Queue(label: "home")
      let log = Lock<[String]>([])
      try queue.sync {
        let place = Place { label in log.withLock { $0.append("released: \(label ?? "nowhere")") } }
        var callback: Mine?
        callback = Mine { _ in
          // Another thread releases the handle while this call runs.
          let box = Handover(callback)
          callback = nil
          Queue(label: "other").runAndWait { box.release() }
          withExtendedLifetime(place) { log.withLock { $0.append("called") } }
        }
        hostile_call({ Mine.call($0, $1) }, callback?.context, 1)
      }
      try queue.sync {}
      #expect(log.withLock { $0 } == ["called", "released: home"])
      queue.shutdown()
    }

    @Test
    func `E7: cancelled while four threads are calling, 1,000 rounds: no call begins afterwards, the box goes once`()
      async throws
    {
      let before = DroppedCalls.soFar
      let rounds = self.rounds
      let late = try await onOwnThread {
        var late = 0
        for round in 0..<rounds {
          let calls = Atomic<Int>(0)
          weak let released: Witness?
          let extra: Int32 = 3
          var total: Int64 = 0
          do {
            let witness = Witness()
            released = witness
            let counter = Counter()
            let callback = Foreign { [witness] _ in withExtendedLifetime(witness) { counter.add() } }
            let storm = hostile_storm_start({ Foreign.call($0, $1) }, callback.context, 4, extra)
            hostile_storm_wait(storm, 1)
            if round % 2 == 0 { hostile_storm_unregister(storm) }
            callback.cancel()
            total = hostile_storm_join(storm)
            calls.store(counter.value, ordering: .relaxed)
          }
          #expect(released == nil)
          late += Int(total) - calls.load(ordering: .relaxed)
        }
        return late
      }
      #expect(late >= rounds * 3, "each thread goes on calling after the unregistration")
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: late))
    }

    @Test func `E7: given back and cancelled by several threads at once while others call, 1,000 rounds: it ends once`()
      async throws
    {
      let rounds = self.rounds
      let ends = try await onOwnThread {
        let ends = Counter()
        for _ in 0..<rounds {
          let callback = Foreign({ _ in }, onEnd: { ends.add() })
          let storm = hostile_storm_start({ Foreign.call($0, $1) }, callback.context, 2, 1)
          let killers = hostile_storm_start({ context, _ in Foreign.giveBack(context) }, callback.context, 2, 1)
          hostile_storm_wait(killers, 1)
          callback.cancel()
          _ = hostile_storm_join(killers)
          _ = hostile_storm_join(storm)
        }
        return ends.value
      }
      #expect(ends == rounds)
    }

    @Test func `what others end while it is called is not mistaken for the next box in its place, 1,000 rounds`()
      async throws
    {
      let rounds = self.rounds
      try await onLoop {
        for _ in 0..<rounds {
          var calls = 0
          let ends = Counter()
          let callbacks = (0..<4).map { _ in Foreign({ _ in }, onEnd: { ends.add() }) }
          let storms = callbacks.map { callback in
            hostile_storm_start(
              { context, _ in
                Foreign.call(context, 0)
                Foreign.giveBack(context)
              }, callback.context, 2, 1)
          }
          // The entries that become free meanwhile are used for boxes of this thread.
          let mine = (0..<20).map { _ in Mine { _ in calls += 1 } }
          for storm in storms { _ = hostile_storm_join(storm) }
          for callback in mine { Mine.call(callback.context, 0) }
          #expect(calls == mine.count)
          #expect(ends.value == callbacks.count)
        }
      }
    }

    @Test func `confined callbacks are made, called by strangers and ended, 1,000 rounds: no stranger gets in`()
      async throws
    {
      let rounds = self.rounds
      try await onLoop {
        var calls = 0
        for round in 0..<rounds {
          let callback = Mine { _ in calls += 1 }
          let storm = hostile_storm_start({ Mine.call($0, $1) }, callback.context, 2, 1)
          hostile_call({ Mine.call($0, $1) }, callback.context, 0)
          callback.cancel()
          _ = hostile_storm_join(storm)
          #expect(calls == round + 1)
        }
      }
    }

    @Test func `what serves one at a time is ended by its owner while strangers call, 1,000 rounds`() async throws {
      let rounds = self.rounds
      try await onOwnThread {
        for _ in 0..<rounds {
          weak let released: Witness?
          do {
            let witness = Witness()
            released = witness
            // Not Sendable: the calls change it one at a time.
            var count = 0
            let callback = Mine { _ in
              count += 1
              withExtendedLifetime(witness) {}
            }
            let storm = hostile_storm_start({ Mine.call($0, $1) }, callback.context, 2, 1)
            hostile_storm_wait(storm, 1)
            callback.cancel()
            _ = hostile_storm_join(storm)
          }
          #expect(released == nil)
        }
      }
    }

    private var rounds: Int { 1000 }
  }
}

/// Passes a reference to the thread that releases it.
private final class Handover: @unchecked Sendable {
  // Sendable, because one thread makes it, and the other empties it while the first waits.
  private var object: AnyObject?

  init(_ object: AnyObject?) { self.object = object }

  func release() { object = nil }
}

extension Queue {
  fileprivate func runAndWait(_ body: @escaping @Sendable () -> Void) {
    try! sync { body() }
    shutdown()
  }
}

private final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  func add() { count.add(1, ordering: .relaxed) }

  var value: Int { count.load(ordering: .relaxed) }
}
