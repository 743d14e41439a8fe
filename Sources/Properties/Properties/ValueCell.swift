public import Streams

/// A value and those who observe it: what properties and the views on them share.
@usableFromInline
final class ValueCell<Value>: HotCell<Value> {
  // A dynamic exclusivity check would cost more than the rest; no access below lasts while foreign code runs.
  @exclusivity(unchecked) @usableFromInline var value: Value

  @usableFromInline
  init(_ value: Value, isEnded: Bool = false) {
    self.value = value
    super.init(isEnded: isEnded)
  }

  /// The value, for a caller at home.
  @inlinable var checkedValue: Value {
    push.checkHome("A property")
    return value
  }

  /// The newest value that has been delivered, or is being delivered: where a new observer begins.
  @usableFromInline var current: Value { lagging ?? value }

  /// The current value, then changes.
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
    // The old value is released after the delivery: releasing it may run anything, this function included.
    var old = newValue
    swap(&old, &value)
    deliver(newValue)
    _ = consume old
  }

  @usableFromInline
  func setLater(_ newValue: Value) {
    var old = newValue
    swap(&old, &value)
    if lagging == nil { lagging = old }
    deliverLater(newValue)
  }

  /// Changes the value without telling anybody.
  func setSilently(_ newValue: Value) {
    push.checkHome("A property")
    var old = newValue
    swap(&old, &value)
    _ = consume old
  }
}
