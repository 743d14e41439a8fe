public import Streams

/// Something that has a `BindingTarget`: what streams can be bound to.
public protocol BindingTargetProvider<Value> {
  /// What it takes.
  associatedtype Value

  /// Where bound values go.
  var bindingTarget: BindingTarget<Value> { get }
}

/// Where bound values go: a closure, the lifetime of what stands behind it, and the context in which the closure runs.
///
/// A target keeps nothing that it changes. Make one for a type of your own with `Binder`, or here if you have a lifetime.
public struct BindingTarget<Value>: BindingTargetProvider {
  /// Delivers a value for the binding that `ticket` stands for; false when there is nobody left.
  typealias Delivery = (_ value: Value, _ ticket: BindingTicket) -> Bool

  let lifetime: Lifetime?
  let deliver: Delivery

  init(lifetime: Lifetime?, deliver: @escaping Delivery) {
    self.lifetime = lifetime
    self.deliver = deliver
  }

  /// A target in the domain of the stream: `action` runs synchronously for each value, until `lifetime` ends. The action
  /// should not keep what it changes.
  public init(lifetime: Lifetime, _ action: @escaping (Value) -> Void) {
    self.init(lifetime: lifetime) { value, _ in
      action(value)
      return true
    }
  }

  /// Itself.
  public var bindingTarget: BindingTarget { self }
}

@available(*, unavailable)
extension BindingTarget: Sendable {}

/// One binding, as seen from another domain: whether it has ended.
final class BindingTicket: Sendable {
  private let state = Lock(false)

  var isOver: Bool { state.withLock { $0 } }

  func end() { state.withLock { $0 = true } }
}
