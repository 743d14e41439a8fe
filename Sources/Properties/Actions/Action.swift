public import Streams

/// Work that runs one input at a time, and that can be disabled.
///
/// ```swift
/// let save = Action<String, Int, DiskError>(enabledIf: hasName) { text in disk.write(text) }
/// save.apply("hello").observeNext { print("\($0) bytes") }
/// save.isExecuting.bind(to: spinner)
/// ```
///
/// - `apply` describes an application; each observer of it runs the action once. It fails with `.disabled`, without running
///   anything, where the action is disabled or busy at that moment.
/// - `isExecuting` is true before the work starts and false after it has ended, failed or been disposed of, before the
///   observer of `apply` hears of the end.
/// - `values`, `errors`, `completed`, `events` and `disabledErrors` tell of all applications. They complete when the action
///   goes; work that runs then goes on for its observer.
///
/// Confined to the domain in which it is used.
public final class Action<Input, Output, Failure: Error> {
  private let core: ActionCore<Input, Output, Failure>
  private let token = Lifetime.Token()

  /// True while the action can be applied: it is enabled and not busy.
  public let isEnabled: AnyProperty<Bool>

  private init(_ isAllowed: AnyProperty<Bool>, _ execute: @escaping (Input) -> Operation<Output, Failure>?) {
    core = ActionCore(isAllowed, execute)
    isEnabled = isAllowed.combineLatest(with: core.isExecuting).map { $0 && !$1 }.distinct()
  }

  /// An action that is always enabled.
  public convenience init(execute: @escaping (Input) -> Operation<Output, Failure>) {
    self.init(.constant(true), execute)
  }

  /// An action that is enabled while `isEnabled` is true.
  public convenience init(
    enabledIf isEnabled: some PropertyProtocol<Bool>, execute: @escaping (Input) -> Operation<Output, Failure>
  ) {
    self.init(isEnabled.readOnlyView, execute)
  }

  /// An action that works with a state, and is enabled while `isEnabled` says so of it.
  public convenience init<State: PropertyProtocol>(
    state: State, enabledIf isEnabled: @escaping (State.Value) -> Bool = { _ in true },
    execute: @escaping (State.Value, Input) -> Operation<Output, Failure>
  ) {
    let state = state.readOnlyView
    self.init(state.map(isEnabled)) { execute(state.value, $0) }
  }

  /// An action that works with an optional state, and is enabled while there is one.
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

  /// The failures of all applications; not those of disabled ones.
  public var errors: Stream<Failure> { core.events.toStream().map(\.error).ignoreNil() }

  /// Sends each time an application completes.
  public var completed: Stream<Void> { core.events.toStream().filter(\.isCompletion).mapToVoid() }

  /// Everything that applications send, as values.
  public var events: Stream<Event<Output, Failure>> { core.events.toStream() }

  /// Sends each time an application finds the action disabled or busy.
  public var disabledErrors: Stream<Void> { core.disabledErrors.toStream() }

  /// Runs the action with `input`, once for each observer. It does not keep the action.
  public func apply(_ input: Input) -> Operation<Output, ActionError<Failure>> {
    core.apply(input)
  }
}

extension Action where Input == Void {
  /// Runs the action, once for each observer.
  public func apply() -> Operation<Output, ActionError<Failure>> { apply(()) }
}

extension Action: LifetimeProviding {
  /// Ends when the action goes.
  public var lifetime: Lifetime { Lifetime(token) }
}

extension Action: BindingTargetProvider {
  /// Applies the action to each value; those that find it disabled or busy only show in `disabledErrors`.
  public var bindingTarget: BindingTarget<Input> {
    let core = core
    return BindingTarget(lifetime: lifetime) { core.run($0) }
  }
}

extension Action {
  /// Runs the action with `input` for nobody: only the action's own streams tell what becomes of it.
  public func start(_ input: Input) { core.run(input) }
}

@available(*, unavailable)
extension Action: Sendable {}
