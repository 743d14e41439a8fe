internal import Streams

/// An action whose types are forgotten: what a C callback or a delegate method triggers.
///
/// Whoever triggers passes itself; the input was fixed, or is read from the sender, when this was made.
public final class AnyAction<Sender> {
  /// True while triggering has an effect.
  public let isEnabled: AnyProperty<Bool>
  /// True while the action runs.
  public let isExecuting: AnyProperty<Bool>
  private let action: AnyObject
  private let target: BindingTarget<Sender>

  /// The form of `action` whose input is made of the sender. It keeps the action.
  public init<Input, Output, Failure: Error>(
    _ action: Action<Input, Output, Failure>, _ makeInput: @escaping (Sender) -> Input
  ) {
    isEnabled = action.isEnabled
    isExecuting = action.isExecuting
    self.action = action
    target = BindingTarget(lifetime: action.lifetime) { [weak action] sender in action?.start(makeInput(sender)) }
  }

  /// The form of `action` that always has the same input. It keeps the action.
  public convenience init<Input, Output, Failure: Error>(_ action: Action<Input, Output, Failure>, input: Input) {
    self.init(action) { _ in input }
  }

  /// The form of an action without input. It keeps the action.
  public convenience init<Output, Failure: Error>(_ action: Action<Void, Output, Failure>) {
    self.init(action) { _ in }
  }

  /// Triggers the action. Does nothing where it is disabled or busy, except that the action's `disabledErrors` tell.
  public func execute(_ sender: Sender) { _ = target.deliver(sender, nil) }
}

extension AnyAction where Sender == Void {
  /// Triggers the action.
  public func execute() { execute(()) }
}

extension AnyAction: BindingTargetProvider {
  /// Triggers the action for each value, until the action goes. Keeps neither it nor this.
  public var bindingTarget: BindingTarget<Sender> { target }
}

@available(*, unavailable)
extension AnyAction: Sendable {}
