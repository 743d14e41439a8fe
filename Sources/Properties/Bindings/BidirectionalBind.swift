public import Streams

extension MutablePropertyProtocol {
  /// Keeps two properties equal until one of them is deallocated. `other` is set to this property's value now, and then each is set to the
  /// other's changes. Retains neither.
  ///
  /// A change is not sent back to its source, but a correction by an observer is, so it corrects both properties. If observers change both
  /// in one delivery, the last change wins. If observers of both sides contradict each other, the corrections do not end.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to other: Other, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable where Other.Value == Value { bindBothWays(self, other, nil, isolation, file, line) }

  /// Keeps two properties equal until one of them is deallocated. `other` is set to this property's value now, and then each is set to the
  /// other's changes. Retains neither. A property that has the value is not set again.
  ///
  /// A change is not sent back to its source, but a correction by an observer or a setter is, so it corrects both properties. If observers
  /// change both in one delivery, the last change wins. If observers of both sides contradict each other, the corrections do not end.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to other: Other, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable where Other.Value == Value, Value: Equatable {
    bindBothWays(self, other, isSame, isolation, file, line)
  }

  /// Keeps this property and the value of a control's owner equal until one of them is deallocated. The owner is set to this property's
  /// value now and after each change, and this property is set to the values that the owner reports. Retains neither. A change is not
  /// sent back, unless an observer of this property corrected it.
  @discardableResult
  public func bidirectionalBind(
    to control: ControlProperty<Value>, isolation: (any Actor)? = #isolation, file: StaticString = #fileID,
    line: UInt = #line
  ) -> any Disposable {
    control.bidirectionalBind(to: self, isolation: isolation, file: file, line: line)
  }

  /// Keeps this property and the value of a control's owner equal until one of them is deallocated. The owner is set to this property's
  /// value now and after each change, and this property is set to the values that the owner reports. Retains neither. A change is not
  /// sent back, unless an observer of this property, or one of both setters, corrected it.
  @discardableResult
  public func bidirectionalBind(
    to control: ControlProperty<Value>, isolation: (any Actor)? = #isolation, file: StaticString = #fileID,
    line: UInt = #line
  ) -> any Disposable where Value: Equatable {
    control.bidirectionalBind(to: self, isolation: isolation, file: file, line: line)
  }
}

extension ControlProperty {
  /// Keeps an owner's value and a property equal until one of them is deallocated. The owner is set to the property's value now and after
  /// each change, and the property is set to the values that the owner reports. Retains neither. A change is not sent back, unless an
  /// observer of the property corrected it.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to property: Other, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable where Other.Value == Value { bindBothWays(property, nil, isolation, file, line) }

  /// Keeps an owner's value and a property equal until one of them is deallocated. The owner is set to the property's value now and after
  /// each change, and the property is set to the values that the owner reports. Retains neither. A change is not sent back, unless an
  /// observer of the property, or one of both setters, corrected it.
  @discardableResult
  public func bidirectionalBind<Other: MutablePropertyProtocol>(
    to property: Other, isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable where Other.Value == Value, Value: Equatable {
    bindBothWays(property, isSame, isolation, file, line)
  }

  private func bindBothWays<Other: MutablePropertyProtocol>(
    _ property: Other, _ isSame: ((Value, Value) -> Bool)?, _ isolation: (any Actor)?, _ file: StaticString,
    _ line: UInt
  ) -> any Disposable where Other.Value == Value {
    let toProperty = Copying()
    let (owner, read) = (bindingTarget, read)
    let toOwner = property.bind(
      to: BindingTarget(lifetime: owner.lifetime) { [weak property] value, _ in
        if toProperty.takesEcho() { return true }
        // Copies the current value, because the delivery can be late, after a newer value.
        let value = property?.value ?? value
        if !owner.deliver(value, nil) { return false }
        if let isSame, let taken = read(), !isSame(taken, value) { property?.value = taken }
        return true
      }, isolation: isolation, file: file, line: line)
    let fromOwner = changed.bind(
      to: BindingTarget(lifetime: property.bindingTarget.lifetime) { [weak property] value, _ in
        guard let property else { return false }
        if let isSame, isSame(property.value, value) { return true }
        toProperty.perform { property.value = value }
        if let isSame, !isSame(property.value, value) { return owner.deliver(property.value, nil) }
        return true
      }, isolation: isolation, file: file, line: line)
    return JointDisposable(toOwner, fromOwner)
  }
}

private func bindBothWays<Value>(
  _ one: some MutablePropertyProtocol<Value>, _ other: some MutablePropertyProtocol<Value>,
  _ isSame: ((Value, Value) -> Bool)?, _ isolation: (any Actor)?, _ file: StaticString, _ line: UInt
) -> any Disposable {
  func follow(
    _ source: some MutablePropertyProtocol<Value>, _ target: some MutablePropertyProtocol<Value>, _ copying: Copying,
    _ back: Copying
  ) -> any Disposable {
    source.changes.bind(
      to: BindingTarget(lifetime: target.bindingTarget.lifetime) { [weak source, weak target] _, _ in
        guard let source, let target else { return false }
        if back.takesEcho() { return true }
        // Copies the current value, because the delivery can be late, after a newer value.
        let value = source.value
        if let isSame, isSame(target.value, value) { return true }
        copying.perform { target.value = value }
        if let isSame, !isSame(target.value, source.value) { source.value = target.value }
        return true
      }, isolation: isolation, file: file, line: line)
  }
  let (there, back) = (Copying(), Copying())
  other.value = one.value
  if let isSame, !isSame(other.value, one.value) { one.value = other.value }
  return JointDisposable(follow(one, other, there, back), follow(other, one, back, there))
}

/// The state while one side of a binding is set to the value of the other.
private final class Copying {
  /// True until the side delivers its first value while it is set, the echo. Later values are corrections by its observers.
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

/// Returns whether two values are equal, or neither equals itself.
private func isSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
  one == other || (one != one && other != other)
}
