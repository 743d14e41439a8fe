/// One subscription to one source. It is open, paused, or disposed.
///
/// ```swift
/// let subscription = Stream.interval(.seconds(1)).observeNext { print($0) }
/// subscription.pause()
/// subscription.resume()
/// subscription.dispose()
/// ```
///
/// Observing a stream returns the last subscription of the chain. Releasing it does not end it: dispose it, or put it in a
/// `DisposeBag`.
///
/// Every `Observer` has the subscription that it belongs to. A producer that emits in a loop checks it before each element, so
/// that an infinite sequence stops when its observer is disposed or paused:
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
/// An operator that ends by itself (`take`) or has several upstreams (`merge`) creates a subscription for each upstream. Disposal
/// and pausing reach a source in two ways. Each subscription passes them up the chain to the disposable that its upstream
/// returned. A source that sends before it has returned a disposable checks the subscriptions down the chain.
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
/// A subscription is confined to the isolation domain that creates it.
///
/// Ownership: source ===> observer ===> subscription ===> downstream subscription; subscription ===> the upstream's disposable,
/// which can be the source. The end, a disposal, and the deallocation of the source break that cycle.
public class Subscription: Disposable {
  @usableFromInline static let disposedBit: UInt8 = 1
  @usableFromInline static let pausedBit: UInt8 = 2
  /// Set if the observer paused and resumed before the source returned its disposable.
  @usableFromInline static let resumedEarlyBit: UInt8 = 4
  /// Set if the source was released without an end, so that no event can follow.
  @usableFromInline static let vanishedBit: UInt8 = 8
  /// Set if a failure is reported, because the observer does not handle failures.
  @usableFromInline static let reportsBit: UInt8 = 16
  /// Set if the upstream must resume after the running delivery. For `SerializedSubscription`.
  @usableFromInline static let resumesBit: UInt8 = 32
  /// Set while the upstream resumes. For `SerializedSubscription`.
  @usableFromInline static let resumingBit: UInt8 = 64
  /// Set if `EndWatch` is notified of the end. For `Sink`.
  @usableFromInline static let watchedBit: UInt8 = 128
  /// The bits that a delivery checks when it ends.
  @usableFromInline static let afterDeliveryBits: UInt8 = disposedBit | vanishedBit | resumesBit

  // Unchecked, because an exclusivity check takes longer than the rest of a delivery. Every access is a single load or store.
  @exclusivity(unchecked) @usableFromInline final var flags: UInt8 = 0
  /// True while a closure of this subscription runs. For `Sink` and `SerializedSubscription`. Not a bit of `flags`: each delivery
  /// writes it, and reading `flags` before the next element would wait for the write.
  @exclusivity(unchecked) @usableFromInline final var isDelivering = false
  /// True while a completion waits for the end of a registration. For `SerializedSubscription`. Not a bit of `flags`, which are all used.
  @exclusivity(unchecked) @usableFromInline final var holdsCompletion = false
  /// The index of this subscription's entry in the hot source. Maintained by `ObserverTable`.
  @exclusivity(unchecked) @usableFromInline final var tableIndex: UInt32 = 0
  /// The entry in the domain's `OpenSubscriptions`, for the last subscription of a chain.
  private final var place = OpenSubscriptions.Place(index: 0, domain: 0)
  /// The downstream subscription, retained. Unmanaged, because a producer walks the chain before each element, and the walk must
  /// not retain and release each subscription.
  @usableFromInline final let downstream: Unmanaged<Subscription>?
  /// The hot source, while it has an entry for this subscription. Maintained by `ObserverTable`.
  @exclusivity(unchecked) @usableFromInline final var hotSource: Unmanaged<HotSource>?
  /// The disposable that the source returned.
  @exclusivity(unchecked) @usableFromInline final var upstream: (any Disposable)?
  #if DEBUG
  private var token: LiveResources.Token?
  #endif
  #if Tracing
  @exclusivity(unchecked) @usableFromInline final var mark = Trace.Mark()
  #endif

  /// Creates an open subscription for an operator before `downstream`, or with nil for the end of a chain.
  public init(downstream: Subscription?) {
    self.downstream = downstream.map { Unmanaged.passRetained($0) }
    #if DEBUG
    token = LiveResources.register("subscription", self, below: downstream?.token)
    #endif
    if downstream == nil { place = OpenSubscriptions.enter(.passUnretained(self)) }
    #if Tracing
    if Trace.isOn, downstream != nil { Trace.began(self) }
    #endif
  }

  /// Notes where the chain is observed, for a test that looks for leaks, and for a recording.
  @usableFromInline
  final func isObserved(at file: StaticString, _ line: UInt) {
    #if DEBUG
    token?.isObserved(at: line == 0 ? "\(file)" : "\(file):\(line)")
    #endif
    #if Tracing
    mark.file = file
    mark.line = line
    if Trace.isOn { Trace.began(self) }
    #endif
  }

  #if DEBUG || Tracing
  /// Notes that an operator or a source is part of the chain, for a test that looks for leaks, and for a recording.
  @inlinable
  final func isLinked(by name: StaticString) {
    #if DEBUG
    isLinked(by: { "\(name)" })
    #endif
    #if Tracing
    if Trace.isOn { Trace.chain(self, name) }
    #endif
  }
  #endif

  #if DEBUG
  /// Notes a name that takes time to make, if a test looks for leaks.
  @usableFromInline
  final func isLinked(by name: () -> String) { token?.isLinked(by: name()) }
  #endif

  /// Runs a closure of the observer. A test that looks for leaks counts what it makes, also if a loop or another task calls it.
  @inlinable @inline(__always)
  final func observing(_ body: () -> Void) {
    #if DEBUG
    counting(body)
    #else
    body()
    #endif
  }

  #if DEBUG
  @usableFromInline
  final func counting(_ body: () -> Void) { if let token { token.counting(body) } else { body() } }
  #endif

  deinit {
    #if Tracing
    if mark.id != 0 { Trace.ended(self, "released") }
    #endif
    if place.domain != 0 { OpenSubscriptions.leave(place) }
    downstream?.release()
  }

  // MARK: State

  /// True if no event can be delivered: after the terminal event, and after a disposal of this subscription or of one
  /// downstream.
  @inlinable
  public final var isDisposed: Bool { hasAny(Subscription.disposedBit) }

  /// True while this subscription or one downstream is paused.
  @inlinable
  public final var isPaused: Bool { hasAny(Subscription.pausedBit) }

  /// True if this subscription and those downstream are neither disposed nor paused. Check it before each element in a loop.
  @inlinable
  public final var isOpen: Bool { !hasAny(Subscription.disposedBit | Subscription.pausedBit) }

  /// Returns whether this subscription or one downstream has one of `bits`.
  @inlinable
  final func hasAny(_ bits: UInt8) -> Bool {
    // It retains the subscriptions of the walk.
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

  /// True if no event can pass this subscription: it is disposed, or its source has vanished.
  @inlinable
  package final var isOver: Bool { flags & (Subscription.disposedBit | Subscription.vanishedBit) != 0 }

  // MARK: The upstream

  /// Subscribes to `source`. The upstream is disposed before `termination` runs, so this subscription retains nothing of an upstream
  /// that has ended.
  ///
  /// An end after a disposal is dropped: a source that sends inside `subscribe` cannot be disposed before it has returned. Elements are
  /// not checked here. An operator that disposes this subscription in `next` checks `isOver` there.
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
            if self.flags & Subscription.disposedBit != 0 { return }
            self.dispose()
            termination(end)
            self.didEnd()
          })))
  }

  /// Stores the disposable that the source returned. If this subscription is over, disposes it instead.
  ///
  /// A hot source returns this subscription itself.
  ///
  /// If the observer paused and resumed before, the source may have stopped at the pause, and resumes now.
  @inlinable
  public final func attach(_ upstream: any Disposable) {
    if upstream === self {
      // A hot source, which cannot pause, and which `hotSource` names already.
      if isOver { leaveHotSource() }
    } else if isOver {
      upstream.dispose()
    } else {
      self.upstream = upstream
      if flags & Subscription.pausedBit != 0 {
        upstream.pause()
      } else if flags & Subscription.resumedEarlyBit != 0 {
        resumeAttached(upstream)
      }
    }
  }

  /// Resumes an upstream whose observer paused and resumed before the upstream was attached.
  ///
  /// A source that sends before it has returned a disposable reads the pause, and cannot be notified of its end. Both calls are
  /// repeated, because an operator resumes nothing that it has not paused.
  @usableFromInline
  final func resumeAttached(_ upstream: any Disposable) {
    flags &= ~Subscription.resumedEarlyBit
    // If the downstream is paused, it pauses and resumes the upstream itself.
    if !isOpen { return }
    upstream.pause()
    upstream.resume()
  }

  /// Ends the subscription: no event is delivered after this call, the producer is stopped, and its captures are released. A second
  /// call does nothing.
  @inlinable
  public func dispose() {
    if flags & Subscription.disposedBit != 0 { return }
    flags |= Subscription.disposedBit
    #if Tracing
    if mark.id != 0 { Trace.ended(self, "disposed") }
    #endif
    disposeUpstream()
    release()
  }

  @inlinable
  final func disposeUpstream() {
    if hotSource != nil { leaveHotSource() }
    if let upstream = upstream.take() { upstream.dispose() }
  }

  /// Removes the entry of this subscription from the hot source.
  @usableFromInline
  final func leaveHotSource() {
    // Retained, because removing the entry can release the last reference to the source.
    if let source = hotSource?.takeUnretainedValue() { withExtendedLifetime(source) { source.remove(self) } }
  }

  /// Asks the sources of the chain to stop sending: a file descriptor is not read, a sequence does not advance. The elements of a
  /// source that cannot pause are still delivered. A second call does nothing.
  @inlinable
  public func pause() {
    if flags & (Subscription.pausedBit | Subscription.disposedBit) != 0 { return }
    flags |= Subscription.pausedBit
    #if Tracing
    if Trace.isOn { Trace.changed(self, isPaused: true) }
    #endif
    upstream?.pause()
  }

  /// Ends a pause. Elements can be delivered before it returns.
  @inlinable
  public func resume() {
    // A disposal can run code that resumes, before it has reached the upstream.
    if flags & (Subscription.pausedBit | Subscription.disposedBit) != Subscription.pausedBit { return }
    flags &= ~Subscription.pausedBit
    #if Tracing
    if Trace.isOn { Trace.changed(self, isPaused: false) }
    #endif
    if let upstream { upstream.resume() } else { flags |= Subscription.resumedEarlyBit }
  }

  // MARK: The end

  /// Lets a completion wait for `releaseCompletion`, because a failure can replace it. Only the observer that
  /// `Operation { observer in … }` passes to its producer supports this.
  @usableFromInline
  package func holdCompletion() {}

  /// Delivers a completion that was sent since `holdCompletion`, or drops it.
  @usableFromInline
  package func releaseCompletion(isDelivered: Bool) {}

  /// Releases the closures. Called at disposal, and when the source has vanished.
  @usableFromInline
  func release() {}

  /// Handles a source that was released without an end, or the end of another source after that.
  ///
  /// If no event can follow, the subscription releases its upstream and its closures, and notifies the downstream subscription. It
  /// stays open, and the observer is not notified.
  @usableFromInline
  func sourceDidVanish() {
    if isOver { return }
    vanish { notifyDownstreamOfVanishing() }
  }

  /// Releases this subscription, and calls `notify` before the upstream is disposed.
  @usableFromInline
  final func vanish(_ notify: () -> Void) {
    defer { withExtendedLifetime(self) {} }
    flags |= Subscription.vanishedBit
    #if Tracing
    if mark.id != 0 { Trace.ended(self, "source released") }
    #endif
    // The objects that are released here can hold the last references to the downstream subscriptions.
    let upstream = upstream.take()
    release()
    notify()
    leaveHotSource()
    upstream?.dispose()
  }

  @usableFromInline
  final func notifyDownstreamOfVanishing() {
    if let downstream = downstream?.takeUnretainedValue() {
      withExtendedLifetime(downstream) { downstream.sourceDidVanish() }
    }
  }

  /// Notifies an operator whose other sources have vanished that this source has ended.
  @inlinable
  final func didEnd() {
    if let downstream, downstream._withUnsafeGuaranteedRef({ $0.flags & Subscription.vanishedBit != 0 }) {
      notifyDownstreamOfVanishing()
    }
  }

  /// Runs `body`, which delivers a failure that was observed, so that it is not reported.
  @usableFromInline
  package final func withFailureObserved(_ body: () -> Void) {
    if let downstream { return downstream._withUnsafeGuaranteedRef { $0.withFailureObserved(body) } }
    let reports = flags & Subscription.reportsBit
    flags &= ~Subscription.reportsBit
    body()
    // A stream that caught the failure continues and can fail again.
    flags |= reports
  }
}

extension Subscription: CustomReflectable {
  /// A mirror without children, because reflection copies the properties, and some cannot be copied.
  public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

extension Subscription: EndNotifying {
  @usableFromInline package var hasEnded: Bool { isOver }

  @usableFromInline
  package func watch() { flags |= Subscription.watchedBit }
}

@available(*, unavailable)
extension Subscription: Sendable {}
