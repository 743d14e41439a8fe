internal import Streams

/// A type-erased action that a C callback or a delegate method triggers.
///
/// The caller passes the sender. The input was fixed at creation, or is computed from the sender.
public final class AnyAction<Sender> {
  /// True while `execute` has an effect.
  public let isEnabled: AnyProperty<Bool>
  /// True while the action runs.
  public let isExecuting: AnyProperty<Bool>
  private let action: AnyObject
  private let target: BindingTarget<Sender>

  /// Creates a type-erased action whose input is computed from the sender. Retains the action.
  public init<Input, Output, Failure: Error>(
    _ action: Action<Input, Output, Failure>, _ makeInput: @escaping (Sender) -> Input
  ) {
    isEnabled = action.isEnabled
    isExecuting = action.isExecuting
    self.action = action
    target = BindingTarget(lifetime: action.lifetime) { [weak action] sender in action?.start(makeInput(sender)) }
  }

  /// Creates a type-erased action with a fixed input. Retains the action.
  public convenience init<Input, Output, Failure: Error>(_ action: Action<Input, Output, Failure>, input: Input) {
    self.init(action) { _ in input }
  }

  /// Creates a type-erased action without an input. Retains the action.
  public convenience init<Output, Failure: Error>(_ action: Action<Void, Output, Failure>) {
    self.init(action) { _ in }
  }

  /// Triggers the action. If it is disabled or busy, only its `disabledErrors` sends.
  public func execute(_ sender: Sender) { _ = target.deliver(sender, nil) }
}

extension AnyAction where Sender == Void {
  /// Triggers the action.
  public func execute() { execute(()) }
}

extension AnyAction: BindingTargetProvider {
  /// Triggers the action for each value until the action is deallocated. Retains neither the action nor this object.
  public var bindingTarget: BindingTarget<Sender> { target }
}

@available(*, unavailable)
extension AnyAction: Sendable {}
