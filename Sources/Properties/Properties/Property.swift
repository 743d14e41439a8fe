public import Streams

/// An observable value.
///
/// ```swift
/// let name = Property("Steve")
/// name.observeNext { print($0) }.dispose(in: bag)     // prints Steve
/// name.value = "Jim"                                  // prints Jim
/// ```
///
/// - An observer receives the current value immediately, then each new value, even if it equals the old value.
/// - A new value is visible before the observers run, in the order in which they subscribed.
/// - An observer can set the value: it is visible immediately, and is delivered after the current one. Each observer receives every value in
///   order.
/// - When the property is deallocated, its observers receive the completion. Observers, views, and streams do not retain the property.
///
/// It is confined to the first domain that observes it. Use a `Confined` to change it from other threads.
///
/// - Complexity: One closure call for each observer. Setting allocates nothing.
public final class Property<Value>: MutablePropertyProtocol {
  @usableFromInline let cell: ValueCell<Value>
  private var token: Lifetime.Token?

  /// Creates a property with a value.
  public init(_ value: Value) { cell = ValueCell(value) }

  deinit { cell.endAtHome() }

  /// The current value. Setting it notifies the observers after the value has changed. Changing a part of the value is a set, and copies the
  /// value if it is shared.
  @inlinable
  public var value: Value {
    get { cell.checkedValue }
    set { cell.set(newValue) }
  }

  /// Sets the value without notifying observers. Composed properties follow with the next value that is sent. Later observers begin with this
  /// value.
  public func silentUpdate(_ value: Value) { cell.setSilently(value) }

  /// Changes a copy of the value with `body`, sets it, and notifies the observers once. Returns the result of `body`.
  ///
  /// While `body` runs, the property has its old value. If `body` throws, the property keeps that value, and no observer is notified.
  ///
  /// - Complexity: A copy of the parts that `body` changes; O(n) for an array. A `CollectionProperty` copies nothing.
  @inlinable @discardableResult
  public func modify<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var value = cell.checkedValue
    let result = try body(&value)
    cell.set(value)
    return result
  }

  /// Sets a value and returns the previous one.
  @inlinable @discardableResult
  public func swap(_ newValue: Value) -> Value {
    let old = cell.checkedValue
    cell.set(newValue)
    return old
  }

  /// Runs `body` with the value and returns its result. Copies nothing.
  @inlinable
  public func withValue<Result, Failure: Error>(_ body: (Value) throws(Failure) -> Result) throws(Failure) -> Result {
    try body(cell.checkedValue)
  }

  /// Sets the value to an element, and ignores the end, because a property ends only when it is deallocated.
  public func send(_ event: Event<Value, Never>) {
    if let element = event.element { value = element }
  }

  /// A read-only view of this property. It does not retain the property. After the property is deallocated, the view has its last value and
  /// has completed.
  @inlinable
  public var readOnlyView: AnyProperty<Value> { AnyProperty(cell, keeping: nil) }

  /// The number of observers, including composed properties.
  public var observerCount: Int { cell.push.observerCount }

  /// Adds an observer, and returns its subscription.
  @inlinable
  public func subscribe(_ observer: Observer<Value, Never>) -> any Disposable { cell.subscribe(observer) }
}

extension Property: LifetimeProviding {
  /// The lifetime of the property.
  public var lifetime: Lifetime {
    if let token { return Lifetime(token) }
    let token = Lifetime.Token()
    self.token = token
    return Lifetime(token)
  }
}

extension Property: BindingTargetProvider {
  /// A target that sets the value until the property is deallocated. It does not retain the property.
  @inlinable
  public var bindingTarget: BindingTarget<Value> {
    let cell = cell
    return BindingTarget(lifetime: lifetime) { cell.set($0) }
  }
}

@available(*, unavailable)
extension Property: Sendable {}
