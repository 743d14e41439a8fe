public import Streams

/// An interception of a closure property: calls of the closure are observed and then forwarded to the original closure.
///
/// ```swift
/// let data = Reactive(connection).seam(at: \.onData)
/// data.stream.observeNext { bytes in print(bytes.count) }.dispose(in: bag)
/// data.dispose(in: bag)
/// ```
///
/// Create one with `Reactive.seam(at:)` for `var onData: (Bytes) -> Void` or `var onData: ((Bytes) -> Void)?` with up to three
/// arguments, and with `init(wrapping:of:)` for other closures. `slot` has the streams, and accepts a handler that answers
/// instead of the closure.
///
/// The seam holds the object weakly. When the seam is disposed or deallocated, it sets the property back to the original
/// closure. Do not set the property before that: the seam cannot compare closures, and would overwrite your closure.
///
/// A property can have several seams with the same key path, which can be disposed in any order. A seam that is disposed before a newer one passes
/// the calls on until the newer one is disposed.
///
/// Confined to the domain of the object.
public final class ClosureSeam<Failure: Error, Output, each Argument>: Disposable {
  /// The slot with the streams and the handler of the calls.
  public let slot: ProxySlot<Failure, Output, repeat each Argument> = .init()
  private let installation = DisposeBag()

  /// Replaces the closure at `keyPath`. `wrap` receives the slot and the original closure, and returns a closure that sends its
  /// calls through the slot with `intercept`.
  ///
  /// ```swift
  /// let seam = ClosureSeam<Never, Void, Int, Int, Int, Int, Int>(wrapping: \.onMove, of: board) { slot, original in
  ///   { a, b, c, d, e in slot.intercept((a, b, c, d, e)) { original(a, b, c, d, e) } }
  /// }
  /// ```
  public init<Owner: AnyObject, Closure>(
    wrapping keyPath: ReferenceWritableKeyPath<Owner, Closure>, of owner: Owner, isolation: (any Actor)? = #isolation,
    _ wrap: (ProxySlot<Failure, Output, repeat each Argument>, Closure) -> Closure
  ) {
    let original = owner[keyPath: keyPath]
    owner[keyPath: keyPath] = wrap(slot, original)
    let layer = SeamLayer(of: owner, keyPath) { [weak owner] in owner?[keyPath: keyPath] = original }
    // A seam that is released ends like one that is disposed.
    installation.add(
      BlockDisposable { [slot] in
        layer.end()
        finish(slot)
      }, isolation: isolation)
  }

  /// The arguments of each call, sent after the original closure returned.
  public var stream: Stream<(repeat each Argument)> { calls(of: slot) }

  /// True if the original closure has been restored.
  public var isDisposed: Bool { installation.isDisposed }

  /// Restores the original closure and completes the streams. A second call does nothing.
  public func dispose() { installation.dispose() }
}

@available(*, unavailable)
extension ClosureSeam: Sendable {}

/// The part of a seam that restores the property. The layers of one property are in a list, because only the newest one is what
/// the property contains: the closures of the others are called by newer ones.
private final class SeamLayer {
  private struct Property: Hashable {
    let owner: ObjectIdentifier
    let path: AnyKeyPath
  }

  private static let all = Lock<[Property: [SeamLayer]]>([:])

  private weak var owner: AnyObject?
  private let property: Property
  private let restore: () -> Void
  private var hasEnded = false

  init(of owner: AnyObject, _ path: AnyKeyPath, restore: @escaping () -> Void) {
    self.owner = owner
    self.restore = restore
    property = Property(owner: ObjectIdentifier(owner), path: path)
    // Released outside the lock.
    var old: [SeamLayer] = []
    SeamLayer.all.withLock { all in
      var layers = all[property] ?? []
      // Another object at this address, which has been deallocated.
      if layers.contains(where: { $0.owner == nil }) { swap(&old, &layers) }
      all[property] = layers + [self]
    }
  }

  func end() {
    hasEnded = true
    var ended: [SeamLayer] = []
    SeamLayer.all.withLock { all in
      guard var layers = all[property] else { return }
      while let last = layers.last, last.hasEnded { ended.append(layers.removeLast()) }
      all[property] = layers.isEmpty ? nil : layers
    }
    ended.last?.restore()
  }
}

// The compiler finds members that a class with a pack inherits only through generic parameters.
private func calls<Slot: CalledSlot>(of slot: Slot) -> Stream<Slot.Arguments> { slot.didInvoke }
private func finish<Slot: AnyProxySlot>(_ slot: Slot) { slot.finish() }
