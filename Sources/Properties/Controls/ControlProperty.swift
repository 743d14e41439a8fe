internal import DequeModule
public import Streams

/// A value of an owner that changes it by itself: the text of a field, the size of a terminal.
///
/// What the type guarantees:
/// - It cannot fail.
/// - Observing gives the current value at once, then each one that the owner reports. What a program sets is not reported.
/// - It completes when its owner goes, whom it does not keep. Whoever observes later gets the completion.
/// - It delivers in the owner's domain.
/// - Streams can be bound to it.
public struct ControlProperty<Value>: StreamProtocol, BindingTargetProvider {
  /// Completes with the owner.
  public typealias Element = Value

  let read: () -> Value?
  /// The values that the owner reports: all but the first, which is there at once.
  public let changed: ControlEvent<Value>
  /// Sets the owner's value.
  public let bindingTarget: BindingTarget<Value>

  /// - Parameters:
  ///   - owner: The object. It is held weakly.
  ///   - get: Reads the value from the owner.
  ///   - set: Writes it. Whether the owner then reports a change is up to the owner; it should not.
  ///   - changes: Sends when the owner has changed the value by itself.
  public init<Owner: LifetimeProviding>(
    of owner: Owner, get: @escaping (Owner) -> Value, set: @escaping (Owner, Value) -> Void, changes: PushStream<Void>
  ) {
    let read: () -> Value? = { [weak owner] in owner.map(get) }
    self.read = read
    changed = ControlEvent(changes, of: owner).compactMap { read() }
    bindingTarget = Binder(owner, set).bindingTarget
  }

  /// See `StreamProtocol`.
  public func subscribe(_ observer: Observer<Value, Never>) -> any Disposable {
    guard let value = read() else { return changed.subscribe(observer) }
    // What the owner reports while the first value is being delivered comes after it.
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
