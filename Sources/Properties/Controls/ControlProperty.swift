internal import DequeModule
public import Streams

/// A value that its owner changes, such as the text of a field or the size of a terminal.
///
/// - It cannot fail.
/// - An observer receives the current value immediately, then each value that the owner reports. Values that the program sets are not
///   reported.
/// - It completes when its owner is deallocated, and does not retain the owner. Later observers receive the completion.
/// - It delivers in the owner's domain.
/// - Streams can be bound to it.
public struct ControlProperty<Value>: StreamProtocol, BindingTargetProvider {
  /// The type of the value.
  public typealias Element = Value

  let read: () -> Value?
  /// The values that the owner reports, without the current one.
  public let changed: ControlEvent<Value>
  /// A target that sets the owner's value.
  public let bindingTarget: BindingTarget<Value>

  /// Creates a property of a value that `owner` changes.
  ///
  /// - Parameters:
  ///   - owner: The object. It is held weakly.
  ///   - get: Reads the value from the owner.
  ///   - set: Writes the value. The owner should not report this change.
  ///   - changes: A stream that emits when the owner has changed the value.
  public init<Owner: LifetimeProviding>(
    of owner: Owner, get: @escaping (Owner) -> Value, set: @escaping (Owner, Value) -> Void, changes: PushStream<Void>
  ) {
    let read: () -> Value? = { [weak owner] in owner.map(get) }
    self.read = read
    changed = ControlEvent(changes, of: owner).compactMap { read() }
    bindingTarget = Binder(owner, set).bindingTarget
  }

  /// Adds an observer, and returns its subscription.
  public func subscribe(_ observer: Observer<Value, Never>) -> any Disposable {
    guard let value = read() else { return changed.subscribe(observer) }
    // Values that the owner reports during the delivery of the first value are delivered after it.
    var reports = Deque<Value>()
    let collecting = changed.observe(isolation: nil, next: { reports.append($0) }, termination: { _ in })
    observer.next(value)
    while !observer.isDisposed, let report = reports.popFirst() { observer.next(report) }
    collecting.dispose()
    return observer.isDisposed ? .none : changed.subscribe(observer)
  }
}

@available(*, unavailable)
extension ControlProperty: Sendable {}
