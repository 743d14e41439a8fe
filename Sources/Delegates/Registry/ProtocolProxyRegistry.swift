internal import Streams

/// The proxies of owners: the first who asks for one has it made and installed, the next get the same.
///
/// An owner of one's own has a registry as a stored property, and conforms to `ProxyOwner`. For types that cannot be edited
/// there is a registry for all owners, and an extension:
/// ```swift
/// extension Downloader {
///   @MainActor private static let proxies = ProtocolProxyRegistry()
///   @MainActor var delegateProxy: DownloaderDelegateProxy { Self.proxies.proxy(for: self, at: \.delegate) }
/// }
/// ```
///
/// - A proxy belongs to an owner and a place in it, so several delegates of one protocol have a proxy each.
/// - Owners are held weakly. What belonged to one that has gone is let go at once where the owner is `LifetimeProviding` or
///   has the registry, and by the next use of the registry otherwise.
/// - At each access: where somebody has set another delegate, that becomes the forwardee, and the proxy gets its place back.
///
/// Confined. Cost: a look-up in a dictionary, and one look at the owner's delegate.
public final class ProtocolProxyRegistry {
  private struct Key: Hashable {
    let owner: ObjectIdentifier
    let place: AnyHashable
  }

  private struct Entry {
    weak var owner: AnyObject?
    let proxy: AnyObject
    let recapture: () -> Void
    let isDisposed: () -> Bool
  }

  private struct FactoryKey: Hashable {
    let delegate: ObjectIdentifier
    let owner: ObjectIdentifier
  }

  private var entries: [Key: Entry] = [:]
  /// Those that are being installed: an owner may ask for its proxy when it is set.
  private var pending: [Key: AnyObject] = [:]
  private var factories: [FactoryKey: (AnyObject) -> AnyObject] = [:]
  private let endings = DisposeBag()

  /// Makes a registry without entries or factories.
  public init() {}

  /// The number of proxies, among them those of owners that have gone and that nobody has asked for since.
  public var count: Int { entries.count }

  /// Has `make` make the proxies of `Owner` and its subclasses for a protocol, as long as no subclass has a factory of its
  /// own: that of the most derived class counts. A second one for the same class and protocol stops the program.
  public func register<Owner: AnyObject, Delegate>(
    for type: Owner.Type = Owner.self, _ make: @escaping (Owner) -> ProtocolProxy<Delegate>
  ) {
    let key = FactoryKey(delegate: ObjectIdentifier(Delegate.self), owner: ObjectIdentifier(type))
    if factories[key] != nil {
      misuse(
        """
        A second factory was registered for the proxies of \(Delegate.self) at \(type). Register one for each class; a \
        subclass may have another.
        """)
    }
    factories[key] = { owner in
      guard let owner = owner as? Owner else { misuse("A factory was asked for the proxy of a foreign owner.") }
      return make(owner)
    }
  }

  /// The proxy at a property of an owner: made and installed the first time.
  public func proxy<Owner: AnyObject, Delegate, Proxy: ProtocolProxy<Delegate>>(
    for owner: Owner, at keyPath: ReferenceWritableKeyPath<Owner, Delegate?>, as type: Proxy.Type = Proxy.self,
    isolation: (any Actor)? = #isolation
  ) -> Proxy {
    proxy(for: owner, at: DelegatePlace(keyPath), as: type, isolation: isolation)
  }

  /// The proxy at a place in an owner: made and installed the first time.
  public func proxy<Owner: AnyObject, Delegate, Proxy: ProtocolProxy<Delegate>>(
    for owner: Owner, at place: DelegatePlace<Owner, Delegate>, as type: Proxy.Type = Proxy.self,
    isolation: (any Actor)? = #isolation
  ) -> Proxy {
    let key = Key(owner: ObjectIdentifier(owner), place: place.key)
    if let entry = entries[key], entry.owner === owner, !entry.isDisposed() {
      entry.recapture()
      return cast(entry.proxy, owner)
    }
    if let proxy = pending[key] { return cast(proxy, owner) }
    removeGone()
    // The owner's own slot has a proxy, or there is one under another name of the place.
    if let current = place.get?(owner) as? Proxy, current.isOfSlot || isRegistered(current, owner) { return current }
    let proxy: Proxy = make(owner)
    pending[key] = proxy
    let installation = proxy.installing(on: owner, at: place, isolation)
    pending[key] = nil
    entries[key] = Entry(
      owner: owner, proxy: proxy, recapture: { installation.recapture() },
      isDisposed: { [weak proxy] in proxy?.isDisposed ?? true })
    if let owner = owner as? any LifetimeProviding {
      // The registry may be the owner's own.
      let identity = ObjectIdentifier(proxy)
      let ending = owner.lifetime.observeEnded { [weak self] in self?.remove(key, proxy: identity) }
      endings.add(ending, isolation: isolation)
    }
    return proxy
  }

  /// The proxy at a place, if there is one. It is not installed anew.
  public func existingProxy<Owner: AnyObject, Delegate>(
    for owner: Owner, at keyPath: ReferenceWritableKeyPath<Owner, Delegate?>
  ) -> ProtocolProxy<Delegate>? {
    let entry = entries[Key(owner: ObjectIdentifier(owner), place: keyPath)]
    return entry?.owner === owner && entry?.isDisposed() == false ? entry?.proxy as? ProtocolProxy<Delegate> : nil
  }

  /// Lets go of the proxies of owners that have gone, whose streams complete.
  public func removeGone() {
    // Released when the registry is whole again.
    let gone = entries.filter { $0.value.owner == nil }
    for key in gone.keys { entries[key] = nil }
    withExtendedLifetime(gone) {}
  }

  private func remove(_ key: Key, proxy: ObjectIdentifier) {
    guard let entry = entries[key], ObjectIdentifier(entry.proxy) == proxy else { return }
    entries[key] = nil
    withExtendedLifetime(entry) {}
  }

  private func isRegistered(_ proxy: AnyObject, _ owner: AnyObject) -> Bool {
    entries.values.contains { $0.proxy === proxy && $0.owner === owner }
  }

  private func make<Delegate, Proxy: ProtocolProxy<Delegate>>(_ owner: AnyObject) -> Proxy {
    var mirror: Mirror? = Mirror(reflecting: owner)
    while let current = mirror {
      if let type = current.subjectType as? AnyClass {
        let key = FactoryKey(delegate: ObjectIdentifier(Delegate.self), owner: ObjectIdentifier(type))
        if let factory = factories[key] { return cast(factory(owner), owner) }
      }
      mirror = current.superclassMirror
    }
    return Proxy()
  }

  private func cast<Proxy>(_ proxy: AnyObject, _ owner: AnyObject) -> Proxy {
    guard let proxy = proxy as? Proxy else {
      misuse(
        """
        The proxy of this \(Swift.type(of: owner)) is a \(Swift.type(of: proxy)), but was requested as a \(Proxy.self). \
        Request the same class everywhere, or register a factory that makes subclasses of it.
        """)
    }
    return proxy
  }
}

@available(*, unavailable)
extension ProtocolProxyRegistry: Sendable {}
