public import Observation
public import Streams

extension Reactive where Base: Observable {
  /// The value at `keyPath`: the current one at once, then each new one. Works for every property that the `@Observable`
  /// object tracks, computed ones too.
  ///
  /// Swift's observation tells before a change, so the value is read and delivered on the next turn of the home, and
  /// several changes in one turn give one value. Observe it on a loop's thread, on the main actor or in an actor; elsewhere
  /// it traps.
  ///
  /// The object is held weakly. When it has gone the stream completes: at once where the object is `LifetimeProviding`, on
  /// the next turn otherwise. A key path that leads through other observable objects completes with the next change of
  /// those, unless the object is `LifetimeProviding`.
  ///
  /// Cost: a job for the home for each turn with a change.
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

  /// The changes of the value at `keyPath`: as `values(for:)`, without the current one.
  public func changes<Value>(for keyPath: KeyPath<Base, Value>) -> Stream<Value> { values(for: keyPath).skip(1) }
}

/// One observation of one key path. Confined to the home it posts to.
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

  /// Reads the value, watches for the next change, delivers.
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

  /// Completes where the object has gone.
  private func complete() {
    if base == nil { observer.take()?.completed() }
  }
}

/// What a change may call on any thread. The object that is watched is the one who keeps it: that it goes without a change
/// tells that the object has gone, or that nothing is tracked.
private final class Wake: @unchecked Sendable {
  // Sendable: `tell` is called by the jobs that are posted home, and nowhere else.
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
    // It leaves for the home, which alone calls it.
    nonisolated(unsafe) let tell = tell
    // A home that has closed and is not another thread is an actor that has died, perhaps with the object: nobody else is there.
    if !home.post({ tell(false) }), home.isCurrent != false { tell(false) }
  }
}
