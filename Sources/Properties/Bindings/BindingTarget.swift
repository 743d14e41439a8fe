public import Streams

/// A type that streams can be bound to.
public protocol BindingTargetProvider<Value> {
  /// The type of the values.
  associatedtype Value

  /// The target of a binding.
  var bindingTarget: BindingTarget<Value> { get }
}

/// The target of a binding: a closure, the lifetime of its object, and whether the closure runs in another domain.
///
/// A target does not retain its object. Create one with `Binder`, or with a lifetime if you have one.
public struct BindingTarget<Value>: BindingTargetProvider {
  /// Delivers a value. Returns false after the object is deallocated. A target in another domain gets a ticket, which shows at the delivery
  /// whether the binding was disposed.
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

  /// Creates a target in the domain of the stream. `action` runs synchronously for each value until `lifetime` ends. It should not retain the
  /// object that it changes.
  @inlinable
  public init(lifetime: Lifetime, _ action: @escaping (Value) -> Void) {
    self.init(lifetime: lifetime) { value, _ in
      action(value)
      return true
    }
  }

  /// This target.
  public var bindingTarget: BindingTarget { self }
}

@available(*, unavailable)
extension BindingTarget: Sendable {}

/// The state of a binding to a target in another domain: whether it was disposed.
@usableFromInline
final class BindingTicket: Sendable {
  private let state = Lock(false)

  @usableFromInline
  init() {}

  var isOver: Bool { state.withLock { $0 } }

  func end() { state.withLock { $0 = true } }
}

/// A binding. Its source, its target, or a disposal ends it.
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

  /// Ends the binding after one side has ended. Values on their way to another domain are still delivered.
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
