public import Streams

/// A value with its observers, which a property and its views share.
@usableFromInline
final class ValueCell<Value>: HotCell<Value> {
  // Unchecked, because an exclusivity check would take longer than the rest. No access lasts while code of the user runs.
  @exclusivity(unchecked) @usableFromInline var value: Value

  @usableFromInline
  init(_ value: Value, isEnded: Bool = false) {
    self.value = value
    super.init(isEnded: isEnded)
  }

  /// The value, for a caller in the home domain.
  @inlinable var checkedValue: Value {
    push.checkHome("A property")
    return value
  }

  /// The latest value that was or is being delivered, with which a new observer begins.
  @usableFromInline var current: Value { lagging ?? value }

  /// Sends the current value, then each new one.
  @usableFromInline
  func subscribe(_ observer: Observer<Value, Never>, isComposing: Bool = false) -> any Disposable {
    subscribe(observer, startingWith: current, isComposing: isComposing)
  }

  @inlinable
  func set(_ newValue: Value) {
    push.checkHome("A property")
    if isBusy {
      setLater(newValue)
      return
    }
    // The old value is released after the delivery, because a deinit can run any code, including this function.
    var old = newValue
    swap(&old, &value)
    deliver(newValue)
    withExtendedLifetime(old) {}
  }

  @usableFromInline
  func setLater(_ newValue: Value) {
    var old = newValue
    swap(&old, &value)
    if lagging == nil { lagging = old }
    deliverLater(newValue)
  }

  /// Sets the value without notifying observers.
  func setSilently(_ newValue: Value) {
    push.checkHome("A property")
    var old = newValue
    swap(&old, &value)
    withExtendedLifetime(old) {}
  }
}
