public import Streams

/// A property of an object with closures that read and write the value, and a stream that reports its changes.
///
/// ```swift
/// let volume = DynamicProperty(of: player, get: { $0.volume }, set: { $0.volume = $1 }, changes: player.volumeChanges)
/// ```
///
/// - The object is held weakly. After the object is deallocated, `value` is the last known value, setting does nothing, and the
///   observers have received the completion.
/// - An observer receives the current value immediately, then a value each time `changes` sends and each time `value` is set.
public final class DynamicProperty<Value>: MutablePropertyProtocol {
  private let cell: ValueCell<Value>
  /// Has the value that was read last, also if it was not reported, or if its report waits for a running delivery.
  private let known: ValueCell<Value>
  private let read: () -> Value?
  private let write: (Value) -> Bool
  private let reportsSetting: Bool
  private let bag = DisposeBag()
  private let ownerLifetime: Lifetime

  /// Creates a property of a value of `owner`.
  ///
  /// - Parameters:
  ///   - owner: The object. It is held weakly.
  ///   - get: Reads the value from the owner.
  ///   - set: Writes the value.
  ///   - changes: A stream that emits when the value has changed. It is observed immediately.
  ///   - reportsSetting: Whether setting `value` notifies the observers. Pass false if `changes` also emits when the
  ///     program sets the value.
  ///   - isolation: The actor that observes `changes` if it has no loop. Leave it out.
  public init<Owner: LifetimeProviding>(
    of owner: Owner, get: @escaping (Owner) -> Value, set: @escaping (Owner, Value) -> Void,
    changes: some StreamProtocol<Void, Never>, reportsSetting: Bool = true, isolation: (any Actor)? = #isolation
  ) {
    let first = get(owner)
    let (cell, known) = (ValueCell(first), ValueCell(first))
    let read: () -> Value? = { [weak owner] in
      guard let owner else { return nil }
      let value = get(owner)
      known.setSilently(value)
      return value
    }
    self.cell = cell
    self.known = known
    self.read = read
    write = { [weak owner] value in
      guard let owner else { return false }
      set(owner, value)
      return true
    }
    self.reportsSetting = reportsSetting
    ownerLifetime = owner.lifetime
    let changes = changes.take(during: owner.lifetime).observe(
      isolation: isolation, next: { if let value = read() { cell.set(value) } }, termination: { _ in cell.end() })
    bag.add(changes, isolation: isolation)
  }

  deinit { cell.endAtHome() }

  /// The current value of the object, or the last known value after its deallocation. Setting it sets the object's value.
  public var value: Value {
    get { read() ?? known.value }
    set {
      guard write(newValue) else { return }
      guard let value = read() else { return }
      if reportsSetting { cell.set(value) } else { cell.setSilently(value) }
    }
  }

  /// A read-only view of the property. It retains neither this property nor the object, and has the value that was reported or set last.
  public var readOnlyView: AnyProperty<Value> { AnyProperty(cell, keeping: nil) }

  /// A target that sets the object's value until the object or this property is deallocated.
  public var bindingTarget: BindingTarget<Value> {
    BindingTarget(lifetime: ownerLifetime) { [weak self] value, _ in
      guard let self else { return false }
      self.value = value
      return true
    }
  }

  /// Adds an observer, and returns its subscription.
  public func subscribe(_ observer: Observer<Value, Never>) -> any Disposable {
    // The object can have changed without a report.
    if !cell.isBusy { cell.setSilently(value) }
    return cell.subscribe(observer)
  }
}

@available(*, unavailable)
extension DynamicProperty: Sendable {}
