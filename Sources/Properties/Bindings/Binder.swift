public import Streams

/// A closure that changes an object, which it holds weakly: the usual way to make something bindable.
///
/// ```swift
/// extension Lamp {
///   var brightnessBinder: Binder<Double> { Binder(self) { lamp, value in lamp.brightness = value } }
/// }
/// slider.bind(to: lamp.brightnessBinder)
/// ```
///
/// The closure gets the object, so it need not capture it. When the object has gone values are dropped, and the binding
/// ends: at once where the object is `LifetimeProviding`, with the next value otherwise.
public struct Binder<Value>: BindingTargetProvider {
  /// Where bound values go.
  public let bindingTarget: BindingTarget<Value>

  /// A binder whose closure runs synchronously, in the domain of the stream.
  public init<Target: AnyObject>(_ target: Target, _ setter: @escaping (Target, Value) -> Void) {
    let lifetime = (target as? any LifetimeProviding)?.lifetime
    bindingTarget = BindingTarget(lifetime: lifetime) { [weak target] value, _ in
      guard let target else { return false }
      setter(target, value)
      return true
    }
  }

  /// A binder for an object that lives elsewhere: the closure runs in `context`, in order, and no more once the binding has
  /// been disposed of, also where the value is on its way.
  ///
  /// Whether it runs synchronously where the caller is there already is up to the context: `.immediate(on: queue)` does,
  /// `queue.context` does not.
  public init<Target: AnyObject & Sendable>(
    _ target: Target, on context: ExecutionContext, _ setter: @escaping @Sendable (Target, Value) -> Void
  ) where Value: Sendable {
    bindingTarget = BindingTarget(lifetime: nil, isElsewhere: true) { [weak target] value, ticket in
      guard target != nil else { return false }
      context.execute { @Sendable [weak target] in
        if let target, ticket?.isOver != true { setter(target, value) }
      }
      return true
    }
  }

  /// A binder for an object of the main actor: the closure runs there, in order, on a later turn; no more once the binding
  /// has been disposed of.
  public init<Target: AnyObject & Sendable>(
    main target: Target, _ setter: @escaping @MainActor @Sendable (Target, Value) -> Void
  ) where Value: Sendable {
    bindingTarget = BindingTarget(lifetime: nil, isElsewhere: true) { [weak target] value, ticket in
      guard target != nil else { return false }
      Task { @MainActor [weak target] in
        if let target, ticket?.isOver != true { setter(target, value) }
      }
      return true
    }
  }
}

@available(*, unavailable)
extension Binder: Sendable {}
