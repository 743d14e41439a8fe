public import Streams

/// A value that is observed.
///
/// ```swift
/// let name = Property("Steve")
/// name.observeNext { print($0) }.dispose(in: bag)     // prints Steve
/// name.value = "Jim"                                  // prints Jim
/// ```
///
/// - Observing gives the current value at once, then each new one, also one that equals the old.
/// - A new value is visible before the observers run, in the order in which they subscribed.
/// - Setting it from inside an observer is allowed: the value is visible at once and delivered after the current one. Each
///   observer sees every value, in order.
/// - When the property goes its observers get the completion. They do not keep it, nor do its views and streams.
///
/// Confined to the domain in which it is first observed. Other threads change it through a `Confined`.
///
/// Cost: a closure call for each observer; setting allocates nothing.
public final class Property<Value>: MutablePropertyProtocol {
  @usableFromInline let cell: ValueCell<Value>
  private var token: Lifetime.Token?

  /// Makes a property with a value.
  public init(_ value: Value) { cell = ValueCell(value) }

  deinit { cell.endAtHome() }

  /// The current value. Setting it tells the observers, after the value has changed. Changing a part of it is a set like any
  /// other; see `modify` for what it costs.
  @inlinable
  public var value: Value {
    get { cell.checkedValue }
    set { cell.set(newValue) }
  }

  /// Changes the value without telling the observers, nor what is composed of this property: that follows with the next
  /// value that is told. Whoever observes later begins with it.
  public func silentUpdate(_ value: Value) { cell.setSilently(value) }

  /// Changes a copy of the value, makes that the value and tells the observers once, when `body` has returned; returns what
  /// `body` returns.
  ///
  /// While `body` runs the property has its old value. Where `body` throws it keeps it, and nobody is told.
  ///
  /// Cost: that of copying what `body` changes: an array that is changed is copied, O(n). A `CollectionProperty` copies nothing.
  @inlinable @discardableResult
  public func modify<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var value = cell.checkedValue
    let result = try body(&value)
    cell.set(value)
    return result
  }

  /// Sets a value and returns the one before.
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

  /// Takes an element as the value and ignores the end: a property ends only when it goes.
  public func send(_ event: Event<Value, Never>) {
    if let element = event.element { value = element }
  }

  /// The same property without the right to change it. It does not keep this property: when that has gone the view has its
  /// last value, and has completed. Costs nothing.
  @inlinable
  public var readOnlyView: AnyProperty<Value> { AnyProperty(cell, keeping: nil) }

  /// The number of observers, views that were made of this property included.
  public var observerCount: Int { cell.push.observerCount }

  /// See `StreamProtocol`.
  @inlinable
  public func subscribe(_ observer: Observer<Value, Never>) -> any Disposable { cell.subscribe(observer) }
}

extension Property: LifetimeProviding {
  /// Ends when the property goes.
  public var lifetime: Lifetime {
    if let token { return Lifetime(token) }
    let token = Lifetime.Token()
    self.token = token
    return Lifetime(token)
  }
}

extension Property: BindingTargetProvider {
  /// Sets the value, until the property goes. Does not keep it.
  @inlinable
  public var bindingTarget: BindingTarget<Value> {
    let cell = cell
    return BindingTarget(lifetime: lifetime) { cell.set($0) }
  }
}

@available(*, unavailable)
extension Property: Sendable {}
