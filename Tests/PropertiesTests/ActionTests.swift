import Properties
import Streams
import StreamsTesting
import Testing

/// `Action`: one input at a time.
@Suite("Action", .noLiveResources) struct ActionTests {
  private typealias Work = PushOperation<String, TestError>

  @MainActor @Test func `work whose source is deallocated has ended, and what observes it is released`() {
    var work: Work? = Work()
    final class Captured {}
    var captured: Captured? = Captured()
    weak let observed = captured
    let action = Action<Int, String, TestError> { [unowned work = work!] _ in work.toOperation() }
    do {
      let kept = captured
      _ = action.apply(1).observe { _ in _ = kept }
    }
    captured = nil
    #expect(action.isExecuting.value && observed != nil)
    work = nil
    #expect(!action.isExecuting.value && action.isEnabled.value && observed == nil)
  }

  @Test func `an application runs the work and tells everybody`() {
    let work = Work()
    var inputs: [Int] = []
    let action = Action<Int, String, TestError> { input in
      inputs.append(input)
      return work.toOperation()
    }
    let (values, errors, completed) = (action.values.record(), action.errors.record(), action.completed.record())
    let (executing, enabled) = (action.isExecuting.record(), action.isEnabled.record())
    let record = action.apply(7).record()
    #expect(inputs == [7])
    #expect(action.isExecuting.value)
    #expect(!action.isEnabled.value)
    work.next("a")
    work.completed()
    #expect(record.elements == ["a"])
    #expect(record.isCompleted)
    #expect(values.elements == ["a"])
    #expect(completed.elements.count == 1)
    #expect(errors.elements.isEmpty)
    #expect(executing.elements == [false, true, false])
    #expect(enabled.elements == [true, false, true])
  }

  @Test func `a failure that the action's own streams tell is not reported as unobserved`() {
    let reports = captureDiagnostics {
      let action = Action<Void, Int, TestError> { .failed("refused") }
      let errors = action.errors.record()
      action.apply().observeNext { _ in }.dispose()
      #expect(errors.elements == ["refused"])
    }
    #expect(reports == [])
    let silent = captureDiagnostics {
      Action<Void, Int, TestError> { .failed("refused") }.apply().observeNext { _ in }.dispose()
    }
    #expect(silent.count == 1)
  }

  @Test func `it does nothing until an application is observed, and runs once for each observer`() {
    var runs = 0
    let action = Action<Void, Int, Never> {
      runs += 1
      return .just(runs)
    }
    let application = action.apply()
    #expect(runs == 0)
    #expect(application.record().elements == [1])
    #expect(application.record().elements == [2])
  }

  @Test func `a second application while one runs fails as disabled`() {
    let work = Work()
    let action = Action<Int, String, TestError> { _ in work.toOperation() }
    let disabled = action.disabledErrors.record()
    let errors = action.errors.record()
    let first = action.apply(1).record()
    let second = action.apply(2).record()
    #expect(second.failure == .disabled)
    #expect(disabled.elements.count == 1)
    #expect(errors.elements.isEmpty)
    work.completed()
    #expect(first.isCompleted)
    #expect(action.isEnabled.value)
  }

  @Test func `a failure passes, shows in errors, and makes room`() {
    let work = Work()
    let action = Action<Int, String, TestError> { _ in work.toOperation() }
    let (errors, events) = (action.errors.record(), action.events.record())
    let record = action.apply(1).record()
    work.failed("broken")
    #expect(record.failure == .failed("broken"))
    #expect(errors.elements == ["broken"])
    #expect(events.elements == [.failed("broken")])
    #expect(!action.isExecuting.value)
  }

  @Test func `disposing of an application stops the work and makes room`() {
    let work = Work()
    let action = Action<Int, String, TestError> { _ in work.toOperation() }
    let record = action.apply(1).record()
    #expect(action.isExecuting.value)
    record.dispose()
    #expect(work.observerCount == 0)
    #expect(!action.isExecuting.value)
    #expect(action.isEnabled.value)
  }

  @Test func `executing ends before the observer hears of the end, so it may apply again`() {
    var works = [Work(), Work()]
    let (first, second) = (works[0], works[1])
    let action = Action<Int, String, TestError> { _ in works.removeFirst().toOperation() }
    var again: Recorder<String, ActionError<TestError>>?
    let subscription = action.apply(1).observeCompleted { again = action.apply(2).record() }
    first.completed()
    second.next("b")
    #expect(again?.elements == ["b"])
    second.completed()
    subscription.dispose()
    again = nil
  }

  @Test func `one that is enabled by a property`() {
    let isEnabled = Property(false)
    let action = Action<Int, Int, Never>(enabledIf: isEnabled) { .just($0) }
    let record = action.isEnabled.record()
    #expect(action.apply(1).record().failure == .disabled)
    isEnabled.value = true
    #expect(action.apply(2).record().elements == [2])
    isEnabled.value = false
    // An action is not enabled while it runs.
    #expect(record.elements == [false, true, false, true, false])
  }

  @Test func `one with a state reads it when it runs`() {
    let state = Property(10)
    let action = Action<Int, Int, Never>(state: state, enabledIf: { $0 > 0 }) { state, input in .just(state + input) }
    #expect(action.apply(1).record().elements == [11])
    state.value = 20
    #expect(action.apply(1).record().elements == [21])
    state.value = 0
    #expect(action.apply(1).record().failure == .disabled)
  }

  @Test func `one that unwraps a state is disabled while there is none`() {
    let state = Property<String?>(nil)
    let action = Action<Int, String, Never>(unwrapping: state) { state, input in .just("\(state)\(input)") }
    #expect(!action.isEnabled.value)
    #expect(action.apply(1).record().failure == .disabled)
    state.value = "x"
    #expect(action.isEnabled.value)
    #expect(action.apply(1).record().elements == ["x1"])
  }

  @Test func `its streams complete when it goes, and what runs goes on`() {
    let work = Work()
    var action: Action<Int, String, TestError>? = Action { _ in work.toOperation() }
    let (values, disabled) = (action!.values.record(), action!.disabledErrors.record())
    let record = action!.apply(1).record()
    weak let reference = action
    action = nil
    #expect(reference == nil)
    #expect(values.isCompleted && disabled.isCompleted)
    work.next("a")
    #expect(record.elements == ["a"])
    work.completed()
    #expect(record.isCompleted)
  }

  @Test func `streams are bound to it: each element is an input`() {
    let push = PushStream<Int>()
    var action: Action<Int, Int, Never>? = Action { .just($0 * 2) }
    let values = action!.values.record()
    action! <~ push
    push.next(1)
    push.next(2)
    #expect(values.elements == [2, 4])
    action = nil
    #expect(push.observerCount == 0)
  }

  @Test func `the type-erased form makes the input of the sender`() {
    final class Button {
      let number: Int
      init(_ number: Int) { self.number = number }
    }
    let work = PushStream<Int>()
    let action = Action<Int, Int, Never> { input in work.map { $0 + input } }
    let erased = AnyAction<Button>(action) { $0.number }
    let values = action.values.record()
    let disabled = action.disabledErrors.record()
    #expect(erased.isEnabled.value)
    erased.execute(Button(10))
    #expect(erased.isExecuting.value)
    erased.execute(Button(20))
    #expect(disabled.elements.count == 1)
    work.next(1)
    #expect(values.elements == [11])
    work.completed()
    #expect(!erased.isExecuting.value)
  }

  @Test func `the type-erased form with a fixed input, or none`() {
    var inputs: [Int] = []
    let action = Action<Int, Int, Never> { input in
      inputs.append(input)
      return .just(input)
    }
    AnyAction<Void>(action, input: 5).execute()
    let push = PushStream<String>()
    let erased = AnyAction<String>(action, input: 6)
    push.bind(to: erased)
    push.next("trigger")
    #expect(inputs == [5, 6])
    let plain = Action<Void, Int, Never> { .just(1) }
    let values = plain.values.record()
    AnyAction<Void>(plain).execute()
    #expect(values.elements == [1])
    push.completed()
  }

  @Test func `the closure that makes the work finds the action busy`() {
    let work = Work()
    var applyAgain: (() -> Void)?
    let action = Action<Int, String, TestError> { _ in
      applyAgain.take()?()
      return work.toOperation()
    }
    let disabled = action.disabledErrors.record()
    var second: Recorder<String, ActionError<TestError>>?
    applyAgain = { [unowned action] in second = action.apply(2).record() }
    let first = action.apply(1).record()
    #expect(second?.events == [.failed(.disabled)])
    #expect(disabled.elements.count == 1)
    #expect(work.observerCount == 1)
    work.completed()
    #expect(first.isCompleted)
    #expect(action.isEnabled.value)
  }

  @Test func `a binding to the type-erased form keeps no action`() {
    let push = PushStream<Int>()
    var action: Action<Int, Int, Never>? = Action { .just($0) }
    let values = action!.values.record()
    push.bind(to: AnyAction<Int>(action!) { $0 + 1 })
    push.next(1)
    #expect(values.elements == [2])
    weak let reference = action
    action = nil
    #expect(reference == nil)
    #expect(push.observerCount == 0)
    #expect(values.isCompleted)
  }

  @Test func `an application may be disposed of, and the action let go of, in their own callbacks`() {
    let work = PushStream<Int>()
    var action: Action<Int, Int, Never>? = Action { _ in work.toOperation() }
    let (place, bag) = (SerialDisposable(), DisposeBag())
    var seen: [Int] = []
    let executing = action!.isExecuting.record()
    action?.values.observeNext { if $0 == 2 { place.dispose() } }.dispose(in: bag)
    place.inner = action?.apply(0).observeNext { seen.append($0) }
    for number in 1...3 { work.next(number) }
    // An observer of `values` receives an element before the observer of the application.
    #expect(seen == [1])
    #expect(executing.elements == [false, true, false])
    #expect(work.observerCount == 0)
    let values = action!.values.record()
    action?.apply(10).observeNext {
      seen.append($0)
      if $0 == 11 { action = nil }
    }.dispose(in: bag)
    for number in 10...12 { work.next(number) }
    #expect(seen == [1, 10, 11, 12])
    #expect(values.events == [.next(10), .next(11), .completed])
    bag.dispose()
  }

  @Test func `an observer of executing may apply the action again`() {
    let works = [Work(), Work()]
    let action = Action<Int, String, TestError> { works[$0].toOperation() }
    let bag = DisposeBag()
    var records: [Recorder<String, ActionError<TestError>>] = []
    action.isExecuting.changes.observeNext { [unowned action] _ in records.append(action.apply(1).record()) }
      .dispose(in: bag)
    let first = action.apply(0).record()
    works[0].failed("end")
    #expect(first.events == [.failed(.failed("end"))])
    // The observer is notified that the first application runs, that it has ended, and that its own application runs.
    #expect(records.map(\.events.isEmpty) == [false, true, false])
    #expect(action.isExecuting.value)
    bag.dispose()
    works[1].completed()
    #expect(records[1].isCompleted)
    #expect(!action.isExecuting.value)
  }

  @Test func `its own values bound to it find it busy`() {
    let action = Action<Int, Int, Never> { .just($0 + 1) }
    let (values, disabled) = (action.values.record(), action.disabledErrors.record())
    action.values.bind(to: action)
    action.start(1)
    #expect(values.elements == [2])
    #expect(disabled.elements.count == 1)
    #expect(action.isEnabled.value)
  }

  @Test func `pausing an application reaches the work`() {
    let action = Action<Void, Int, Never> { .sequence([1, 2, 3]) }
    let gate = Property(0)
    var seen: [Int] = []
    let subscription = SerialDisposable()
    let stream = action.apply().doOn(next: { if $0 == 1 { subscription.pause() } })
    subscription.inner = stream.observeNext { seen.append($0) }
    #expect(gate.value == 0)
    subscription.resume()
    #expect(seen == [1, 2, 3])
    #expect(!action.isExecuting.value)
  }
}
