/// What a subscription to a hot stream needs to know of it, whatever its types are.
@usableFromInline
class HotSource {
  @inlinable
  init() {}

  /// Takes the observer with this gate out. Does nothing if it is out already.
  @usableFromInline
  func remove(_ gate: Gate) {}
}

/// A place in an `ObserverTable`. Small enough to need no allocation as `any Disposable`.
@frozen @usableFromInline
struct TableSubscription: Disposable {
  @usableFromInline let source: HotSource
  @usableFromInline let gate: Gate

  @inlinable
  init(source: HotSource, gate: Gate) {
    self.source = source
    self.gate = gate
  }

  @inlinable var isDisposed: Bool { gate.flags & Gate.enteredBit == 0 }

  @inlinable
  func dispose() { source.remove(gate) }
}
