public import Observation
public import Streams

extension Reactive where Base: Observable {
  /// Returns a stream of the value at `keyPath`: the current value immediately, then each new one. It works for every property that
  /// the `@Observable` object tracks, including computed ones.
  ///
  /// Swift's observation notifies before a change, so the value is read and delivered in the next loop iteration of the home. Several changes
  /// before that give one value. Traps if it is observed anywhere but on a loop's thread, on the main actor, or in an actor.
  ///
  /// If other threads change the object, announce each change after it, with an empty `withMutation(of:keyPath:_:)`. Otherwise, the home
  /// can read the old value before the change is made, and the new value is not delivered until the next change.
  ///
  /// The object is held weakly. After its deallocation the stream completes: immediately if the object is `LifetimeProviding`, otherwise in
  /// the next loop iteration. A key path through other observable objects completes with the next change of those, unless the object is
  /// `LifetimeProviding`.
  ///
  /// - Complexity: One job in the home domain for each loop iteration with a change.
  public func values<Value>(for keyPath: KeyPath<Base, Value>) -> Stream<Value> {
    let lifetime = (base as? any LifetimeProviding)?.lifetime
    let values = Stream<Value> { [weak base] observer in
      guard let base else {
        observer.completed()
        return .none
      }
      let tracking = Tracking(base, keyPath, observer)
      tracking.deliver()
      return tracking
    }
    return lifetime.map { values.take(during: $0) } ?? values
  }

  /// Returns a stream of the new values at `keyPath`, without the current one.
  public func changes<Value>(for keyPath: KeyPath<Base, Value>) -> Stream<Value> { values(for: keyPath).skip(1) }
}

/// One observation of one key path, confined to its home.
private final class Tracking<Base: AnyObject & Observable, Value>: Disposable {
  private weak var base: Base?
  private let keyPath: KeyPath<Base, Value>
  private var observer: Observer<Value, Never>?
  private let home: any Mailbox

  init(_ base: Base, _ keyPath: KeyPath<Base, Value>, _ observer: Observer<Value, Never>) {
    self.base = base
    self.keyPath = keyPath
    self.observer = observer
    home = HomeThread.requireMailbox(
      """
      An @Observable object was observed on a thread that cannot receive its changes. Observe it on a loop's thread, on \
      the main actor, or in an actor.
      """)
  }

  var isDisposed: Bool { observer == nil }

  func dispose() { observer = nil }

  /// Reads the value, tracks the next change, and delivers.
  func deliver() {
    guard let observer else { return }
    guard let base else { return complete() }
    let wake = Wake(home) { [weak self] hasChanged in
      if hasChanged { self?.deliver() } else { self?.complete() }
    }
    let value = withObservationTracking {
      base[keyPath: keyPath]
    } onChange: {
      wake.post()
    }
    observer.next(value)
  }

  /// Completes after the object is deallocated.
  private func complete() {
    if base == nil { observer.take()?.completed() }
  }
}

/// The object that a change calls on any thread. Only the observed object retains it, so its deallocation without a change shows that the
/// object was deallocated, or that nothing is tracked.
private final class Wake: @unchecked Sendable {
  // Sendable: only jobs at home call `tell`, or the deinitializer if home has closed.
  private let tell: (_ hasChanged: Bool) -> Void
  private let home: any Mailbox
  private let hasChanged = Lock(false)

  init(_ home: any Mailbox, _ tell: @escaping (_ hasChanged: Bool) -> Void) {
    self.home = home
    self.tell = tell
  }

  func post() {
    hasChanged.withLock { $0 = true }
    home.post { [self] in tell(true) }
  }

  deinit {
    if hasChanged.withLock({ $0 }) { return }
    // Sent to the home, and called only there.
    nonisolated(unsafe) let tell = tell
    // A closed home that is not another thread is a deallocated actor, in whose domain no other thread can be.
    if !home.post({ tell(false) }), home.isCurrent != false { tell(false) }
  }
}
