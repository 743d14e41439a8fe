public import Streams

/// A binding target that changes an object with a closure, and holds the object weakly.
///
/// ```swift
/// extension Lamp {
///   var brightnessBinder: Binder<Double> { Binder(self) { lamp, value in lamp.brightness = value } }
/// }
/// slider.bind(to: lamp.brightnessBinder)
/// ```
///
/// The closure receives the object as a parameter. After the object is deallocated, values are dropped and the binding ends: immediately
/// if the object is `LifetimeProviding` and in the domain of the stream, otherwise with the next value.
public struct Binder<Value>: BindingTargetProvider {
  /// The target of a binding.
  public let bindingTarget: BindingTarget<Value>

  /// Creates a binder whose closure runs synchronously in the domain of the stream.
  public init<Target: AnyObject>(_ target: Target, _ setter: @escaping (Target, Value) -> Void) {
    let lifetime = (target as? any LifetimeProviding)?.lifetime
    bindingTarget = BindingTarget(lifetime: lifetime) { [weak target] value, _ in
      guard let target else { return false }
      setter(target, value)
      return true
    }
  }

  /// Creates a binder for an object of another domain. The closure runs in `context`, in order. After the binding is disposed, it
  /// does not run, even for values that were already sent. If the context is a queue that has shut down, the binding ends with the next
  /// value.
  ///
  /// If the caller is in the context, `.immediate(on: queue)` runs the closure synchronously, and `queue.context` runs it later.
  public init<Target: AnyObject & Sendable>(
    _ target: Target, on context: ExecutionContext, _ setter: @escaping @Sendable (Target, Value) -> Void
  ) where Value: Sendable {
    bindingTarget = BindingTarget(lifetime: nil, isElsewhere: true) { [weak target] value, ticket in
      guard target != nil else { return false }
      let held = HeldElement(value)
      return context.attempt { @Sendable [weak target] in
        if let target, ticket?.isOver != true, let value = held.take() { setter(target, value) }
      }
    }
  }

  /// Creates a binder for an object of the main actor. The closure runs there in order, in a later loop iteration. It does not run after
  /// the binding is disposed.
  public init<Target: AnyObject & Sendable>(
    main target: Target, _ setter: @escaping @MainActor @Sendable (Target, Value) -> Void
  ) where Value: Sendable {
    bindingTarget = BindingTarget(lifetime: nil, isElsewhere: true) { [weak target] value, ticket in
      guard target != nil else { return false }
      let held = HeldElement(value)
      Task { @MainActor [weak target] in
        if let target, ticket?.isOver != true, let value = held.take() { setter(target, value) }
      }
      return true
    }
  }
}

@available(*, unavailable)
extension Binder: Sendable {}
