internal import Streams

/// A proxy's stay in its owner: it remembers what it has displaced, and puts it back.
///
/// Ownership: proxy ===> bag ===> installation ···> owner, ···> proxy (weak, both).
final class Installation<Owner: AnyObject, Delegate>: ProxyStay<Delegate>, Disposable {
  private weak var owner: Owner?
  private weak var proxy: ProtocolProxy<Delegate>?
  private let identity: ObjectIdentifier
  private let place: DelegatePlace<Owner, Delegate>
  private(set) var isDisposed = false
  private var refreshing: (any Disposable)?

  init(_ proxy: ProtocolProxy<Delegate>, _ owner: Owner, _ place: DelegatePlace<Owner, Delegate>) {
    self.owner = owner
    self.proxy = proxy
    identity = ObjectIdentifier(proxy)
    self.place = place
    super.init(owner: ObjectIdentifier(owner), key: place.key)
    let earlier = proxy.forwardees.filter(\.isAlive)
    capture(proxy, owner)
    // Nobody is forgotten whom the proxy forwards to already.
    if place.get != nil, !earlier.isEmpty {
      let found = proxy.forwardees.filter { new in
        new.identity == nil || !earlier.contains { $0.identity == new.identity }
      }
      proxy.update(earlier + found)
    }
    proxy.stays.append(self)
    if place.isRefreshing {
      refreshing = proxy.implementationChanges.observeNext { [weak self] in self?.refresh() }
    }
  }

  /// Puts the proxy in its place. What was there becomes the forwardee: held as its owner held it, which means kept where
  /// nobody else did.
  private func capture(_ proxy: ProtocolProxy<Delegate>, _ owner: Owner) {
    var before: [Forwardee<Delegate>] = []
    if let get = place.get { before = get(owner).map { [Forwardee($0, retaining: true)] } ?? [] }
    if let front = before.first?.current as? ProtocolProxy<Delegate>, front.isOfSlot {
      // It stays in front, and is to forward to this one: behind that comes what it forwarded to.
      before = front.forwardees
      place.set(owner, proxy.asDelegate)
    } else {
      place.set(owner, proxy.asDelegate)
      if let kept = before.first, !place.isKeeping, kept.identity != nil, !kept.isOnlyReference {
        before = kept.current.map { [Forwardee($0, retaining: false)] } ?? []
      }
    }
    displaced = before
    note(proxy, before: before)
    if place.get != nil { proxy.update(before) }
  }

  /// Somebody may have set another delegate since: it becomes the forwardee, and the proxy gets its place back.
  func recapture() {
    guard !isDisposed, let owner, let proxy, let get = place.get else { return }
    let current = get(owner)
    if let current, Self.leads(current, to: proxy) { return }
    // It moves to the front: those that it was behind come before what it had displaced.
    stepOut(displaced)
    capture(proxy, owner)
  }

  /// Sets the proxy once more where it stands, so that its owner asks again which methods there are.
  private func refresh() {
    guard !isDisposed, let owner, let proxy else { return }
    if let get = place.get, get(owner).map({ ObjectIdentifier($0 as AnyObject) }) != identity { return }
    place.set(owner, proxy.asDelegate)
  }

  /// Whether what is called on `delegate` reaches `proxy`: it is the proxy, or another one in front of it.
  private static func leads(_ delegate: Delegate, to proxy: ProtocolProxy<Delegate>) -> Bool {
    guard let other = delegate as? ProtocolProxy<Delegate> else { return false }
    return other === proxy || other.allForwardees.contains { leads($0, to: proxy) }
  }

  /// Whether this is where it is. Of a place that cannot be read nobody knows.
  func isAt(_ owner: Owner, _ place: DelegatePlace<Owner, Delegate>) -> Bool {
    self.owner === owner && self.place.key == place.key && self.place.get != nil && place.get != nil
  }

  func dispose() {
    if isDisposed { return }
    isDisposed = true
    refreshing?.dispose()
    let displaced = displaced
    self.displaced = []
    if let proxy { proxy.stays.removeAll { $0 === self } }
    stepOut(displaced)
    guard let owner else { return }
    // Another delegate has been set. If that is a proxy that leads here, it goes on to what was here before. Nil counts as this
    // one: a place that holds its delegate weakly is nil when that dies.
    if let current = place.get?(owner), ObjectIdentifier(current as AnyObject) != identity {
      return leaveOut(after: current, displaced)
    }
    place.set(owner, displaced.first?.current)
  }

  /// Has the proxies that were installed in front of this one come before `next` instead.
  private func stepOut(_ next: [Forwardee<Delegate>]) {
    let others = fronts.compactMap(\.proxy)
    fronts = []
    for other in others { replace(in: other, with: next) }
  }

  /// Has the proxy that forwards to this one forward to `next` instead, and put that back when its own time has come.
  private func leaveOut(after delegate: Delegate, _ next: [Forwardee<Delegate>]) {
    guard let other = delegate as? ProtocolProxy<Delegate> else { return }
    replace(in: other, with: next)
    for further in other.allForwardees { leaveOut(after: further, next) }
  }

  /// Puts `next` where `other` has this proxy: among its forwardees, and in what it puts back.
  private func replace(in other: ProtocolProxy<Delegate>, with next: [Forwardee<Delegate>]) {
    // A proxy never comes before itself.
    let next = next.filter { !$0.leads(to: other) }
    if other.forwardees.contains(where: isThis) {
      other.update(other.forwardees.flatMap { isThis($0) ? next : [$0] })
    }
    for stay in stays(of: other) where stay.displaced.contains(where: isThis) {
      stay.displaced = stay.displaced.flatMap { isThis($0) ? next : [$0] }
      note(other, before: next)
    }
  }

  /// Where this one has gone already its place is dead; an object that is alive there is another one.
  private func isThis(_ forwardee: Forwardee<Delegate>) -> Bool {
    forwardee.identity == identity && (proxy != nil) == forwardee.isAlive
  }

  /// Where `other` is in this place; everywhere, if it has this place under another name.
  private func stays(of other: ProtocolProxy<Delegate>) -> [ProxyStay<Delegate>] {
    let here = other.stays.filter { $0.isBeside(self) }
    return here.isEmpty ? other.stays : here
  }

  /// Has the proxies among `others` know that `front` is in front of them now.
  private func note(_ front: ProtocolProxy<Delegate>, before others: [Forwardee<Delegate>]) {
    for other in others {
      guard let behind = other.current as? ProtocolProxy<Delegate> else { continue }
      for stay in stays(of: behind) { stay.addFront(front) }
    }
  }
}

/// A proxy, held weakly.
struct WeakProxy<Delegate> {
  private(set) weak var proxy: ProtocolProxy<Delegate>?

  init(_ proxy: ProtocolProxy<Delegate>) { self.proxy = proxy }
}

/// What others have to know of a proxy's stay in an owner of whatever type.
class ProxyStay<Delegate> {
  private let owner: ObjectIdentifier
  private let key: AnyHashable

  init(owner: ObjectIdentifier, key: AnyHashable) {
    self.owner = owner
    self.key = key
  }

  /// The proxies that have been installed in front of this one.
  final var fronts: [WeakProxy<Delegate>] = []

  final func addFront(_ proxy: ProtocolProxy<Delegate>) {
    fronts.removeAll { $0.proxy == nil || $0.proxy === proxy }
    fronts.append(WeakProxy(proxy))
  }

  /// Whether both are in the same place.
  final func isBeside(_ other: ProxyStay) -> Bool { owner == other.owner && key == other.key }

  /// What was there before, or has been put there behind our back since. Several where a slot's proxy forwarded to them.
  final var displaced: [Forwardee<Delegate>] = []
}

extension ProtocolProxy {
  /// Makes a proxy and puts it in the place of a delegate of an owner that cannot be edited.
  ///
  /// ```swift
  /// let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
  /// proxy.dispose(in: bag)
  /// ```
  ///
  /// The delegate that is there becomes the forwardee, behind those that the proxy has: held weakly, or kept where the owner was
  /// the only one who kept it. Of an owner that keeps its delegate say so: `at: DelegatePlace(\.delegate).keeping`. The owner is
  /// held weakly. Keep the proxy, in a bag for instance: disposing of it, or letting it go, puts back what was there,
  /// unless another delegate has been set meanwhile. Nil counts as the proxy, because a place that holds its delegate weakly
  /// is nil when that is released.
  public static func install<Owner: AnyObject>(
    on owner: Owner, at keyPath: ReferenceWritableKeyPath<Owner, Delegate?>, isolation: (any Actor)? = #isolation
  ) -> Self {
    install(on: owner, at: DelegatePlace(keyPath), isolation: isolation)
  }

  /// The same for a place that is no optional property.
  public static func install<Owner: AnyObject>(
    on owner: Owner, at place: DelegatePlace<Owner, Delegate>, isolation: (any Actor)? = #isolation
  ) -> Self {
    let proxy = Self()
    proxy.install(on: owner, at: place, isolation: isolation)
    return proxy
  }

  /// The same for an owner that can only be told its delegate: `set` gets the proxy now and nil when it is disposed of. Where
  /// `refreshing` says so it gets the proxy again each time other methods are implemented: see `DelegatePlace.refreshing`.
  public static func install<Owner: AnyObject>(
    on owner: Owner, refreshing: Bool = false, isolation: (any Actor)? = #isolation,
    setting set: @escaping (Owner, Delegate?) -> Void
  ) -> Self {
    let place = DelegatePlace("setter", set: set)
    return install(on: owner, at: refreshing ? place.refreshing : place, isolation: isolation)
  }

  /// Puts a proxy that exists already in the place of a delegate. One that is made of closures, for instance. Nothing where the
  /// proxy has been disposed of.
  public final func install<Owner: AnyObject>(
    on owner: Owner, at keyPath: ReferenceWritableKeyPath<Owner, Delegate?>, isolation: (any Actor)? = #isolation
  ) {
    install(on: owner, at: DelegatePlace(keyPath), isolation: isolation)
  }

  /// The same for a place that is no optional property.
  public final func install<Owner: AnyObject>(
    on owner: Owner, at place: DelegatePlace<Owner, Delegate>, isolation: (any Actor)? = #isolation
  ) {
    if isDisposed { return }
    _ = installing(on: owner, at: place, isolation)
  }

  final func installing<Owner: AnyObject>(
    on owner: Owner, at place: DelegatePlace<Owner, Delegate>, _ isolation: (any Actor)?
  ) -> Installation<Owner, Delegate> {
    // In one place it is once.
    for case let there as Installation<Owner, Delegate> in stays where there.isAt(owner, place) {
      there.recapture()
      return there
    }
    let installation = Installation(self, owner, place)
    // The owner may have disposed of the proxy when it was set.
    if isDisposed { installation.dispose() } else { installations.add(installation, isolation: isolation) }
    return installation
  }
}
