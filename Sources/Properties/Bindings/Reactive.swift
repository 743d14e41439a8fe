public import Streams

/// What an object offers as streams and targets, apart from its own members: `lamp.reactive.brightness`.
///
/// Each settable property of the object is a target already. For streams, and for targets that do more, write extensions of
/// `Reactive where Base: Lamp`; a member of an extension comes before a property of the same name. Holds the object strongly; what
/// it makes holds it weakly.
@dynamicMemberLookup
public struct Reactive<Base: AnyObject> {
  /// The object.
  public let base: Base

  /// The reactive side of `base`.
  public init(_ base: Base) { self.base = base }

  /// A target that sets a property of the object: `lamp.reactive[\.brightness] <~ slider`. The binding ends with the object.
  public subscript<Value>(_ keyPath: ReferenceWritableKeyPath<Base, Value>) -> BindingTarget<Value> {
    makeBindingTarget { base, value in base[keyPath: keyPath] = value }
  }

  /// The same by the property's name: `slider.bind(to: lamp.reactive.brightness)`.
  public subscript<Value>(dynamicMember keyPath: ReferenceWritableKeyPath<Base, Value>) -> BindingTarget<Value> {
    self[keyPath]
  }

  /// A target that calls `action` with the object, which it holds weakly. The binding ends with the object.
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

/// A type whose instances have a `reactive` side. It asks for nothing.
public protocol ReactiveCompatible: AnyObject {}

extension ReactiveCompatible {
  /// What the object offers as streams and targets.
  public var reactive: Reactive<Self> { Reactive(self) }
}
