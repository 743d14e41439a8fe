public import Streams

/// An object that takes the role of a delegate. Each requirement has a slot, in which you observe the calls, answer them, and
/// inject values. Calls are forwarded to other delegates.
///
/// You write one proxy class for each protocol, with two lines for each requirement:
/// ```swift
/// nonisolated final class DownloaderDelegateProxy: ProtocolProxy<any DownloaderDelegate>, DownloaderDelegate {
///   let didReceive = ProxyMethod<Void, Downloader, Int>()
///   func downloader(_ d: Downloader, didReceive bytes: Int) { call(didReceive, (d, bytes)) { $0.downloader(d, didReceive: bytes) } }
/// }
/// ```
///
/// The class is `nonisolated`. Its methods have the isolation of the protocol's requirements.
///
/// Ownership: the installer (a registry, a bag, or a property of the owner) ===> proxy ===> slots. The proxy holds its owner
/// weakly, and its forwardees weakly unless you ask it to retain them. Streams retain neither the proxy nor its slots.
///
/// When the proxy is deallocated, on any thread, the streams of its slots complete in the home domain, and the delegate
/// that it displaced is the delegate again.
///
/// A proxy is confined to the domain that observes, answers, or forwards its calls.
///
/// - Complexity: A call without observers, handler, and forwardee takes two loads and a branch longer than the call itself.
///   Forwarding takes one weak load more. Calls allocate nothing.
open class ProtocolProxy<Delegate>: Disposable {
  /// 0: no forwardee. 1: one. 2: several.
  @exclusivity(unchecked) @usableFromInline final var route: UInt8 = 0
  @exclusivity(unchecked) @usableFromInline final var first: Unmanaged<Forwardee<Delegate>>?
  /// All forwardees. `first` is the first of them without a reference, for the usual case of one.
  @exclusivity(unchecked) @usableFromInline final var forwardees: [Forwardee<Delegate>] = []
  /// The forwardees that the user has set, and a link to what is behind the proxy at each property. `forwardees` follows from them.
  final var sources: [Forwardee<Delegate>] = []
  /// The proxy's installations at its owners.
  final var installations: [Installation<Delegate>] = []
  /// Ends the installations in the proxy's home.
  final let installationBag = DisposeBag()
  /// True if the proxy belongs to a `DelegateSlot`, which never has another proxy.
  final var isOfSlot = false
  /// The registrations of all handlers.
  final let places = DisposeBag()
  /// Sends when `isImplemented` of a slot can have changed.
  final let changes = PushStream<Void>()
  /// The ID of the domain that has added a handler, an observer, or a forwardee; 0 if there is none of these, or if that
  /// domain has no thread.
  @exclusivity(unchecked) @usableFromInline final var domain: UInt = 0

  /// The slots in the order of their declarations: those of this class first, then those of its superclass.
  public private(set) final var slots: [AnyProxySlot] = []

  /// Creates a proxy without a forwardee.
  public required init() {
    var mirror: Mirror? = Mirror(reflecting: self)
    while let current = mirror, current.subjectType != ProtocolProxy.self {
      for child in current.children {
        guard let member = child.value as? any SlotMember else { continue }
        for slot in member.memberSlots(named: "\(current.subjectType).\(child.label ?? "")") {
          slot.host = self
          slots.append(slot)
        }
      }
      mirror = current.superclassMirror
    }
  }

  deinit {
    for slot in slots { slot.finishAtHome() }
    changes.completeAtHome()
  }

  /// True after `dispose()`. A proxy that is not installed is not disposed, so a bag retains it.
  public private(set) final var isDisposed = false

  /// Removes the proxy from its owner. The delegate that it displaced is the delegate again, unless the owner has another
  /// delegate at that time.
  ///
  /// The streams of all slots complete, and so do streams that you create later. Handlers are released. If the owner still
  /// calls the proxy, it forwards the calls. A second call does nothing.
  public final func dispose() {
    if isDisposed { return }
    isDisposed = true
    installationBag.dispose()
    for slot in slots { slot.finish() }
  }

  /// A stream that emits when `isImplemented` of a slot can have changed: when it gets its first handler or observer or loses its last
  /// one, and when you add or remove a forwardee.
  ///
  /// Use it for an owner that checks which methods are implemented, for example to fill a table of C functions.
  public final var implementationChanges: Stream<Void> {
    let changes = changes
    return Stream.unguarded { changes.subscribe($0) }
  }

  /// The proxy as its delegate protocol. Traps if the class does not conform to it.
  public final var asDelegate: Delegate {
    guard let delegate = self as? Delegate else {
      misuse(
        """
        \(Self.self) is a ProtocolProxy<\(Delegate.self)> but does not conform to it. Write the protocol beside the \
        superclass: `class \(Self.self): ProtocolProxy<\(Delegate.self)>, …`.
        """)
    }
    return delegate
  }
}

@available(*, unavailable)
extension ProtocolProxy: Sendable {}

extension ProtocolProxy: SlotHost {
  var hasForwardee: Bool {
    switch route {
    case 0: false
    default: forwardees.contains { $0.isAlive }
    }
  }

  func slotDidChange(_ slot: AnyProxySlot) { didChange() }

  /// Notifies the owner that the set of implemented requirements may have changed.
  final func didChange() {
    if route == 0, !slots.contains(where: { $0.isBusy }) {
      domain = 0
    } else if domain == 0 || HomeThread.hasClosed(domain) {
      domain = HomeThread.domain
    }
    changes.next(())
  }
}

/// A stored property of a proxy that contributes slots.
protocol SlotMember {
  func memberSlots(named name: String) -> [AnyProxySlot]
}
