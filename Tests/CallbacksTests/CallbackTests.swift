import Callbacks
import Streams
import StreamsTesting
import Testing

@Suite("Callback boxes", .noLiveResources)
struct CallbackTests {
  final class Witness {}

  typealias Function = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void

  @Test("OnceCallback: C's reference keeps the box; the call releases it and what it captured")
  func once() {
    weak let released: Witness?
    var received: [Int32] = []
    let context: UnsafeMutableRawPointer
    do {
      let witness = Witness()
      released = witness
      context = OnceCallback<Int32> { value in
        _ = witness
        received.append(value)
      }.arm()
    }
    #expect(released != nil)
    let function: Function = { OnceCallback<Int32>.take($0)($1) }
    function(context, 42)
    #expect(received == [42])
    #expect(released == nil)
  }

  @Test("OnceCallback: disarm takes the reference back when the registration failed")
  func disarm() {
    weak let released: Witness?
    do {
      let witness = Witness()
      released = witness
      let callback = OnceCallback<Int32> { _ in _ = witness }
      _ = callback.arm()
      callback.disarm()
    }
    #expect(released == nil)
  }

  @Test("OnceCallback: a second call is dropped and reported")
  func twice() {
    var calls = 0
    let callback = OnceCallback<Void> { _ in calls += 1 }
    let reports = captureDiagnostics {
      callback(())
      callback(())
    }
    #expect(calls == 1)
    #expect(reports == ["A callback that comes once was called again, and the call dropped."])
  }

  @Test("RepeatingCallback: any number of calls of any arity, none after cancel, also when it cancels itself")
  func repeating() {
    var received: [String] = []
    let callback = RepeatingCallback<Int32, Bool, String> { received.append("\($0) \($1) \($2)") }
    let function: @convention(c) (UnsafeMutableRawPointer?, Int32, Bool) -> Void = {
      RepeatingCallback<Int32, Bool, String>.borrow($0)($1, $2, "x")
    }
    function(callback.context, 1, true)
    function(callback.context, 2, false)
    callback.cancel()
    function(callback.context, 3, true)
    #expect(received == ["1 true x", "2 false x"])

    var calls = 0
    var own: RepeatingCallback<Int32>?
    own = RepeatingCallback<Int32> { _ in
      calls += 1
      own?.cancel()
    }
    let one: Function = { RepeatingCallback<Int32>.borrow($0)($1) }
    one(own?.context, 1)
    one(own?.context, 2)
    #expect(calls == 1)
    own = nil
  }

  @Test("UntilClosed: the object lives from lend to take")
  func untilClosed() {
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

  @Test("A call without the context traps with the cure")
  func noContext() async {
    for _ in 0..<1 {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        OnceCallback<Int32>.take(nil)(1)
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("pass `arm()` as the context"))
    }
  }
}
