internal import Streams

/// The state that an action's streams and its running application share. It does not retain the action.
final class ActionCore<Input, Output, Failure: Error> {
  let isExecuting = Property(false)
  let events = PushStream<Event<Output, Failure>>()
  let disabledErrors = PushStream<Void>()
  private let isAllowed: AnyProperty<Bool>
  private let execute: (Input) -> Operation<Output, Failure>?
  /// True from before the work is created, because the closure that creates it can apply the action.
  private var isBusy = false

  init(_ isAllowed: AnyProperty<Bool>, _ execute: @escaping (Input) -> Operation<Output, Failure>?) {
    self.isAllowed = isAllowed
    self.execute = execute
  }

  /// Runs the action once for each observer.
  func apply(_ input: Input) -> Operation<Output, ActionError<Failure>> {
    Operation { observer in self.start(input, observer) }
  }

  /// Runs the action without an observer until it ends.
  func run(_ input: Input) { _ = apply(input).observe(isolation: nil, next: { _ in }, termination: { _ in }) }

  private func start(_ input: Input, _ observer: Observer<Output, ActionError<Failure>>) -> any Disposable {
    isExecuting.cell.push.checkHome("An Action")
    guard !isBusy, isAllowed.value, let work = makeWork(input) else {
      disabledErrors.next()
      fail(observer, .disabled, isObserved: disabledErrors.observerCount > 0)
      return .none
    }
    isExecuting.value = true
    let turn = BlockDisposable {
      self.isBusy = false
      self.isExecuting.value = false
    }
    // Also ended by a source of the work that is deallocated without an end. The subscription is returned itself, so that what observes
    // the application is then released.
    return work.doOn(disposed: { turn.dispose() }).observe(
      isolation: nil,
      next: { element in
        self.events.next(.next(element))
        observer.next(element)
      },
      termination: { end in
        turn.dispose()
        self.events.next(Event(end))
        switch end {
        case .completed: observer.completed()
        case .failed(let error): self.fail(observer, .failed(error), isObserved: self.events.observerCount > 0)
        }
      })
  }

  /// Fails an application. A failure that an observer of the action's streams receives is not reported.
  private func fail(
    _ observer: Observer<Output, ActionError<Failure>>, _ error: ActionError<Failure>, isObserved: Bool
  ) {
    if isObserved {
      observer.subscription.withFailureObserved { observer.failed(error) }
    } else {
      observer.failed(error)
    }
  }

  private func makeWork(_ input: Input) -> Operation<Output, Failure>? {
    isBusy = true
    let work = execute(input)
    if work == nil { isBusy = false }
    return work
  }

  /// Completes the streams in the home domain, when the action is deallocated.
  func endAtHome() {
    events.completeAtHome()
    disabledErrors.completeAtHome()
  }
}
