/// The receiving end of one subscription, as its producer sees it: open, paused or closed.
///
/// ```swift
/// let source = Operation<Int, Never> { observer in
///   var number = 0
///   while observer.gate.isOpen {
///     observer.next(number)
///     number += 1
///   }
///   return .none
/// }
/// source.take(3).observeNext { print($0) }.dispose(in: bag)
/// ```
///
/// Every `Observer` carries a gate. A producer that emits in a loop asks it before each element, so that an infinite
/// sequence stops when its observer has had enough, and a producer that can wait stops while the gate is paused.
/// Operators that end by themselves (`take`) or start several upstreams (`merge`) put a gate of their own in front of
/// each upstream; its `parent` is the gate downstream, so closing the one downstream closes them all.
///
/// One gate serves one subscription to one source, once.
///
/// A gate is confined: it belongs to the isolation domain in which it was made.
open class Gate {
  @usableFromInline static let closedBit: UInt8 = 1
  @usableFromInline static let pausedBit: UInt8 = 2
  /// Set while a hot source has an entry for this gate. See `ObserverTable`.
  @usableFromInline static let enteredBit: UInt8 = 4
  /// A source above this gate has gone without an end: nothing more comes from there.
  @usableFromInline static let vanishedBit: UInt8 = 8
  /// A failure that arrives at this sink is reported, because its observer does not ask for failures.
  @usableFromInline static let reportsBit: UInt8 = 16
  /// The sources are to go on after the delivery that is on the stack. For `SourceGate`.
  @usableFromInline static let resumesBit: UInt8 = 32
  /// The sources are being asked to go on. For `SourceGate`.
  @usableFromInline static let resumingBit: UInt8 = 64
  /// Says when it is over. For `Sink`. See `EndNotifying`.
  @usableFromInline static let watchedBit: UInt8 = 128
  /// What a delivery has to look at when it ends.
  @usableFromInline static let afterDeliveryBits: UInt8 = closedBit | vanishedBit | resumesBit

  // A dynamic exclusivity check costs more than the rest of a delivery; every access below is a single load or store.
  @exclusivity(unchecked) @usableFromInline final var flags: UInt8 = 0
  /// One of the closures that a gate holds is on the stack. For `Sink` and `SourceGate`. A byte of its own: a delivery
  /// writes it, and `flags`, which is read before each element, would have to wait for what was written.
  @exclusivity(unchecked) @usableFromInline final var isDelivering = false
  /// Where a hot source keeps the entry for this gate. Maintained by `ObserverTable`.
  @exclusivity(unchecked) @usableFromInline final var tableIndex: UInt32 = 0
  /// The gate downstream, which this one keeps alive. Unmanaged: a walk to the end of the chain, which a producer takes
  /// before each element, must not retain and release each gate on the way.
  @usableFromInline final let parent: Unmanaged<Gate>?
  #if DEBUG
  private let token: LiveResources.Token?
  #endif

  /// Makes an open gate in front of `parent`, or one of its own.
  public init(parent: Gate? = nil) {
    self.parent = parent.map { Unmanaged.passRetained($0) }
    #if DEBUG
    token = LiveResources.register("subscription")
    #endif
  }

  deinit { parent?.release() }

  /// True when nothing more may be delivered: after the terminal event, or after disposal here or downstream.
  @inlinable
  public final var isClosed: Bool { hasAny(Gate.closedBit) }

  /// True while the observer has asked its producer to wait.
  @inlinable
  public final var isPaused: Bool { hasAny(Gate.pausedBit) }

  /// Neither closed nor paused, here or downstream: what a producer in a loop asks before each element.
  @inlinable
  public final var isOpen: Bool { !hasAny(Gate.closedBit | Gate.pausedBit) }

  /// Whether this gate or one downstream has one of `bits`.
  @inlinable
  final func hasAny(_ bits: UInt8) -> Bool {
    // It keeps the gates of the walk.
    defer { withExtendedLifetime(self) {} }
    if flags & bits != 0 { return true }
    var next = parent
    while let gate = next {
      let isFound: Bool
      (isFound, next) = gate._withUnsafeGuaranteedRef { ($0.flags & bits != 0, $0.parent) }
      if isFound { return true }
    }
    return false
  }

  /// Has `body` deliver a failure that has been observed: if it arrives, it is not reported.
  @usableFromInline
  package final func withFailureObserved(_ body: () -> Void) {
    if let parent { return parent._withUnsafeGuaranteedRef { $0.withFailureObserved(body) } }
    let reports = flags & Gate.reportsBit
    flags &= ~Gate.reportsBit
    body()
    // What has caught it goes on, and may fail again.
    flags |= reports
  }

  @inlinable
  final var isClosedHere: Bool { flags & Gate.closedBit != 0 }

  @inlinable
  final func closeHere() { flags |= Gate.closedBit }

  /// A source above this gate has gone without an end, or another one has ended after that.
  ///
  /// If nothing more can arrive here, the gate releases what it holds of its upstream and for its deliveries, and notifies
  /// the gate downstream. It stays open: the observer is not notified.
  @usableFromInline
  func sourceDidVanish() {
    // Strong: what the gates release on the way may hold the gate downstream.
    if let gate = parent?.takeUnretainedValue() { withExtendedLifetime(gate) { gate.sourceDidVanish() } }
  }

  /// Nothing more arrives through this gate: it is closed, or its source has gone.
  @inlinable
  package final var isOver: Bool { flags & (Gate.closedBit | Gate.vanishedBit) != 0 }

  /// The subscription has closed this gate: what it holds for deliveries is not needed any more.
  @usableFromInline
  func didClose() {}
}

extension Gate: CustomReflectable {
  /// Without children: reflection copies what it shows, and a gate holds what cannot be copied.
  public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

@available(*, unavailable)
extension Gate: Sendable {}
