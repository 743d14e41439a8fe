public import Streams

/// The streams and binding targets of an object: `lamp.reactive.brightness`.
///
/// Each settable property of the object is a target. Add streams and other targets in extensions of `Reactive where Base: Lamp`; a member
/// of an extension has precedence over a property of the same name. A `Reactive` retains the object. The targets that it returns hold the
/// object weakly.
@dynamicMemberLookup
public struct Reactive<Base: AnyObject> {
  /// The object.
  public let base: Base

  /// Creates the streams and binding targets of `base`.
  public init(_ base: Base) { self.base = base }

  /// A target that sets a property of the object: `lamp.reactive[\.brightness] <~ slider`. The binding ends when the object is deallocated.
  public subscript<Value>(_ keyPath: ReferenceWritableKeyPath<Base, Value>) -> BindingTarget<Value> {
    makeBindingTarget { base, value in base[keyPath: keyPath] = value }
  }

  /// A target that sets a property of the object, by its name: `slider.bind(to: lamp.reactive.brightness)`. The binding ends when the object
  /// is deallocated.
  public subscript<Value>(dynamicMember keyPath: ReferenceWritableKeyPath<Base, Value>) -> BindingTarget<Value> {
    self[keyPath]
  }

  /// Returns a target that calls `action` with the object, which it holds weakly. The binding ends when the object is deallocated.
  public func makeBindingTarget<Value>(_ action: @escaping (Base, Value) -> Void) -> BindingTarget<Value> {
    Binder(base, action).bindingTarget
  }
}

extension Reactive where Base: LifetimeProviding {
  /// The lifetime of the object.
  public var lifetime: Lifetime { base.lifetime }
}

@available(*, unavailable)
extension Reactive: Sendable {}

/// A type whose instances have streams and binding targets in `reactive`. It has no requirements.
public protocol ReactiveCompatible: AnyObject {}

extension ReactiveCompatible {
  /// The streams and binding targets of the object.
  public var reactive: Reactive<Self> { Reactive(self) }
}
