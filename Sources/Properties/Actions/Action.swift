public import Streams

/// Work that runs for one input at a time and can be disabled.
///
/// ```swift
/// let save = Action<String, Int, DiskError>(enabledIf: hasName) { text in disk.write(text) }
/// save.apply("hello").observeNext { print("\($0) bytes") }
/// save.isExecuting.bind(to: spinner)
/// ```
///
/// - `apply` returns a cold operation that runs the action once for each observer. It fails with `.disabled`, without running the action,
///   if the action is disabled or busy.
/// - `isExecuting` is true before the work starts. It is false after the work has ended or is disposed, before the observer of `apply`
///   receives the end.
/// - `values`, `errors`, `completed`, `events`, and `disabledErrors` send the events of all applications. They complete when the action is
///   deallocated. Running work continues for its observer.
///
/// An action is confined to the domain that uses it.
public final class Action<Input, Output, Failure: Error> {
  private let core: ActionCore<Input, Output, Failure>
  private let token = Lifetime.Token()

  /// True while the action is enabled and not busy.
  public let isEnabled: AnyProperty<Bool>

  private init(_ isAllowed: AnyProperty<Bool>, _ execute: @escaping (Input) -> Operation<Output, Failure>?) {
    core = ActionCore(isAllowed, execute)
    isEnabled = isAllowed.combineLatest(with: core.isExecuting).map { $0 && !$1 }.distinct()
  }

  /// Creates an action that is always enabled.
  public convenience init(execute: @escaping (Input) -> Operation<Output, Failure>) {
    self.init(.constant(true), execute)
  }

  /// Creates an action that is enabled while `isEnabled` is true.
  public convenience init(
    enabledIf isEnabled: some PropertyProtocol<Bool>, execute: @escaping (Input) -> Operation<Output, Failure>
  ) {
    self.init(isEnabled.readOnlyView, execute)
  }

  /// Creates an action that works with a state. It is enabled while `isEnabled` returns true for the state.
  public convenience init<State: PropertyProtocol>(
    state: State, enabledIf isEnabled: @escaping (State.Value) -> Bool = { _ in true },
    execute: @escaping (State.Value, Input) -> Operation<Output, Failure>
  ) {
    let state = state.readOnlyView
    self.init(state.map(isEnabled)) { execute(state.value, $0) }
  }

  /// Creates an action that works with an optional state. It is enabled while the state is not nil.
  public convenience init<State: PropertyProtocol, Wrapped>(
    unwrapping state: State, execute: @escaping (Wrapped, Input) -> Operation<Output, Failure>
  ) where State.Value == Wrapped? {
    let state = state.readOnlyView
    self.init(state.map { $0 != nil }) { input in state.value.map { execute($0, input) } }
  }

  deinit { core.endAtHome() }

  /// True while an application runs.
  public var isExecuting: AnyProperty<Bool> { core.isExecuting.readOnlyView }

  /// The elements of all applications.
  public var values: Stream<Output> { core.events.toStream().map(\.element).ignoreNil() }

  /// The failures of all applications, without those of a disabled action.
  public var errors: Stream<Failure> { core.events.toStream().map(\.error).ignoreNil() }

  /// Emits each time an application completes.
  public var completed: Stream<Void> { core.events.toStream().filter(\.isCompletion).mapToVoid() }

  /// The events of all applications.
  public var events: Stream<Event<Output, Failure>> { core.events.toStream() }

  /// Emits when the action is applied while it is disabled or busy.
  public var disabledErrors: Stream<Void> { core.disabledErrors.toStream() }

  /// Runs the action with `input` once for each observer. Does not retain the action.
  public func apply(_ input: Input) -> Operation<Output, ActionError<Failure>> {
    core.apply(input)
  }
}

extension Action where Input == Void {
  /// Runs the action once for each observer.
  public func apply() -> Operation<Output, ActionError<Failure>> { apply(()) }
}

extension Action: LifetimeProviding {
  /// The lifetime of the action.
  public var lifetime: Lifetime { Lifetime(token) }
}

extension Action: BindingTargetProvider {
  /// Applies the action to each value. A value that is bound while the action is disabled or busy only sends on `disabledErrors`.
  public var bindingTarget: BindingTarget<Input> {
    let core = core
    return BindingTarget(lifetime: lifetime) { core.run($0) }
  }
}

extension Action {
  /// Runs the action with `input` without an observer. The streams of the action send its events.
  public func start(_ input: Input) { core.run(input) }
}

@available(*, unavailable)
extension Action: Sendable {}
