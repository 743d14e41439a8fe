public import Streams

/// A property of an object that is not a `Property`: read and written with closures, with a stream that says when it has
/// changed.
///
/// ```swift
/// let volume = DynamicProperty(of: player, get: { $0.volume }, set: { $0.volume = $1 }, changes: player.volumeChanges)
/// ```
///
/// - The object is held weakly. When it has gone `value` is the last one known, setting does nothing, and the observers get
///   the completion.
/// - Observing gives the current value at once, then a value each time `changes` sends and each time `value` is set.
public final class DynamicProperty<Value>: MutablePropertyProtocol {
  private let cell: ValueCell<Value>
  private let read: () -> Value?
  private let write: (Value) -> Bool
  private let reportsSetting: Bool
  private let bag = DisposeBag()
  private let ownerLifetime: Lifetime

  /// - Parameters:
  ///   - owner: The object. It is held weakly.
  ///   - get: Reads the value from the owner.
  ///   - set: Writes it.
  ///   - changes: Sends when the value has changed. It is observed at once.
  ///   - reportsSetting: Whether setting `value` tells the observers. Say false where `changes` sends then, too.
  ///   - isolation: The actor that observes `changes`, if it has no loop. Leave it out.
  public init<Owner: LifetimeProviding>(
    of owner: Owner, get: @escaping (Owner) -> Value, set: @escaping (Owner, Value) -> Void,
    changes: some StreamProtocol<Void, Never>, reportsSetting: Bool = true, isolation: (any Actor)? = #isolation
  ) {
    let cell = ValueCell(get(owner))
    let read: () -> Value? = { [weak owner] in owner.map(get) }
    self.cell = cell
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

  /// The current value, as the object says; the last one known when that has gone. Setting it sets the object's.
  public var value: Value {
    get { read() ?? cell.value }
    set {
      guard write(newValue) else { return }
      guard let value = read() else { return }
      if reportsSetting { cell.set(value) } else { cell.setSilently(value) }
    }
  }

  /// The same property without the right to change it. It keeps neither this property nor the object, and has the value
  /// that was reported or set last.
  public var readOnlyView: AnyProperty<Value> { AnyProperty(cell, keeping: nil) }

  /// Sets the object's value, until the object or this property goes.
  public var bindingTarget: BindingTarget<Value> {
    BindingTarget(lifetime: ownerLifetime) { [weak self] value, _ in
      guard let self else { return false }
      self.value = value
      return true
    }
  }

  /// See `StreamProtocol`.
  public func subscribe(_ observer: Observer<Value, Never>) -> any Disposable {
    // The object may have changed without saying so.
    if !cell.isBusy, let value = read() { cell.setSilently(value) }
    return cell.subscribe(observer)
  }
}

@available(*, unavailable)
extension DynamicProperty: Sendable {}
