public import Observation
public import Streams

extension Reactive where Base: Observable {
  /// The value at `keyPath`: the current one at once, then each new one. Works for every property that the `@Observable`
  /// object tracks, computed ones too.
  ///
  /// Swift's observation tells before a change, so the value is read and delivered on the next turn of the home, and
  /// several changes in one turn give one value. Observe it on a loop's thread, on the main actor or in an actor; elsewhere
  /// it traps. The object is held weakly: when it has gone nothing more comes; where it is `LifetimeProviding` the stream
  /// completes.
  ///
  /// Cost: a job for the home for each turn with a change.
  public func values<Value>(for keyPath: KeyPath<Base, Value>) -> Stream<Value> {
    let lifetime = (base as? any LifetimeProviding)?.lifetime
    let values = Stream<Value> { [weak base] observer in
      guard let base else { return .none }
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
      An @Observable object is observed where nothing can be delivered to: observe it on a loop's thread, on the main \
      actor or in an actor.
      """)
  }

  var isDisposed: Bool { observer == nil }

  func dispose() { observer = nil }

  /// Reads the value, watches for the next change, delivers.
  func deliver() {
    guard let base, let observer else { return }
    let wake = Wake(home) { [weak self] in self?.deliver() }
    let value = withObservationTracking {
      base[keyPath: keyPath]
    } onChange: {
      wake.post()
    }
    observer.next(value)
  }
}

/// What a change may call on any thread.
private final class Wake: @unchecked Sendable {
  // Sendable: `deliver` is called by the job that is posted home, and nowhere else.
  private let deliver: () -> Void
  private let home: any Mailbox

  init(_ home: any Mailbox, _ deliver: @escaping () -> Void) {
    self.home = home
    self.deliver = deliver
  }

  func post() { home.post { [self] in deliver() } }
}
