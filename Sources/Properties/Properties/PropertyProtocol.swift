public import Streams

/// A current value, and a stream of that value and each later one.
///
/// A property never fails. It completes when its source is deallocated. Later observers receive the last value and the completion.
public protocol PropertyProtocol<Value>: StreamProtocol where Element == Value, Failure == Never {
  /// The type of the value.
  associatedtype Value

  /// The current value.
  var value: Value { get }

  /// A read-only view of this property. It does not retain the property.
  var readOnlyView: AnyProperty<Value> { get }
}

extension PropertyProtocol {
  /// Each new value, without the current one. Completes with the property, and does not retain it.
  @inlinable
  public var changes: Stream<Value> { readOnlyView.makeChanges() }

  /// Returns a stream of the current value and each new one. It does not retain the property.
  @inlinable
  public func toStream() -> Stream<Value> {
    let view = readOnlyView
    return Stream.unguarded(name: nil) { view.subscribe($0) }
  }

  /// Returns a stream of the current value and each new one. It does not retain the property.
  @inlinable
  public func toOperation() -> Stream<Value> { toStream() }
}

/// A property whose value can be set, and that streams can be bound to.
public protocol MutablePropertyProtocol<Value>: PropertyProtocol, BindingTargetProvider, AnyObject {
  /// The current value. Setting it notifies the observers.
  var value: Value { get set }
}
