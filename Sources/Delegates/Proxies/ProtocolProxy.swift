public import Streams

/// Stands in the place of a delegate: what is called on it is observed, answered and forwarded, each requirement in a slot
/// of its own.
///
/// A proxy is a class for each protocol. By hand it takes two lines a requirement:
/// ```swift
/// nonisolated final class DownloaderDelegateProxy: ProtocolProxy<any DownloaderDelegate>, DownloaderDelegate {
///   let didReceive = ProxyMethod<Void, Downloader, Int>()
///   func downloader(_ d: Downloader, didReceive bytes: Int) { call(didReceive, (d, bytes)) { $0.downloader(d, didReceive: bytes) } }
/// }
/// ```
///
/// The class is `nonisolated`, and its methods have the isolation that the protocol and its requirements have.
///
/// Ownership: who installs the proxy keeps it (a registry, a bag, a property of the owner) ===> proxy ===> slots. The proxy
/// holds its forwardees weakly unless asked to keep them, and its owner always. Streams hold neither proxy nor slot.
///
/// When the proxy goes the streams of its slots complete, at home, on whatever thread it dies; and what it had displaced as
/// delegate is put back.
///
/// Confined. Cost: a call that nobody listens to is two loads and a branch more than the call itself; forwarding is a weak
/// load more; nothing is allocated.
open class ProtocolProxy<Delegate>: Disposable {
  /// 0: no forwardee. 1: one. 2: several.
  @exclusivity(unchecked) @usableFromInline final var route: UInt8 = 0
  @exclusivity(unchecked) @usableFromInline final var first: Unmanaged<Forwardee<Delegate>>?
  /// All of them; the first once more, without a reference, for the usual case.
  @exclusivity(unchecked) @usableFromInline final var forwardees: [Forwardee<Delegate>] = []
  /// The proxy's places in its owners.
  final let installations = DisposeBag()
  /// The same, for proxies that stand behind this one.
  final var stays: [ProxyStay<Delegate>] = []
  /// It belongs to a `DelegateSlot`, which never has another.
  final var isOfSlot = false
  /// The places of all handlers.
  final let places = DisposeBag()
  /// Told when a slot begins or ceases to be implemented.
  final let changes = PushStream<Void>()
  /// The number of the domain that has given it a handler, an observer, or a forwardee; 0 if there is none of them, or if
  /// that domain has no thread.
  @exclusivity(unchecked) @usableFromInline final var domain: UInt = 0

  /// The slots, in the order in which the classes declare them: the proxy's own first, then those of its superclass.
  public private(set) final var slots: [AnyProxySlot] = []

  /// Makes a proxy without forwardee.
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

  /// True after `dispose()`. Before it is installed a proxy is not disposed of, so a bag keeps it.
  public private(set) final var isDisposed = false

  /// Takes the proxy out of its owner: what was the delegate before is the delegate again, unless somebody has put another
  /// one there meanwhile. The streams complete, also those that are asked for later, and the handlers go. It goes on
  /// forwarding where somebody still calls it. Idempotent.
  public final func dispose() {
    if isDisposed { return }
    isDisposed = true
    installations.dispose()
    for slot in slots { slot.finish() }
  }

  /// One element each time a slot begins or ceases to be implemented, or a forwardee comes or goes by request: for owners
  /// that ask which methods there are, such as tables of C functions, which are filled anew then.
  public final var implementationChanges: Stream<Void> {
    let changes = changes
    return Stream.unguarded { changes.subscribe($0) }
  }

  /// The proxy as what it stands for.
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

  /// What can be called is another than before.
  final func didChange() {
    if route == 0, !slots.contains(where: { $0.isBusy }) {
      domain = 0
    } else if domain == 0 || HomeThread.hasClosed(domain) {
      domain = HomeThread.domain
    }
    changes.next(())
  }
}

/// What a proxy's stored property may be.
protocol SlotMember {
  func memberSlots(named name: String) -> [AnyProxySlot]
}
