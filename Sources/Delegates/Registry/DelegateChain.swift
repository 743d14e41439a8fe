internal import Streams

/// The proxies at one delegate property of one owner: a list from the delegate in the property to the first delegate.
///
/// An installation adds an entry in front of the list. An entry never moves. A proxy that leaves, or moves to the front, ends
/// its entry, and the list continues with what is behind that entry. So proxies can leave in any order.
///
/// Ownership: proxy ===> bag ===> installation <==> chain ···> owner, ···> proxies (weak, both).
final class DelegateChain<Delegate> {
  private(set) weak var owner: AnyObject?
  private let ownerIdentity: ObjectIdentifier
  private let read: (() -> Delegate?)?
  private let write: (Delegate?) -> Void
  /// Two accessors are names of one property if they read the same delegate before and after it is set.
  private var names: Set<AnyHashable>
  private var installations: [Installation<Delegate>] = []

  private init<Owner: AnyObject>(_ owner: Owner, _ place: DelegatePlace<Owner, Delegate>) {
    self.owner = owner
    ownerIdentity = ObjectIdentifier(owner)
    read = place.get.map { get in { [weak owner] in owner.flatMap(get) } }
    write = { [weak owner] in if let owner { place.set(owner, $0) } }
    names = [place.key]
  }

  /// Makes the proxy the delegate at an accessor. If it is installed there, and the current delegate does not lead to it, it
  /// moves to the front.
  static func install<Owner: AnyObject>(
    _ proxy: ProtocolProxy<Delegate>, on owner: Owner, at place: DelegatePlace<Owner, Delegate>
  ) -> Installation<Delegate> {
    for installation in proxy.installations where installation.chain.owner == nil { installation.dispose() }
    if let there = moveToFront(proxy, on: owner, at: place) { return there }
    let chains = place.get == nil ? [] : endReleased(at: ObjectIdentifier(owner))
    if let chain = chains.first(where: { $0.names.contains(place.key) }) { return chain.add(proxy, place) }
    let others = place.get.map { get in chains.filter { $0.reads(get(owner)) } } ?? []
    let chain = DelegateChain(owner, place)
    let installation = chain.add(proxy, place)
    if let same = others.first(where: { $0.reads(proxy.asDelegate) }) { same.absorb(chain) }
    return installation
  }

  /// Makes the proxy the delegate again if it is installed at an accessor, possibly under another name. Returns nil if it is not.
  static func moveToFront<Owner: AnyObject>(
    _ proxy: ProtocolProxy<Delegate>, on owner: Owner, at place: DelegatePlace<Owner, Delegate>
  ) -> Installation<Delegate>? {
    guard let get = place.get else { return nil }
    let here = proxy.installations.filter { $0.chain.owner === owner }
    if let named = here.first(where: { $0.chain.names.contains(place.key) }) {
      named.chain.moveToFront(named)
      return named
    }
    return here.first { installation in
      guard installation.chain.reads(get(owner)) else { return false }
      installation.chain.moveToFront(installation)
      guard let current = get(owner), proxy.isReached(from: current) else { return false }
      installation.chain.names.insert(place.key)
      return true
    }
  }

  private func absorb(_ other: DelegateChain) {
    names.formUnion(other.names)
    installations += other.installations
    for installation in other.installations { installation.chain = self }
    OpenChains.remove(other, at: ownerIdentity)
  }

  private func add<Owner>(
    _ proxy: ProtocolProxy<Delegate>, _ place: DelegatePlace<Owner, Delegate>
  ) -> Installation<Delegate> {
    let installation = Installation(proxy, self, isKeeping: place.isKeeping)
    if installations.isEmpty { OpenChains.insert(self, at: ownerIdentity) }
    installations.append(installation)
    proxy.installations.append(installation)
    capture(installation, besides: proxy.sources.filter(\.mayForward))
    if place.isRefreshing {
      installation.refreshing = proxy.implementationChanges.observeNext { [weak self, weak proxy] in
        guard let self, let proxy, read == nil || reads(proxy.asDelegate) else { return }
        write(proxy.asDelegate)
      }
    }
    return installation
  }

  /// Moves an installed proxy to the front, unless the current delegate leads to it.
  func moveToFront(_ installation: Installation<Delegate>) {
    guard let proxy = installation.proxy else { return }
    Self.endReleased(at: ownerIdentity)
    let others = proxy.installations.filter { $0 !== installation }.map(\.behind)
    capture(installation, besides: proxy.sources.filter { source in others.contains { $0 === source } })
  }

  /// Puts a proxy in front of what the property has. It forwards to that, and to `sources`. Only here is a delegate noticed that
  /// was set by hand.
  private func capture(_ installation: Installation<Delegate>, besides sources: [Forwardee<Delegate>]) {
    guard let proxy = installation.proxy, owner != nil else { return }
    var held: Forwardee<Delegate>?
    var displaced: [Forwardee<Delegate>] = []
    if let current = read?() {
      if proxy.isReached(from: current) { return }
      if let slot = current as? ProtocolProxy<Delegate>, slot.isOfSlot {
        displaced = slot.forwardees
      } else {
        let forwardee = Forwardee(current, retaining: true)
        (held, displaced) = (forwardee, [forwardee])
      }
    }
    installation.enter(before: displaced.map(entry))
    for other in installations where other !== installation { other.proxy?.refresh() }
    let isChanged = proxy.setSources(read == nil ? sources : sources + [installation.behind])
    write(proxy.asDelegate)
    if let held, !installation.isKeeping, !held.isOnlyReference { held.loosen() }
    // The setter may have ended the proxy.
    if !installation.isDisposed { installation.held = held }
    if isChanged { proxy.didChange() }
  }

  /// Returns the entry of a delegate: that of its installation if it is a proxy at the owner.
  private func entry(of forwardee: Forwardee<Delegate>) -> Forwardee<Delegate> {
    let there = (forwardee.current as? ProtocolProxy<Delegate>)?.installations.filter { $0.chain.owner === owner } ?? []
    return (there.first { $0.chain === self } ?? there.first)?.entry ?? forwardee
  }

  /// Removes proxies from the list. The property receives what they displaced, unless it has a different delegate.
  fileprivate func remove(_ leaving: [Installation<Delegate>]) {
    guard let front = leaving.last else { return }
    installations.removeAll { $0.isDisposed }
    if installations.isEmpty { OpenChains.remove(self, at: ownerIdentity) }
    // An owner that retains its delegate has set another one, or none, if the proxy has been deallocated. It may be doing so
    // now, so the property cannot be read.
    let isReadable = front.proxy != nil || !front.isKeeping
    let current = isReadable ? read?() : nil
    for proxy in installations.map(\.proxy) + [current as? ProtocolProxy<Delegate>] { proxy?.skip(leaving) }
    // Released last, because a deinit can run any code.
    let held = installations.compactMap { $0.releaseHeld(leaving) } + leaving.compactMap { $0.releaseHeld(nil) }
    defer { withExtendedLifetime(held) {} }
    if isReadable, read?() == nil || leaving.contains(where: { $0.proxy != nil && reads($0.proxy?.asDelegate) }) {
      write(front.behind.standing.first?.current)
    }
  }

  /// Ends the installations at the owner whose proxies were deallocated on another thread, and returns the owner's lists. Those
  /// threads have posted this to the home, and until then a weak property is nil.
  @discardableResult
  fileprivate static func endReleased(at owner: ObjectIdentifier) -> [DelegateChain] {
    let chains = OpenChains.at(owner).compactMap { $0 as? DelegateChain }.filter { $0.owner != nil }
    for chain in chains { Installation.end(chain.installations.filter { $0.proxy == nil }, in: chain) }
    return chains
  }

  /// Returns whether the property can be read, and has this delegate.
  private func reads(_ delegate: Delegate?) -> Bool {
    func identity(_ delegate: Delegate?) -> ObjectIdentifier? { delegate.map { ObjectIdentifier($0 as AnyObject) } }
    return read.map { identity($0()) == identity(delegate) } ?? false
  }

  fileprivate func endReleased() { Self.endReleased(at: ownerIdentity) }
}

/// The installation of a proxy at a delegate property. It ends with the proxy, in its home.
final class Installation<Delegate>: Disposable {
  /// Nil after its deallocation, which can precede the end of the installation.
  private(set) weak var proxy: ProtocolProxy<Delegate>?
  private let identity: ObjectIdentifier
  fileprivate(set) var chain: DelegateChain<Delegate>
  /// The proxy in the list.
  private(set) var entry: Forwardee<Delegate>
  /// The rest of the list.
  private(set) var behind = Forwardee<Delegate>(standingFor: [])
  fileprivate let isKeeping: Bool
  /// The displaced delegate, retained if the owner had the last reference to it.
  fileprivate var held: Forwardee<Delegate>?
  fileprivate var refreshing: (any Disposable)?
  /// True if the proxy ends it.
  var isOwned = false
  private(set) var isDisposed = false

  fileprivate init(_ proxy: ProtocolProxy<Delegate>, _ chain: DelegateChain<Delegate>, isKeeping: Bool) {
    self.proxy = proxy
    identity = ObjectIdentifier(proxy)
    self.chain = chain
    self.isKeeping = isKeeping
    entry = Forwardee(proxy.asDelegate, retaining: false)
  }

  fileprivate func enter(before displaced: [Forwardee<Delegate>]) {
    guard let proxy else { return }
    entry.successors = [behind]
    entry = Forwardee(proxy.asDelegate, retaining: false)
    behind = Forwardee(standingFor: displaced)
  }

  /// Returns whether a forwardee is the proxy. After its deallocation, a living object at its address is a different one.
  func isProxy(of forwardee: Forwardee<Delegate>) -> Bool {
    forwardee.identity == identity && forwardee.isAlive == (proxy != nil)
  }

  /// Returns the displaced delegate and no longer holds it, if it is one of the proxies that leave, or if that is nil.
  fileprivate func releaseHeld(_ leaving: [Installation]?) -> Forwardee<Delegate>? {
    guard let held, leaving?.contains(where: { $0.isProxy(of: held) }) ?? true else { return nil }
    self.held = nil
    return held
  }

  func dispose() {
    if isDisposed { return }
    chain.endReleased()
    Self.end([self], in: chain)
  }

  fileprivate static func end(_ installations: [Installation], in chain: DelegateChain<Delegate>) {
    let leaving = installations.filter { !$0.isDisposed }
    for installation in leaving {
      installation.isDisposed = true
      installation.entry.successors = [installation.behind]
    }
    for installation in leaving { installation.refreshing?.dispose() }
    chain.remove(leaving)
    for installation in leaving { installation.proxy?.installations.removeAll { $0 === installation } }
  }
}

/// The lists of all threads that have proxies, by owner.
private enum OpenChains {
  private static let chains = Lock<[ObjectIdentifier: [AnyObject]]>([:])

  static func insert(_ chain: AnyObject, at owner: ObjectIdentifier) {
    chains.withLock { $0[owner, default: []].append(chain) }
  }

  static func remove(_ chain: AnyObject, at owner: ObjectIdentifier) {
    chains.withLock { chains in
      let rest = chains[owner]?.filter { $0 !== chain } ?? []
      chains[owner] = rest.isEmpty ? nil : rest
    }
  }

  static func at(_ owner: ObjectIdentifier) -> [AnyObject] { chains.withLock { $0[owner] ?? [] } }
}
