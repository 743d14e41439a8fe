public import Streams

extension MutablePropertyProtocol {
  /// Keeps two properties equal: `other` takes this one's value now, then each takes the other's changes, until one of them
  /// goes. Keeps neither.
  ///
  /// A change is not sent back to where it came from, but what an observer makes of it is: one that corrects a value corrects
  /// both. Where observers change both in one delivery the last change wins. Where those of both sides contradict each other
  /// they do so for ever.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to other: Other, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Other.Value == Value { bindBothWays(self, other, nil, isolation) }

  /// Keeps two properties equal: `other` takes this one's value now, then each takes the other's changes, until one of them
  /// goes. Keeps neither. A side that has the value already is not set again.
  ///
  /// A change is not sent back to where it came from, but what comes of it is: where an observer corrects a value, or a setter
  /// takes another one than it was given, both get that. Where observers change both in one delivery the last change wins.
  /// Where those of both sides contradict each other they do so for ever.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to other: Other, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Other.Value == Value, Value: Equatable { bindBothWays(self, other, isSame, isolation) }
}

extension ControlProperty {
  /// Keeps an owner's value and a property equal: the owner takes the property's value now and each time it changes, the
  /// property takes what the owner reports, until one of them goes. Keeps neither, and does not send a change back, unless an
  /// observer of the property has corrected it.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to property: Other, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Other.Value == Value { bindBothWays(property, nil, isolation) }

  /// Keeps an owner's value and a property equal: the owner takes the property's value now and each time it changes, the
  /// property takes what the owner reports, until one of them goes. Keeps neither, and does not send a change back, unless an
  /// observer of the property has corrected it, or one of both has taken another value than it was given.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to property: Other, isolation: (any Actor)? = #isolation
  ) -> any Disposable where Other.Value == Value, Value: Equatable { bindBothWays(property, isSame, isolation) }

  private func bindBothWays<Other: MutablePropertyProtocol>(
    _ property: Other, _ isSame: ((Value, Value) -> Bool)?, _ isolation: (any Actor)?
  ) -> any Disposable where Other.Value == Value {
    let toProperty = Copying()
    let (owner, read) = (bindingTarget, read)
    let toOwner = property.bind(
      to: BindingTarget(lifetime: owner.lifetime) { [weak property] value, _ in
        if toProperty.takesEcho() { return true }
        // What is copied is the value of this moment: the delivery may be late, behind a newer value.
        let value = property?.value ?? value
        if !owner.deliver(value, nil) { return false }
        if let isSame, let taken = read(), !isSame(taken, value) { property?.value = taken }
        return true
      }, isolation: isolation)
    let fromOwner = changed.bind(
      to: BindingTarget(lifetime: property.bindingTarget.lifetime) { [weak property] value, _ in
        guard let property else { return false }
        if let isSame, isSame(property.value, value) { return true }
        toProperty.perform { property.value = value }
        if let isSame, !isSame(property.value, value) { return owner.deliver(property.value, nil) }
        return true
      }, isolation: isolation)
    return JointDisposable(toOwner, fromOwner)
  }
}

private func bindBothWays<Value>(
  _ one: some MutablePropertyProtocol<Value>, _ other: some MutablePropertyProtocol<Value>,
  _ isSame: ((Value, Value) -> Bool)?, _ isolation: (any Actor)?
) -> any Disposable {
  func follow(
    _ source: some MutablePropertyProtocol<Value>, _ target: some MutablePropertyProtocol<Value>, _ copying: Copying,
    _ back: Copying
  ) -> any Disposable {
    source.changes.bind(
      to: BindingTarget(lifetime: target.bindingTarget.lifetime) { [weak source, weak target] _, _ in
        guard let source, let target else { return false }
        if back.takesEcho() { return true }
        // What is copied is the value of this moment: the delivery may be late, behind a newer value.
        let value = source.value
        if let isSame, isSame(target.value, value) { return true }
        copying.perform { target.value = value }
        if let isSame, !isSame(target.value, source.value) { source.value = target.value }
        return true
      }, isolation: isolation)
  }
  let (there, back) = (Copying(), Copying())
  other.value = one.value
  if let isSame, !isSame(other.value, one.value) { one.value = other.value }
  return JointDisposable(follow(one, other, there, back), follow(other, one, back, there))
}

/// That one side of a binding is being set to the value of the other.
private final class Copying {
  /// Waits for the echo: the first value that the side delivers while it is being set. What it delivers after that is not
  /// what it was set to, but what its observers have made of it.
  private var isWaiting = false

  func perform(_ body: () -> Void) {
    let wasWaiting = isWaiting
    isWaiting = true
    body()
    isWaiting = wasWaiting
  }

  func takesEcho() -> Bool {
    defer { isWaiting = false }
    return isWaiting
  }
}

/// Whether two values are equal, or none of them equals itself.
private func isSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
  one == other || (one != one && other != other)
}
