/// One subscription to one source, as its producer, its operators, and its observer see it: open, paused, or disposed of.
///
/// ```swift
/// let subscription = Stream.interval(.seconds(1)).observeNext { print($0) }
/// subscription.pause()
/// subscription.resume()
/// subscription.dispose()
/// ```
///
/// Observing a stream returns the subscription at the end of the chain. Letting go of it does not end it: dispose it, or put
/// it in a `DisposeBag`.
///
/// Every `Observer` carries the subscription that it belongs to. A producer that emits in a loop asks it before each element,
/// so that an infinite sequence stops when its observer has had enough, and a producer that can wait stops while it is
/// paused:
///
/// ```swift
/// let source = Operation<Int, Never> { observer in
///   var number = 0
///   while observer.subscription.isOpen {
///     observer.next(number)
///     number += 1
///   }
///   return .none
/// }
/// source.take(3).observeNext { print($0) }.dispose(in: bag)
/// ```
///
/// An operator that ends by itself (`take`) or has several upstreams (`merge`) puts a subscription of its own in front of each
/// of them. Disposing and pausing reach a source in two ways. They are passed up the chain: each subscription asks what its
/// upstream has returned. A source that sends before it has returned anything cannot be asked; it asks, down the chain.
///
/// ```swift
/// extension StreamProtocol {
///   /// Each element twice.
///   func twice() -> Operation<Element, Failure> {
///     Operation { observer in
///       let subscription = Subscription(downstream: observer.subscription)
///       subscription.attach(
///         subscribe(
///           Observer(
///             for: subscription,
///             next: {
///               observer.next($0)
///               observer.next($0)
///             }, termination: { observer.terminate($0) })))
///       return subscription
///     }
///   }
/// }
/// ```
///
/// A subscription is confined: it belongs to the isolation domain in which it was made.
///
/// Ownership: source ===> observer ===> subscription ===> the one downstream; subscription ===> what its upstream returned,
/// which may be the source. That cycle is cut by the end, by disposal, and where the source goes without an end.
public class Subscription: Disposable {
  @usableFromInline static let disposedBit: UInt8 = 1
  @usableFromInline static let pausedBit: UInt8 = 2
  /// The source has gone without an end: nothing more comes from there.
  @usableFromInline static let vanishedBit: UInt8 = 8
  /// A failure that arrives at this sink is reported, because its observer does not ask for failures.
  @usableFromInline static let reportsBit: UInt8 = 16
  /// The upstream is to go on after the delivery that is on the stack. For `SerializedSubscription`.
  @usableFromInline static let resumesBit: UInt8 = 32
  /// The upstream is being asked to go on. For `SerializedSubscription`.
  @usableFromInline static let resumingBit: UInt8 = 64
  /// Says when it is over. For `Sink`. See `EndNotifying`.
  @usableFromInline static let watchedBit: UInt8 = 128
  /// What a delivery has to look at when it ends.
  @usableFromInline static let afterDeliveryBits: UInt8 = disposedBit | vanishedBit | resumesBit

  // A dynamic exclusivity check costs more than the rest of a delivery; every access below is a single load or store.
  @exclusivity(unchecked) @usableFromInline final var flags: UInt8 = 0
  /// One of the closures that this subscription holds is on the stack. For `Sink` and `SerializedSubscription`. A byte of its
  /// own: a delivery writes it, and `flags`, which is read before each element, would have to wait for what was written.
  @exclusivity(unchecked) @usableFromInline final var isDelivering = false
  /// Where the hot source keeps the entry for this subscription. Maintained by `ObserverTable`.
  @exclusivity(unchecked) @usableFromInline final var tableIndex: UInt32 = 0
  /// The place in the table of the domain, for the end of a chain. See `OpenSubscriptions`.
  private final var place = OpenSubscriptions.Place(index: 0, domain: 0)
  /// The subscription downstream, which this one keeps alive. Unmanaged: a walk to the end of the chain, which a producer
  /// takes before each element, must not retain and release each subscription on the way.
  @usableFromInline final let downstream: Unmanaged<Subscription>?
  /// The hot source that has an entry for this subscription, for as long as it does. Maintained by `ObserverTable`.
  @exclusivity(unchecked) @usableFromInline final var hotSource: Unmanaged<HotSource>?
  /// What subscribing to the source has returned.
  @exclusivity(unchecked) @usableFromInline final var upstream: (any Disposable)?
  #if DEBUG
  private let token: LiveResources.Token?
  #endif

  /// Makes an open subscription to one source, for an operator in front of `downstream`. With nil it is the end of a chain.
  public init(downstream: Subscription?) {
    self.downstream = downstream.map { Unmanaged.passRetained($0) }
    #if DEBUG
    token = LiveResources.register("subscription")
    #endif
    if downstream == nil { place = OpenSubscriptions.enter(.passUnretained(self)) }
  }

  deinit {
    if place.domain != 0 { OpenSubscriptions.leave(place) }
    downstream?.release()
  }

  // MARK: Asking

  /// True when nothing more may be delivered: after the terminal event, and after disposal here or downstream.
  @inlinable
  public final var isDisposed: Bool { hasAny(Subscription.disposedBit) }

  /// True while the observer has asked its producer to wait.
  @inlinable
  public final var isPaused: Bool { hasAny(Subscription.pausedBit) }

  /// Neither disposed of nor paused, here or downstream: what a producer in a loop asks before each element.
  @inlinable
  public final var isOpen: Bool { !hasAny(Subscription.disposedBit | Subscription.pausedBit) }

  /// Whether this subscription or one downstream has one of `bits`.
  @inlinable
  final func hasAny(_ bits: UInt8) -> Bool {
    // It keeps the subscriptions of the walk.
    defer { withExtendedLifetime(self) {} }
    if flags & bits != 0 { return true }
    var next = downstream
    while let subscription = next {
      let isFound: Bool
      (isFound, next) = subscription._withUnsafeGuaranteedRef { ($0.flags & bits != 0, $0.downstream) }
      if isFound { return true }
    }
    return false
  }

  /// Nothing more arrives through this subscription: it is disposed of, or its source has gone.
  @inlinable
  package final var isOver: Bool { flags & (Subscription.disposedBit | Subscription.vanishedBit) != 0 }

  // MARK: The upstream

  /// Subscribes to `source`. The upstream is disposed before `termination` runs, so whoever holds this subscription holds
  /// nothing of an upstream that has ended.
  @inlinable
  final func connect<Source: StreamProtocol>(
    _ source: Source, next: @escaping (Source.Element) -> Void,
    termination: @escaping (Termination<Source.Failure>) -> Void
  ) {
    attach(
      source.subscribe(
        Observer(
          for: self, next: next,
          termination: { end in
            self.dispose()
            termination(end)
            self.didEnd()
          })))
  }

  /// Takes what subscribing to the source has returned, which for a hot source is this subscription itself. If the end or a
  /// disposal has come before, that is disposed of now.
  @inlinable
  public final func attach(_ upstream: any Disposable) {
    if upstream === self {
      // A hot source, which cannot be asked to wait, and of which this subscription knows already.
      if isOver { leaveHotSource() }
    } else if isOver {
      upstream.dispose()
    } else {
      self.upstream = upstream
      if flags & Subscription.pausedBit != 0 { upstream.pause() }
    }
  }

  /// Ends the subscription: no event is delivered after this call, the producer is stopped, and what it captured is
  /// released. A second call does nothing.
  @inlinable
  public func dispose() {
    if flags & Subscription.disposedBit != 0 { return }
    flags |= Subscription.disposedBit
    disposeUpstream()
    release()
  }

  @inlinable
  final func disposeUpstream() {
    if hotSource != nil { leaveHotSource() }
    if let upstream = upstream.take() { upstream.dispose() }
  }

  /// Has the hot source remove its entry.
  @usableFromInline
  final func leaveHotSource() {
    // Strong: what the entry releases may hold the last reference to the source.
    if let source = hotSource?.takeUnretainedValue() { withExtendedLifetime(source) { source.remove(self) } }
  }

  /// Asks the producer to wait. Reaches every source of the chain that can: a file descriptor is not read, a sequence
  /// does not advance. A source that cannot wait goes on, and what it sends is delivered. A second call does nothing.
  @inlinable
  public func pause() {
    if flags & (Subscription.pausedBit | Subscription.disposedBit) != 0 { return }
    flags |= Subscription.pausedBit
    upstream?.pause()
  }

  /// Takes `pause()` back. May deliver before it returns.
  @inlinable
  public func resume() {
    if flags & Subscription.pausedBit == 0 { return }
    flags &= ~Subscription.pausedBit
    upstream?.resume()
  }

  // MARK: The end

  /// Nothing more will be delivered: releases what is held for deliveries. Called at disposal, and when the source has gone.
  @usableFromInline
  func release() {}

  /// The source has gone without an end, or one of several has ended after that.
  ///
  /// If nothing more can arrive here, the subscription lets go of its upstream and of what it holds for its deliveries, and
  /// notifies the one downstream. It stays open: the observer is not notified.
  @usableFromInline
  func sourceDidVanish() {
    if isOver { return }
    defer { withExtendedLifetime(self) {} }
    flags |= Subscription.vanishedBit
    // What is released on the way may hold the subscriptions downstream.
    let upstream = upstream.take()
    release()
    notifyDownstreamOfVanishing()
    leaveHotSource()
    upstream?.dispose()
  }

  @usableFromInline
  final func notifyDownstreamOfVanishing() {
    if let downstream = downstream?.takeUnretainedValue() {
      withExtendedLifetime(downstream) { downstream.sourceDidVanish() }
    }
  }

  /// An operator whose other sources have gone is over when this one has ended.
  @inlinable
  final func didEnd() {
    if let downstream, downstream._withUnsafeGuaranteedRef({ $0.flags & Subscription.vanishedBit != 0 }) {
      notifyDownstreamOfVanishing()
    }
  }

  /// Has `body` deliver a failure that has been observed: if it arrives, it is not reported.
  @usableFromInline
  package final func withFailureObserved(_ body: () -> Void) {
    if let downstream { return downstream._withUnsafeGuaranteedRef { $0.withFailureObserved(body) } }
    let reports = flags & Subscription.reportsBit
    flags &= ~Subscription.reportsBit
    body()
    // What has caught it goes on, and may fail again.
    flags |= reports
  }
}

extension Subscription: CustomReflectable {
  /// Without children: reflection copies what it shows, and a subscription holds what cannot be copied.
  public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

extension Subscription: EndNotifying {
  @usableFromInline package var hasEnded: Bool { isOver }

  @usableFromInline
  package func watch() { flags |= Subscription.watchedBit }
}

@available(*, unavailable)
extension Subscription: Sendable {}
