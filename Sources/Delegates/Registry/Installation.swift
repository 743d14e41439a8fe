internal import Streams

/// The installation of a proxy in its owner. It remembers the delegates that the proxy displaced, and restores them.
///
/// Ownership: proxy ===> bag ===> installation ···> owner, ···> proxy (weak, both).
final class Installation<Owner: AnyObject, Delegate>: ProxyStay<Delegate>, Disposable {
  private weak var owner: Owner?
  private let place: DelegatePlace<Owner, Delegate>
  private(set) var isDisposed = false
  private var refreshing: (any Disposable)?

  init(_ proxy: ProtocolProxy<Delegate>, _ owner: Owner, _ place: DelegatePlace<Owner, Delegate>) {
    self.owner = owner
    self.place = place
    super.init(proxy, owner: ObjectIdentifier(owner), key: place.key)
    let earlier = proxy.forwardees.filter(\.isAlive)
    // First, because the setter of the owner can end other proxies, and install this one again.
    proxy.stays.append(self)
    capture(proxy, owner)
    // Forwardees that the proxy has already stay.
    if place.get != nil, !earlier.isEmpty {
      let found = proxy.forwardees.filter { new in
        new.identity == nil || !earlier.contains { $0.identity == new.identity }
      }
      proxy.update(earlier + found)
    }
    if place.isRefreshing {
      refreshing = proxy.implementationChanges.observeNext { [weak self] in self?.refresh() }
    }
  }

  /// Sets the proxy as the delegate. The displaced delegate becomes the forwardee, and is retained if its owner had the only
  /// reference to it.
  private func capture(_ proxy: ProtocolProxy<Delegate>, _ owner: Owner) {
    endReleased(at: owner)
    OpenInstallations.insert(self, at: ownerIdentity)
    var before: [Forwardee<Delegate>] = []
    if let get = place.get {
      var current = get(owner)
      if current == nil {
        // Another thread can have released the proxy that was there just now.
        endReleased(at: owner)
        current = get(owner)
      }
      // The owner or another proxy was given the proxy by hand.
      if let current, proxy.isReached(from: current) { return }
      before = current.map { standing(Forwardee($0, retaining: true)) } ?? []
    }
    let front = before.first?.current as? ProtocolProxy<Delegate>
    // Another proxy stays in front and forwards to this one, which forwards to the forwardees of the other one.
    if let front, front.isOfSlot { before = front.forwardees }
    // Before the setter runs, which can end the proxies behind this one.
    displaced = before
    note(self, before: before)
    if place.get != nil { proxy.update(before) }
    place.set(owner, proxy.asDelegate)
    guard front?.isOfSlot != true, let kept = before.first, !place.isKeeping, kept.identity != nil,
      !kept.isOnlyReference
    else { return }
    let weak = kept.current.map { [Forwardee($0, retaining: false)] } ?? []
    displaced = displaced.flatMap { $0 === kept ? weak : [$0] }
    if proxy.forwardees.contains(where: { $0 === kept }) {
      proxy.update(proxy.forwardees.flatMap { $0 === kept ? weak : [$0] }, notifies: false)
    }
  }

  /// Returns the forwardee, or what stands in the place of a proxy that has ended. A proxy that ends tells those in front of it, but
  /// one that is being deallocated is not told.
  private func standing(_ forwardee: Forwardee<Delegate>) -> [Forwardee<Delegate>] {
    guard let ended = forwardee.current as? ProtocolProxy<Delegate>, ended.isDisposed,
      let stay = ended.stays.first(where: { $0.isBeside(self) })
    else { return [forwardee] }
    return stay.displaced.flatMap(standing)
  }

  /// Ends the installations at the owner whose proxies were deallocated on another thread, the innermost first. Those threads have posted
  /// this to the home, and until then the owner's weak property is nil.
  private func endReleased(at owner: Owner, behind front: Installation? = nil) {
    for case let stay as Installation in OpenInstallations.at(ownerIdentity) {
      // What is behind an installation ends before it, so that it restores what is still there.
      if stay === front { return }
      if stay !== self, !stay.isDisposed, stay.proxy == nil, stay.owner === owner { stay.dispose() }
    }
  }

  /// Whether an installation that was made later at this accessor is about to end, too, because its proxy has gone.
  private var isBehindAnother: Bool {
    let open = OpenInstallations.at(ownerIdentity).compactMap { $0 as? Installation }
    guard let index = open.firstIndex(where: { $0 === self }) else { return false }
    return open[(index + 1)...].contains { $0.isBeside(self) && $0.owner === owner && $0.proxy == nil }
  }

  override func recapture() {
    guard !isDisposed, let owner, let proxy, let get = place.get else { return }
    endReleased(at: owner)
    let current = get(owner)
    if let current, proxy.isReached(from: current) { return }
    // The proxy moves to the front, so the proxies that were in front of it come before its displaced delegates.
    stepOut(displaced.flatMap(standing))
    capture(proxy, owner)
  }

  /// Sets the proxy again, so that its owner checks again which methods are implemented.
  private func refresh() {
    guard !isDisposed, let owner, let proxy else { return }
    if let get = place.get, get(owner).map({ ObjectIdentifier($0 as AnyObject) }) != identity { return }
    place.set(owner, proxy.asDelegate)
  }

  override func reader(of other: AnyObject) -> (() -> Delegate?)? {
    guard let owner, owner === other, let get = place.get else { return nil }
    return { get(owner) }
  }

  deinit { if !isDisposed { OpenInstallations.remove(self, at: ownerIdentity) } }

  func dispose() {
    if isDisposed { return }
    isDisposed = true
    refreshing?.dispose()
    if let owner { endReleased(at: owner, behind: self) }
    let isBehind = isBehindAnother
    OpenInstallations.remove(self, at: ownerIdentity)
    let displaced = displaced.flatMap(standing)
    // Remembered without retaining it, for proxies that still lead to this one.
    self.displaced = displaced.compactMap { forwardee in
      if !forwardee.isKept || forwardee.identity == nil { return forwardee }
      return forwardee.current.map { Forwardee($0, retaining: false) }
    }
    stepOut(displaced)
    // An owner that retains its delegate has another one, or none, when the proxy is deallocated. It may be setting that right now,
    // so the property cannot be read.
    if proxy == nil, place.isKeeping { return }
    guard let owner else { return }
    // Another delegate was set. If it is a proxy that leads here, it now forwards to the delegates before this proxy. Nil counts
    // as this proxy, because a weak property is nil after its delegate was deallocated. A delegate at the address of a deallocated
    // proxy is another one.
    if let current = place.get?(owner), proxy == nil || ObjectIdentifier(current as AnyObject) != identity {
      return leaveOut(after: current, displaced)
    }
    // The installation in front restores what it has displaced.
    if isBehind { return }
    place.set(owner, displaced.first?.current)
  }

  /// Makes the proxies in front of this one forward to `next` instead.
  private func stepOut(_ next: [Forwardee<Delegate>]) {
    let others = fronts.compactMap(\.stay)
    fronts = []
    for stay in others { replace(in: stay, with: next) }
  }

  /// Makes the proxy that forwards to this one forward to `next` instead, and restore `next` when it is removed.
  private func leaveOut(after delegate: Delegate, _ next: [Forwardee<Delegate>]) {
    guard let other = delegate as? ProtocolProxy<Delegate> else { return }
    let stays = other.stays.filter { $0.displaced.contains(where: isThis) }
    // Without one, the forwardee was set by hand. At another owner, this proxy has another installation.
    if stays.isEmpty { replaceForwardee(of: other, with: next.filter { !$0.leads(to: other) }) }
    for stay in stays where stay.ownerIdentity == ownerIdentity { replace(in: stay, with: next) }
    for further in other.allForwardees { leaveOut(after: further, next) }
  }

  /// Replaces this proxy by `next` among the delegates that `stay` restores, and among the forwardees of its proxy.
  private func replace(in stay: ProxyStay<Delegate>, with next: [Forwardee<Delegate>]) {
    guard stay.displaced.contains(where: isThis) else { return }
    // A proxy must not forward to itself.
    let next = stay.proxy.map { other in next.filter { !$0.leads(to: other) } } ?? next
    stay.displaced = stay.displaced.flatMap { isThis($0) ? next : [$0] }
    note(stay, before: next)
    if let other = stay.proxy { replaceForwardee(of: other, with: next) }
  }

  /// Replaces this proxy by `next`, none of which leads to `other`, among the forwardees of `other`.
  private func replaceForwardee(of other: ProtocolProxy<Delegate>, with next: [Forwardee<Delegate>]) {
    guard other.forwardees.contains(where: isThis) else { return }
    // The other proxy can also be in front of this one at another owner.
    let staysBehind = other.stays.contains { $0.displaced.contains(where: isThis) }
    other.update(other.forwardees.flatMap { isThis($0) ? next + (staysBehind ? [$0] : []) : [$0] })
  }

  /// Returns whether the forwardee is this proxy. If the proxy was deallocated, an object that is alive there is another one.
  private func isThis(_ forwardee: Forwardee<Delegate>) -> Bool {
    forwardee.identity == identity && (proxy != nil) == forwardee.isAlive
  }

  /// Returns the installations of `other` at this accessor, or all of them if it has this accessor under another name.
  private func stays(of other: ProtocolProxy<Delegate>) -> [ProxyStay<Delegate>] {
    let here = other.stays.filter { $0.isBeside(self) }
    return here.isEmpty ? other.stays : here
  }

  /// Records in the proxies among `others` that `front` is in front of them.
  private func note(_ front: ProxyStay<Delegate>, before others: [Forwardee<Delegate>]) {
    for other in others {
      guard let behind = other.current as? ProtocolProxy<Delegate> else { continue }
      for stay in stays(of: behind) { stay.addFront(front) }
    }
  }
}

/// The installations of all threads that are not disposed, by owner, the innermost first. Held weakly.
private enum OpenInstallations {
  private struct Entry {
    let identity: ObjectIdentifier
    weak var installation: AnyObject?
  }

  private static let entries = Lock<[ObjectIdentifier: [Entry]]>([:])

  static func insert(_ installation: AnyObject, at owner: ObjectIdentifier) {
    let entry = Entry(identity: ObjectIdentifier(installation), installation: installation)
    entries.withLock { entries in
      entries[owner, default: []].removeAll { $0.identity == entry.identity }
      entries[owner, default: []].append(entry)
    }
  }

  static func remove(_ installation: AnyObject, at owner: ObjectIdentifier) {
    let identity = ObjectIdentifier(installation)
    entries.withLock { entries in
      guard let rest = entries[owner]?.filter({ $0.identity != identity }) else { return }
      entries[owner] = rest.isEmpty ? nil : rest
    }
  }

  /// The installations at the owner, the innermost first.
  static func at(_ owner: ObjectIdentifier) -> [AnyObject] {
    entries.withLock { $0[owner] }?.compactMap(\.installation) ?? []
  }
}

/// The installation of a proxy, held weakly.
struct WeakStay<Delegate> {
  private(set) weak var stay: ProxyStay<Delegate>?

  init(_ stay: ProxyStay<Delegate>) { self.stay = stay }
}

/// The part of an installation that does not depend on the type of the owner.
class ProxyStay<Delegate> {
  /// Nil after its deallocation. An installation can outlive its proxy, because it ends in its home.
  final private(set) weak var proxy: ProtocolProxy<Delegate>?
  final let identity: ObjectIdentifier
  final let ownerIdentity: ObjectIdentifier
  final let key: AnyHashable

  init(_ proxy: ProtocolProxy<Delegate>, owner: ObjectIdentifier, key: AnyHashable) {
    self.proxy = proxy
    identity = ObjectIdentifier(proxy)
    ownerIdentity = owner
    self.key = key
  }

  /// Makes the proxy the delegate again if another delegate has been set. That delegate becomes the forwardee.
  func recapture() {}

  /// Reads the delegate of `owner` at this accessor. Nil if this is not at `owner`, or if the accessor cannot be read.
  func reader(of owner: AnyObject) -> (() -> Delegate?)? { nil }

  /// The installations that have been made in front of this one.
  final var fronts: [WeakStay<Delegate>] = []

  final func addFront(_ stay: ProxyStay) {
    fronts.removeAll { $0.stay == nil || $0.stay === stay }
    fronts.append(WeakStay(stay))
  }

  /// Returns whether both are at the same accessor of the same owner.
  final func isBeside(_ other: ProxyStay) -> Bool { ownerIdentity == other.ownerIdentity && key == other.key }

  /// The delegates that the proxy displaced, including one that was set later. Several if a slot's proxy forwarded to them.
  final var displaced: [Forwardee<Delegate>] = []
}

extension ProtocolProxy {
  /// Creates a proxy and makes it the delegate of an owner whose source you cannot change.
  ///
  /// ```swift
  /// let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
  /// proxy.dispose(in: bag)
  /// ```
  ///
  /// The current delegate becomes a forwardee, after those that the proxy already has. It is held weakly, or retained if the
  /// owner had the only reference to it. For an owner that retains its delegate, pass `at: DelegatePlace(\.delegate).keeping`.
  ///
  /// The owner is held weakly. Retain the proxy, for example in a bag. When it is disposed or deallocated, the displaced delegate
  /// is restored, unless another delegate has been set. Nil does not count as another delegate, because a weak property is nil
  /// after its delegate is deallocated.
  public static func install<Owner: AnyObject>(
    on owner: Owner, at keyPath: ReferenceWritableKeyPath<Owner, Delegate?>, isolation: (any Actor)? = #isolation
  ) -> Self {
    install(on: owner, at: DelegatePlace(keyPath), isolation: isolation)
  }

  /// Creates a proxy and makes it the delegate at an accessor of an owner whose source you cannot change.
  public static func install<Owner: AnyObject>(
    on owner: Owner, at place: DelegatePlace<Owner, Delegate>, isolation: (any Actor)? = #isolation
  ) -> Self {
    let proxy = Self()
    proxy.install(on: owner, at: place, isolation: isolation)
    return proxy
  }

  /// Creates a proxy and makes it the delegate of an owner whose delegate can only be set.
  ///
  /// `set` receives the proxy immediately, and nil when the proxy is disposed. If `refreshing` is true, it receives the proxy
  /// again each time the set of implemented methods changes.
  public static func install<Owner: AnyObject>(
    on owner: Owner, refreshing: Bool = false, isolation: (any Actor)? = #isolation,
    setting set: @escaping (Owner, Delegate?) -> Void
  ) -> Self {
    let place = DelegatePlace("setter", set: set)
    return install(on: owner, at: refreshing ? place.refreshing : place, isolation: isolation)
  }

  /// Makes this proxy the delegate of an owner. Does nothing if the proxy has been disposed.
  public final func install<Owner: AnyObject>(
    on owner: Owner, at keyPath: ReferenceWritableKeyPath<Owner, Delegate?>, isolation: (any Actor)? = #isolation
  ) {
    install(on: owner, at: DelegatePlace(keyPath), isolation: isolation)
  }

  /// Makes this proxy the delegate at an accessor of an owner. Does nothing if the proxy has been disposed.
  public final func install<Owner: AnyObject>(
    on owner: Owner, at place: DelegatePlace<Owner, Delegate>, isolation: (any Actor)? = #isolation
  ) {
    if isDisposed { return }
    _ = installing(on: owner, at: place, isolation)
  }

  final func installing<Owner: AnyObject>(
    on owner: Owner, at place: DelegatePlace<Owner, Delegate>, _ isolation: (any Actor)?
  ) -> ProxyStay<Delegate> {
    if let there = recapture(at: owner, place) { return there }
    let installation = Installation(self, owner, place)
    // The owner's setter may have disposed the proxy.
    if isDisposed { installation.dispose() } else { installations.add(installation, isolation: isolation) }
    return installation
  }

  /// Makes the proxy the delegate again if it is installed at the accessor, possibly under another name of it. Returns that installation.
  ///
  /// `\Slider.delegate` and `\Control.delegate` are unequal key paths of one property. They read the same delegate, also after the proxy
  /// has been set. If they belong to two properties that had one delegate, the proxy has become the delegate of its own property again.
  final func recapture<Owner: AnyObject>(
    at owner: Owner, _ place: DelegatePlace<Owner, Delegate>
  ) -> ProxyStay<Delegate>? {
    guard let get = place.get else { return nil }
    let here = stays.filter { $0.reader(of: owner) != nil }
    if let named = here.first(where: { $0.key == place.key }) {
      named.recapture()
      return named
    }
    func identity(_ delegate: Delegate?) -> ObjectIdentifier? { delegate.map { ObjectIdentifier($0 as AnyObject) } }
    return here.first { stay in
      guard let read = stay.reader(of: owner), identity(read()) == identity(get(owner)) else { return false }
      stay.recapture()
      return get(owner).map(isReached) ?? false
    }
  }

  /// Returns whether calls of `delegate` reach this proxy: it is the proxy, or another proxy in front of it.
  final func isReached(from delegate: Delegate) -> Bool {
    guard let other = delegate as? ProtocolProxy else { return false }
    return other === self || other.allForwardees.contains(where: isReached)
  }
}
