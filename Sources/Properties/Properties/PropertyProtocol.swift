public import Streams

/// A value that is there at any time, and a stream of it: the current value at once, then each change.
///
/// A property never fails. It completes when what it stands for has gone; whoever observes later gets the last value and
/// the completion.
public protocol PropertyProtocol<Value>: StreamProtocol where Element == Value, Failure == Never {
  /// What it holds.
  associatedtype Value

  /// The current value.
  var value: Value { get }

  /// The same property without the right to change it. It does not keep this property.
  var readOnlyView: AnyProperty<Value> { get }
}

extension PropertyProtocol {
  /// The changes alone: nothing at once, then each new value. Completes with the property, which it does not keep.
  @inlinable
  public var changes: Stream<Value> { readOnlyView.makeChanges() }

  /// The current value, then each change, as a plain stream. It does not keep the property.
  @inlinable
  public func toStream() -> Stream<Value> {
    let view = readOnlyView
    return Stream.unguarded { view.subscribe($0) }
  }

  /// The same as `toStream()`.
  @inlinable
  public func toOperation() -> Stream<Value> { toStream() }
}

/// A property whose value can be set, and which streams can be bound to.
public protocol MutablePropertyProtocol<Value>: PropertyProtocol, BindingTargetProvider, AnyObject {
  /// The current value. Setting it tells the observers.
  var value: Value { get set }
}
