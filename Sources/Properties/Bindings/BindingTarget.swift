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
  /// Delivers a value; false when there is nobody left. A target that lives elsewhere gets a ticket, which tells on arrival
  /// whether the binding has been disposed of.
  @usableFromInline typealias Delivery = (_ value: Value, _ ticket: BindingTicket?) -> Bool

  @usableFromInline let lifetime: Lifetime?
  @usableFromInline let isElsewhere: Bool
  @usableFromInline let deliver: Delivery

  @usableFromInline
  init(lifetime: Lifetime?, isElsewhere: Bool = false, deliver: @escaping Delivery) {
    self.lifetime = lifetime
    self.isElsewhere = isElsewhere
    self.deliver = deliver
  }

  /// A target in the domain of the stream: `action` runs synchronously for each value, until `lifetime` ends. The action
  /// should not keep what it changes.
  @inlinable
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

/// A binding to a target that lives elsewhere, as seen from there: whether it has been disposed of.
@usableFromInline
final class BindingTicket: Sendable {
  private let state = Lock(false)

  @usableFromInline
  init() {}

  var isOver: Bool { state.withLock { $0 } }

  func end() { state.withLock { $0 = true } }
}

/// A binding: ended by its source, by its target, or by whoever holds it.
///
/// Ownership: holder ===> binding ===> subscription ===> source; source ===> the observer ===> binding. The end cuts both.
@usableFromInline
final class Binding: EndNotifying {
  private var subscriptions: [Subscription] = []
  @usableFromInline let ticket: BindingTicket?
  @usableFromInline private(set) var isDisposed = false

  @usableFromInline
  init(isElsewhere: Bool) { ticket = isElsewhere ? BindingTicket() : nil }

  @usableFromInline
  func add(_ subscription: Subscription) {
    if isDisposed { subscription.dispose() } else { subscriptions.append(subscription) }
  }

  /// One side has gone. What is on its way to a target elsewhere still arrives.
  @usableFromInline
  func end() {
    isDisposed = true
    let old = subscriptions
    subscriptions = []
    for subscription in old { subscription.dispose() }
  }

  @usableFromInline
  func dispose() {
    ticket?.end()
    end()
  }

  @usableFromInline
  func pause() { for subscription in subscriptions { subscription.pause() } }

  @usableFromInline
  func resume() { for subscription in subscriptions { subscription.resume() } }

  @usableFromInline package var hasEnded: Bool { isDisposed }

  @usableFromInline
  package func watch() { for subscription in subscriptions { subscription.watch() } }
}
