import Callbacks
import EventLoops
import HostileC
import StreamsTesting
import Testing

extension CallbacksTests {
  /// Each end of life, with a library that keeps its contract and with one that breaks it.
  @Suite("Ends of life", .noLiveResources)
  struct EndOfLifeTests {
    typealias Once = OnceCallback<Int32, Void>
    typealias Lent = LentCallback<Int32, Void>
    typealias Mine = RepeatingCallback<Int32, Void>

    @Test func `E1: a second call of what comes once is dropped and counted, also when two threads call at once`() {
      let before = DroppedCalls.soFar
      var calls = 0
      hostile_call_twice({ Once.call($0, $1) }, Once { _ in calls += 1 }.context, 1)
      #expect(calls == 1)
      for _ in 0..<100 { hostile_call_twice_at_once({ Once.call($0, $1) }, Once { _ in calls += 1 }.context) }
      #expect(calls == 101)
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 101))
    }

    @Test func `E1: a one-shot may come on another thread, and it may start the next one`() {
      var values: [Int32] = []
      func request(_ value: Int32) {
        let callback = Once { value in
          values.append(value)
          if value < 3 { request(value + 1) }
        }
        hostile_call_on_thread({ Once.call($0, $1) }, callback.context, value)
      }
      request(1)
      #expect(values == [1, 2, 3])
    }

    @Test func `E2: the destroy notify ends it once, however often it comes, and tells`() {
      weak let released: Witness?
      let before = DroppedCalls.soFar
      var values: [Int32] = []
      var ends = 0
      let object = hostile_new()
      do {
        let witness = Witness()
        released = witness
        let callback = Lent({ [witness] in values.append(witness === witness ? $0 : 0) }, onEnd: { ends += 1 })
        hostile_set(object, { Lent.call($0, $1) }, callback.context, { Lent.giveBack($0) })
      }
      hostile_fire(object, 1)
      #expect(released != nil, "C has the only reference")
      hostile_destroy_twice_and_fire(object)
      #expect(released == nil)
      hostile_free(object)
      #expect(values == [1])
      #expect(ends == 1)
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 1))
    }

    @Test func `E2: another registration destroys the one before, also from inside of its call`() {
      var values: [Int32] = []
      weak let released: Witness?
      let object = hostile_new()
      do {
        let witness = Witness()
        released = witness
        let first = Lent { value in
          let second = Lent { values.append($0 * 10) }
          hostile_set(object, { Lent.call($0, $1) }, second.context, { Lent.giveBack($0) })
          // The context has been given back, but the box remains because its call is in progress.
          withExtendedLifetime(witness) { values.append(value) }
        }
        hostile_set(object, { Lent.call($0, $1) }, first.context, { Lent.giveBack($0) })
      }
      hostile_fire(object, 1)
      #expect(released == nil)
      hostile_fire(object, 2)
      hostile_fire_stale(object, 3)
      hostile_free(object)
      #expect(values == [1, 20])
    }

    @Test func `E4: the context that the next registration returns is given back`() {
      let before = DroppedCalls.soFar
      var values: [Int32] = []
      let object = hostile_new()
      for factor: Int32 in [1, 10, 100] {
        let callback = Lent { values.append($0 * factor) }
        Lent.giveBack(hostile_replace(object, { Lent.call($0, $1) }, callback.context))
        hostile_fire(object, factor)
        hostile_fire_stale(object, -1)
      }
      Lent.giveBack(hostile_replace(object, nil, nil))
      hostile_fire(object, -1)
      hostile_fire_stale(object, -1)
      hostile_free(object)
      #expect(values == [1, 100, 10000])
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 3))
    }

    @Test func `E4: replacing while a call is in flight lets that call end, then frees its box`() {
      weak let released: Witness?
      var values: [Int32] = []
      let object = hostile_new()
      do {
        let witness = Witness()
        released = witness
        let callback = Lent { value in
          Lent.giveBack(hostile_replace(object, nil, nil))
          withExtendedLifetime(witness) { values.append(value) }
        }
        #expect(hostile_replace(object, { Lent.call($0, $1) }, callback.context) == nil)
      }
      hostile_fire(object, 7)
      #expect(values == [7])
      #expect(released == nil)
      hostile_free(object)
    }

    @Test func `E6: a callback that another one replaces in a place ends, also inside of its call`() {
      let before = DroppedCalls.soFar
      var log: [String] = []
      let place = CallbackPlace()
      let second = Mine({ log.append("second \($0)") }, onEnd: { log.append("second has ended") })
      let first = Mine(
        {
          log.append("first \($0)")
          place.claim(second.context)
          log.append("replaced")
        }, onEnd: { log.append("first has ended") })
      place.claim(first.context)
      place.claim(first.context)
      for value: Int32 in 1...2 { Mine.call(place.context, value) }
      Mine.call(first.context, 3)
      #expect(log == ["first 1", "replaced", "first has ended", "second 2"])
      #expect(first.isEnded && !place.release(first.context) && place.release(second.context))
      #expect(!second.isEnded && place.context == nil)
      second.cancel()
      #expect(log.count == 4, "the end of what is canceled is known: \(log)")
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 1))
    }

    @Test func `E5: the terminal call ends it; the closure sees that, and what comes later is dropped`() {
      typealias Reader = LentCallback<Int32?, Void>
      let before = DroppedCalls.soFar
      var values: [Int32?] = []
      var isEnded: [Bool] = []
      var callback: Reader?
      callback = Reader { value in
        values.append(value)
        isEnded.append(callback?.isEnded ?? false)
      }
      let function: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = {
        Reader.call($0, $1 < 0 ? nil : $1, isLast: $1 < 0)
      }
      for value: Int32 in [1, 2, -1, 3] { hostile_call(function, callback?.context, value) }
      #expect(values == [1, 2, nil])
      #expect(isEnded == [false, false, true])
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 1))
      callback = nil
    }

    @Test func `E6: what comes after the unregistration is dropped, on the same thread and on others`() async throws {
      let before = DroppedCalls.soFar
      try await onLoop {
        var values: [Int32] = []
        let object = hostile_new()
        let callback = Mine { values.append($0) }
        _ = hostile_replace(object, { Mine.call($0, $1) }, callback.context)
        hostile_fire(object, 1)
        _ = hostile_replace(object, nil, nil)
        callback.cancel()
        hostile_fire_stale(object, 2)
        hostile_call_on_thread({ Mine.call($0, $1) }, callback.context, 3)
        hostile_free(object)
        #expect(values == [1])
      }
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 2))
    }

    @Test func `E6: cancelled from inside of a nested call, the box stays until the outermost has returned`()
      async throws
    {
      let before = DroppedCalls.soFar
      try await onLoop { try nest() }
      try nest()
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 2))
    }

    private func nest() throws {
      weak let released: Witness?
      var log: [Int32] = []
      do {
        let witness = Witness()
        released = witness
        var callback: Mine?
        callback = Mine { value in
          log.append(value)
          if value == 2 { callback?.cancel() }
          if value < 3 { hostile_call({ Mine.call($0, $1) }, callback?.context, value + 1) }
          withExtendedLifetime(witness) { log.append(-value) }
        }
        hostile_call({ Mine.call($0, $1) }, callback?.context, 1)
        callback = nil
      }
      #expect(log == [1, 2, -2, -1], "the call within the call that cancelled is dropped")
      #expect(released == nil)
    }

    @Test func `E8: a scoped callback answers while the C function runs, and not on other threads nor afterwards`() {
      typealias Comparator = ScopedCallback<Int32, Int32, Int32>
      let before = DroppedCalls.soFar
      var values: [Int32] = [3, 1, 2, 5, 4]
      func sort(_ comparisons: inout Int) {
        Comparator.with({
          comparisons += 1
          return $0 - $1
        }) { context in
          hostile_sort(
            &values, values.count, { Comparator.call($0, $1!.pointee, $2!.pointee, otherwise: 0) }, context)
          let answer = hostile_ask_on_thread({ Comparator.call($0, $1, 0, otherwise: -1) }, context, 5)
          #expect(answer == -1)
        }
      }
      var comparisons = 0
      sort(&comparisons)
      #expect(values == [1, 2, 3, 4, 5])
      #expect(comparisons > 4)
      #expect(hostile_compare_late() == 0)
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 1, foreignThread: 1))
    }

    @Test func `E8: what the body throws comes through, and the callback has ended`() {
      typealias Question = ScopedCallback<Int32, Int32>
      var context: UnsafeMutableRawPointer?
      #expect(throws: TestError("stop")) {
        try Question.with({ $0 }) { pointer throws(TestError) in
          context = pointer
          throw TestError("stop")
        }
      }
      #expect(Question.call(context, 1, otherwise: -1) == -1)
    }

    @Test func `E9: a callback for the process answers on every thread and is no live resource`() {
      typealias Question = ProcessCallback<Int32, Int32>
      let context = Question { $0 * 2 }.context
      #expect(hostile_ask({ Question.call($0, $1, otherwise: 0) }, context, 4) == 8)
      #expect(hostile_ask_on_thread({ Question.call($0, $1, otherwise: 0) }, context, 5) == 10)
    }

    @Test(arguments: [false, true])
    func `F1, F2: a registration that fails after having called back frees the box once`(_ destroys: Bool) {
      let before = DroppedCalls.soFar
      weak let released: Witness?
      var values: [Int32] = []
      var ends = 0
      let object = hostile_new()
      do {
        let witness = Witness()
        released = witness
        let callback = Lent({ [witness] in values.append(witness === witness ? $0 : 0) }, onEnd: { ends += 1 })
        let status = hostile_set_fails(
          object, { Lent.call($0, $1) }, callback.context, { Lent.giveBack($0) }, 2, destroys)
        #expect(status == -1)
        #expect(callback.disarm() == !destroys, "tells whether there was something left to take back")
      }
      #expect(released == nil)
      hostile_fire_stale(object, 9)
      hostile_free(object)
      #expect(values == [0, 1])
      #expect(ends == (destroys ? 1 : 0))
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 1))
    }
  }
}
