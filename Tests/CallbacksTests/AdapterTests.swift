import Callbacks
import Streams
import StreamsTesting
import Testing

extension CallbacksTests {
  @Suite("The adapters", .noLiveResources)
  struct AdapterTests {
    typealias Function = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void

    @Test func `OnceCallback: C's reference keeps the box; the call releases it and what it captured`() {
      weak let released: Witness?
      var received: [Int32] = []
      let context: UnsafeMutableRawPointer
      do {
        let witness = Witness()
        released = witness
        context =
          OnceCallback<Int32, Void> { value in
            _ = witness
            received.append(value)
          }.context
      }
      #expect(released != nil)
      let function: Function = { OnceCallback<Int32, Void>.call($0, $1) }
      function(context, 42)
      #expect(received == [42])
      #expect(released == nil)
    }

    @Test func `OnceCallback: disarm takes the box back when the registration failed, and knows whether it was there`()
    {
      weak let released: Witness?
      do {
        let witness = Witness()
        released = witness
        let callback = OnceCallback<Int32, Void> { _ in _ = witness }
        _ = callback.context
        #expect(!callback.isEnded)
        #expect(callback.disarm())
        #expect(callback.isEnded)
        #expect(!callback.disarm())
      }
      #expect(released == nil)
    }

    @Test func `a box whose context nobody has asked for goes with its adapter`() {
      weak let released: Witness?
      do {
        let witness = Witness()
        released = witness
        _ = OnceCallback<Void> { _ = witness }
        _ = LentCallback<Void> { _ = witness }
        _ = RepeatingCallback<Void> { _ = witness }
        _ = CallbackTable(witness)
      }
      #expect(released == nil)
    }

    @Test func `RepeatingCallback: any number of calls, none after cancel, also when it cancels itself`() {
      var received: [String] = []
      let callback = RepeatingCallback<Int32, Bool, String, Void> { received.append("\($0) \($1) \($2)") }
      let function: @convention(c) (UnsafeMutableRawPointer?, Int32, Bool) -> Void = {
        RepeatingCallback<Int32, Bool, String, Void>.call($0, $1, $2, "x")
      }
      let before = DroppedCalls.soFar
      function(callback.context, 1, true)
      function(callback.context, 2, false)
      callback.cancel()
      function(callback.context, 3, true)
      #expect(received == ["1 true x", "2 false x"])

      weak let released: Witness?
      var calls = 0
      do {
        let witness = Witness()
        released = witness
        var own: RepeatingCallback<Int32, Void>?
        own = RepeatingCallback<Int32, Void> { _ in
          calls += 1
          own?.cancel()
          withExtendedLifetime(witness) {}
        }
        let one: Function = { RepeatingCallback<Int32, Void>.call($0, $1) }
        one(own?.context, 1)
        one(own?.context, 2)
        own = nil
      }
      #expect(calls == 1)
      #expect(released == nil)
      #expect((DroppedCalls.soFar - before).late == 2)
    }

    @Test func `answers come back through every adapter, of every arity from none to six`() {
      let none = RepeatingCallback<Int32> { 7 }
      #expect(RepeatingCallback<Int32>.call(none.context, otherwise: 0) == 7)
      let one = LentCallback<Int32, Int32> { $0 + 1 }
      #expect(LentCallback<Int32, Int32>.call(one.context, 1, isLast: true, otherwise: 0) == 2)
      #expect(LentCallback<Int32, Int32>.call(one.context, 1, otherwise: -1) == -1)
      let two = ForeignCallback<Int32, Int32, Bool> { $0 < $1 }
      #expect(ForeignCallback<Int32, Int32, Bool>.call(two.context, 1, 2, otherwise: false))
      let three = OnceCallback<Int32, Int32, Int32, Int32> { $0 + $1 + $2 }
      #expect(OnceCallback<Int32, Int32, Int32, Int32>.call(three.context, 1, 2, 3, otherwise: 0) == 6)
      let four = RepeatingCallback<Int32, Int32, Int32, Int32, String> { "\($0)\($1)\($2)\($3)" }
      typealias Four = RepeatingCallback<Int32, Int32, Int32, Int32, String>
      #expect(Four.call(four.context, 1, 2, 3, 4, otherwise: "") == "1234")
      let five = ProcessCallback<Int32, Int32, Int32, Int32, Int32, Int32> { a, b, c, d, e in a + b + c + d + e }
      typealias Five = ProcessCallback<Int32, Int32, Int32, Int32, Int32, Int32>
      #expect(Five.call(five.context, 1, 2, 3, 4, 5, otherwise: 0) == 15)
      typealias Six = ScopedCallback<Int32, Int32, Int32, Int32, Int32, Int32, String>
      let text = Six.with({ "\($0)\($1)\($2)\($3)\($4)\($5)" }) { Six.call($0, 1, 2, 3, 4, 5, 6, otherwise: "") }
      #expect(text == "123456")
    }

    @Test func `a foreign callback that is lent lives until C gives it back, whatever becomes of the object`() {
      weak let released: Witness?
      let context: UnsafeMutableRawPointer
      do {
        let witness = Witness()
        released = witness
        let callback = ForeignCallback<Int32, Int32> { [witness] value in withExtendedLifetime(witness) { value + 1 } }
        context = callback.lend()
        callback.didUnregister()
        #expect(!callback.isEnded)
      }
      #expect(released != nil)
      #expect(ForeignCallback<Int32, Int32>.call(context, 1, otherwise: 0) == 2)
      ForeignCallback<Int32, Int32>.giveBack(context)
      #expect(released == nil)
      #expect(ForeignCallback<Int32, Int32>.call(context, 1, otherwise: -1) == -1)
    }

    @Test func `UntilClosed: the object lives from lend to take`() {
      weak let released: Witness?
      let context: UnsafeMutableRawPointer
      do {
        let witness = Witness()
        released = witness
        context = UntilClosed<Witness>.lend(witness)
      }
      #expect(UntilClosed<Witness>.borrow(context) === released)
      #expect(released != nil)
      do { _ = UntilClosed<Witness>.take(context) }
      #expect(released == nil)
    }

    @Test func `a call without the context is counted, reported, and dropped; C gets its answer`() {
      struct Unique {}
      let before = DroppedCalls.soFar
      var answers: [Int32] = []
      let reports = captureDiagnostics {
        OnceCallback<Unique, Void>.call(nil, Unique())
        RepeatingCallback<Unique, Void>.call(nil, Unique())
        answers = [
          LentCallback<Unique, Int32>.call(nil, Unique(), otherwise: -1),
          ForeignCallback<Unique, Int32>.call(nil, Unique(), otherwise: -2),
          CallbackTable<Witness>.with(nil, otherwise: -3) { _ in 0 },
        ]
      }
      #expect(answers == [-1, -2, -3])
      #expect(DroppedCalls.soFar - before == DroppedCalls(withoutContext: 5))
      #expect(reports.first?.contains("Pass the callback's `context` with the registration") == true, "\(reports)")
    }

    @Test func `a C closure that names other types than the box has traps, in release builds, too`() async {
      let repeating = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let callback = RepeatingCallback<Int64, Void> { _ in }
        RepeatingCallback<Int32, Void>.call(callback.context, 1)
      }
      let once = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        OnceCallback<Int32, Void>.call(OnceCallback<Int64, Void> { _ in }.context, 1)
      }
      let table = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let table = CallbackTable(Witness())
        CallbackTable<[Int]>.with(table.context) { print($0.count) }
      }
      for result in [repeating, once, table] {
        expect(result, says: "Write the same types where the callback is made and in the closure")
      }
    }

    @Test func `the report of a late call says that nothing held the adapter, if that is the cause`() {
      struct Unique {}
      struct Other {}
      let reports = captureDiagnostics {
        let context = RepeatingCallback<Unique, Void> { _ in }.context
        RepeatingCallback<Unique, Void>.call(context, Unique())
        let cancelled = RepeatingCallback<Other, Void> { _ in }
        cancelled.cancel()
        RepeatingCallback<Other, Void>.call(cancelled.context, Other())
      }
      #expect(reports.count == 2)
      #expect(reports.first?.contains("nothing held the adapter") == true, "\(reports)")
      #expect(reports.last?.contains("nothing held the adapter") == false, "\(reports)")
    }

    @Test func `what register captured is retained while it is registered`() {
      weak let library: Witness?
      var context: UnsafeMutableRawPointer?
      var elements: [Int32] = []
      let subscription: Subscription
      do {
        let client = Witness()
        library = client
        subscription = Operation<Int32, Never>.registering { observer in
          RepeatingCallback<Int32, Void> { observer.next($0) }
        } register: { callback in
          context = callback.context
          withExtendedLifetime(client) {}
        } unregister: { _ in
        }.observeNext { elements.append($0) }
      }
      #expect(library != nil)
      RepeatingCallback<Int32, Void>.call(context, 1)
      #expect(elements == [1])
      subscription.dispose()
      #expect(library == nil)
    }
  }
}
