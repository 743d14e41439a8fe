import Callbacks
import Delegates
import HostileC
import Streams
import StreamsTesting
import Testing

extension CallbacksTests {
  /// Contexts, results, and arguments of every kind.
  @Suite("Shapes", .noLiveResources)
  struct ShapeTests {
    @Test func `C5: several contexts in one call; the second time all of them are dropped`() {
      typealias Waiter = OnceCallback<Void>
      let before = DroppedCalls.soFar
      var woken: [Int] = []
      var contexts: [UnsafeMutableRawPointer?] = (0..<3).map { number in Waiter { woken.append(number) }.context }
      hostile_unlock(
        { contexts, count in UnsafeBufferPointer(start: contexts, count: Int(count)).forEach { Waiter.call($0) } },
        &contexts, 3)
      #expect(woken == [0, 1, 2])
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 3))
    }

    /// A source of bytes for C to read.
    final class Source {
      var bytes: ArraySlice<UInt8>
      var ends = 0

      init(_ bytes: [UInt8]) { self.bytes = bytes[...] }
    }

    @Test
    func `C6: a table of functions shares one object; closing gives it back, and reading afterwards gets the answer`() {
      typealias Table = CallbackTable<Source>
      let before = DroppedCalls.soFar
      weak let released: Source?
      var ends = 0
      var buffer = [UInt8](repeating: 0, count: 10)
      let count: Int
      do {
        let source = Source([1, 2, 3, 4, 5])
        released = source
        var functions = hostile_table(
          read: { context, buffer, size in
            Table.with(context, otherwise: -1) { source in
              UnsafeMutableRawBufferPointer(start: buffer, count: min(2, size)).fill(from: &source.bytes)
            }
          },
          close: { context in
            Table.giveBack(context)
            return 0
          })
        count = hostile_read_all(&functions, Table(source, onEnd: { ends += 1 }).lend(), &buffer, 10)
      }
      #expect(count == 5)
      #expect(buffer.prefix(6) == [1, 2, 3, 4, 5, 0])
      #expect(ends == 1)
      #expect(released == nil)
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 1))
    }

    @Test func `C6: a table that is mine ends with me`() {
      let before = DroppedCalls.soFar
      var context: UnsafeMutableRawPointer?
      do {
        let table = CallbackTable(Source([1]))
        context = table.context
        #expect(CallbackTable<Source>.with(context, otherwise: 0) { $0.bytes.count } == 1)
      }
      CallbackTable<Source>.with(context) { _ in Issue.record("called") }
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 1))
    }

    /// Line handlers for a library without user data.
    enum Lines {
      typealias Handler = @convention(c) (UnsafeMutablePointer<CChar>?) -> Void
      typealias Callback = LentCallback<String?, Void>
      static let pool: CallbackPool<Handler> = CallbackPool([
        { Callback.call(pool[0], String(taking: $0), isLast: $0 == nil) },
        { Callback.call(pool[1], String(taking: $0), isLast: $0 == nil) },
      ])
    }

    @Test
    func `C7: a pool of functions, each with its own context; one too many is a typed error; V3: the lines are freed`()
      throws
    {
      let before = DroppedCalls.soFar
      var lines: [String?] = []
      let one = Lines.Callback { lines.append($0.map { "one: \($0)" }) }
      let two = Lines.Callback { lines.append($0.map { "two: \($0)" }) }
      let first = try Lines.pool.claim(one.context)
      let second = try Lines.pool.claim(two.context)
      #expect(Lines.pool.available == 0)
      #expect(throws: CallbackPoolExhausted(capacity: 2)) { try Lines.pool.claim(one.context) }
      hostile_install(first.function)
      hostile_line("a")
      hostile_install(second.function)
      hostile_line("b")
      hostile_stale_line("c")
      #expect(lines == ["one: a", "two: b", "one: c"])
      // E5: NULL is the last line of each handler.
      hostile_line(nil)
      hostile_line("late")
      hostile_stale_line(nil)
      #expect(lines.count == 5)
      first.release()
      first.release()
      #expect(Lines.pool.available == 1)
      hostile_stale_line("released")
      hostile_install(nil)
      second.release()
      #expect(Lines.pool.available == 2)
      #expect(DroppedCalls.soFar - before == DroppedCalls(late: 2))
    }

    @Test func `C7: the next owner of a function gets its calls, a claim that is let go of is released`() throws {
      var lines: [String?] = []
      for name in ["x", "y"] {
        let callback = Lines.Callback { lines.append($0.map { "\(name): \($0)" }) }
        let claim = try Lines.pool.claim(callback.context)
        hostile_install(claim.function)
        hostile_line("line")
        hostile_line(nil)
        hostile_install(nil)
      }
      #expect(lines == ["x: line", nil, "y: line", nil])
      #expect(Lines.pool.available == 2)
    }

    @Test func `a context that a pool does not have traps`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Lines.pool[2]
      }
      expect(result, says: "This callback pool has 2 functions, and none at 2.")
    }

    @Test func `R1: a handler answers, streams observe; without a handler the default answers`() throws {
      typealias Question = RepeatingCallback<Int32, Int32>
      let mayCommit = InterceptedMethod<Bool, Int32>()
      let callback = Question { value in mayCommit.intercept(value) { true } ? 0 : 1 }
      let ask = { (value: Int32) in hostile_ask({ Question.call($0, $1, otherwise: -1) }, callback.context, value) }
      let recorder = mayCommit.stream.record()
      #expect(ask(1) == 0)
      let answer = try mayCommit.answer { $0 < 10 }
      #expect(mayCommit.hasHandler)
      #expect(ask(2) == 0)
      #expect(ask(10) == 1)
      let occupied = #expect(throws: SlotOccupied.self) { try mayCommit.answer { _ in true } }
      #expect(occupied?.description.hasPrefix("This slot has a handler already.") == true)
      let stricter = mayCommit.replaceAnswer { _ in false }
      answer.dispose()
      #expect(ask(3) == 1)
      stricter.dispose()
      #expect(!mayCommit.hasHandler)
      #expect(ask(4) == 0)
      #expect(recorder.elements == [1, 2, 10, 3, 4])
      callback.cancel()
      #expect(ask(5) == -1)
    }

    @Test func `a slot of several arguments tells them as a tuple; a handler may dispose of itself; it is let go of`()
      throws
    {
      weak let released: Witness?
      let slot = InterceptedMethod<Int32, Int32, String>()
      let ask = { (number: Int32, text: String) in slot.intercept((number, text)) { number * Int32(text.count) } }
      var calls: [String] = []
      let subscription = slot.stream.observeNext { number, text in calls.append("\(number)\(text)") }
      do {
        let witness = Witness()
        released = witness
        let place = SerialDisposable()
        place.inner = try slot.answer { number, _ in
          place.dispose()
          return withExtendedLifetime(witness) { -number }
        }
      }
      #expect(ask(2, "abc") == -2)
      #expect(released == nil)
      #expect(ask(2, "abc") == 6)
      #expect(calls == ["2abc", "2abc"])
      subscription.dispose()
    }

    @Test func `R2, M5: the answer decides how often it is called; a dropped call says stop`() {
      typealias Busy = RepeatingCallback<Int32, Int32>
      let callback = Busy { $0 < 4 ? 1 : 0 }
      #expect(hostile_ask_until_no({ Busy.call($0, $1, otherwise: 0) }, callback.context, 100) == 5)
      let impatient = Busy { attempt in
        if attempt == 2 { callback.cancel() }
        return Busy.call(callback.context, attempt, otherwise: 0)
      }
      #expect(hostile_ask_until_no({ Busy.call($0, $1, otherwise: 0) }, impatient.context, 100) == 3)
    }

    @Test func `R4: strings that C takes over and frees`() {
      typealias Completion = ScopedCallback<String, UnsafeMutablePointer<CChar>?>
      let length = Completion.with({ ($0 + "ding").mallocedCopy() }) { context in
        hostile_complete({ Completion.call($0, String(cString: $1!), otherwise: nil) }, context, "wee")
      }
      #expect(length == 7)
      typealias Completions = ScopedCallback<String, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
      let total = Completions.with({ text in ["ding", "ping", "é"].map { text + $0 }.mallocedCopies() }) { context in
        hostile_complete_all({ Completions.call($0, String(cString: $1!), otherwise: nil) }, context, "a")
      }
      #expect(total == 5 + 5 + 3)
    }

    @Test func `R5: a handler fills C's buffer, as much as has room`() {
      typealias Feed = ScopedCallback<UnsafeMutableRawBufferPointer, Int>
      func drain(_ bytes: inout ArraySlice<UInt8>) -> Int64 {
        Feed.with({ $0.fill(from: &bytes) }) { context in
          hostile_drain({ Feed.call($0, .init(start: $1, count: $2), otherwise: 0) }, context)
        }
      }
      var bytes = [UInt8](1...100)[...]
      #expect(drain(&bytes) == 5050)
      #expect(bytes.isEmpty)
    }

    @Test func `V3: memory that is mine is freed once, also where the call is dropped`() {
      typealias Callback = RepeatingCallback<TakenPointer<Int32>, Void>
      var freed = 0
      var received: [Int32] = []
      func call(_ context: UnsafeMutableRawPointer, _ value: Int32) {
        let memory = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        memory.initialize(to: value)
        Callback.call(
          context,
          TakenPointer(memory) {
            $0.deallocate()
            freed += 1
          })
      }
      let callback = Callback { received.append($0.pointee) }
      call(callback.context, 1)
      callback.cancel()
      call(callback.context, 2)
      #expect(received == [1])
      #expect(freed == 2)
    }

    @Test func `V5: a variadic callback is a function of fixed arity behind a shim that formats`() {
      typealias Log = ScopedCallback<String, Void>
      var lines: [String] = []
      Log.with({ lines.append($0) }) { context in
        hostile_work_formatted({ Log.call($0, String(cString: $1!)) }, context)
      }
      #expect(lines == ["working: 1 of 2", "100%"])
    }
  }
}
