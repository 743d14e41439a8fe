internal import Streams

/// The proxies of owners. The first request creates and installs the proxy of an owner; later requests return the same one.
///
/// A class that you write has a registry as a stored property and conforms to `ProxyOwner`. For types whose source you cannot
/// change, use one registry for all owners and an extension:
/// ```swift
/// extension Downloader {
///   @MainActor private static let proxies = ProtocolProxyRegistry()
///   @MainActor var delegateProxy: DownloaderDelegateProxy { Self.proxies.proxy(for: self, at: \.delegate) }
/// }
/// ```
///
/// - A proxy belongs to one accessor of one owner, so an owner with several delegates of one protocol has a proxy for
///   each of them.
/// - Owners are held weakly. After an owner is deallocated, its proxies are released immediately if the owner is
///   `LifetimeProviding` or has the registry. Otherwise they are released when the registry creates its next proxy, or, if it has
///   proxies for 64 owners or more, before their number has doubled.
/// - Each request checks the owner's delegate. If another delegate has been set, it becomes the forwardee, and the proxy
///   is the delegate again.
///
/// Confined to one domain.
///
/// - Complexity: One dictionary lookup and one read of the owner's delegate for each request. Linear in the number of proxies of the
///   owner. A request that creates a proxy releases those of deallocated owners, which takes constant time on average.
public final class ProtocolProxyRegistry {
  private struct Entry {
    weak var owner: AnyObject?
    let key: AnyHashable
    let proxy: any Disposable & AnyObject
  }

  private struct FactoryKey: Hashable {
    let delegate: ObjectIdentifier
    let owner: ObjectIdentifier
  }

  private var entries: [ObjectIdentifier: [Entry]] = [:]
  private var factories: [FactoryKey: (AnyObject) -> AnyObject] = [:]
  private let endings = DisposeBag()
  /// The number of owners from which a new proxy releases the proxies of deallocated owners only when the number has doubled.
  private static let sweptEachTime = 64
  private var sweepLimit = 0

  /// Creates a registry without proxies or factories.
  public init() {}

  /// The number of proxies, including proxies of deallocated owners that have not been released.
  public var count: Int { entries.values.reduce(0) { $0 + $1.count } }

  /// Registers a factory for the proxies of `Owner` and its subclasses for a protocol. The factory of the most derived class is
  /// used. Traps if the class has a factory for the protocol.
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

  /// Returns the proxy at a property of an owner. The first request creates and installs it.
  public func proxy<Owner: AnyObject, Delegate, Proxy: ProtocolProxy<Delegate>>(
    for owner: Owner, at keyPath: ReferenceWritableKeyPath<Owner, Delegate?>, as type: Proxy.Type = Proxy.self,
    isolation: (any Actor)? = #isolation
  ) -> Proxy {
    proxy(for: owner, at: DelegatePlace(keyPath), as: type, isolation: isolation)
  }

  /// Returns the proxy at an accessor of an owner. The first request creates and installs it.
  public func proxy<Owner: AnyObject, Delegate, Proxy: ProtocolProxy<Delegate>>(
    for owner: Owner, at place: DelegatePlace<Owner, Delegate>, as type: Proxy.Type = Proxy.self,
    isolation: (any Actor)? = #isolation
  ) -> Proxy {
    let registered = entries(of: owner)
    if let entry = registered.first(where: { $0.key == place.key }) {
      let proxy: Proxy = cast(entry.proxy, owner)
      _ = DelegateChain.moveToFront(proxy, on: owner, at: place)
      return proxy
    }
    if let current = place.get?(owner) as? Proxy, current.isOfSlot { return current }
    // The registry may have the proxy under another name of the accessor.
    let others = registered.lazy.compactMap { $0.proxy as? ProtocolProxy<Delegate> }
    if let proxy = others.first(where: { DelegateChain.moveToFront($0, on: owner, at: place) != nil }) {
      return cast(proxy, owner)
    }
    if entries.count < Self.sweptEachTime || entries.count >= sweepLimit {
      removeGone()
      sweepLimit = 2 * entries.count
    }
    let proxy: Proxy = make(owner)
    let identity = ObjectIdentifier(owner)
    // First, because the owner can request its proxy in its setter.
    set(entries(of: owner) + [Entry(owner: owner, key: place.key, proxy: proxy)], at: identity)
    proxy.install(on: owner, at: place, isolation: isolation)
    if let owner = owner as? any LifetimeProviding {
      // The registry may be a property of the owner.
      endings.add(owner.lifetime.observeEnded { [weak self] in self?.removeGone(at: identity) }, isolation: isolation)
    }
    return proxy
  }

  /// Returns the proxy at an accessor, or nil if there is none. Does not install it again.
  ///
  /// Under another name than that of the first request, such as the key path of a superclass, the proxy is found only while the owner's
  /// calls reach it.
  public func existingProxy<Owner: AnyObject, Delegate>(
    for owner: Owner, at keyPath: ReferenceWritableKeyPath<Owner, Delegate?>
  ) -> ProtocolProxy<Delegate>? {
    let registered = entries(of: owner)
    let named = registered.first { $0.key == AnyHashable(keyPath) }?.proxy
    if let named { return named as? ProtocolProxy<Delegate> }
    guard let current = owner[keyPath: keyPath] else { return nil }
    return registered.lazy.compactMap { $0.proxy as? ProtocolProxy }.first { $0.isReached(from: current) }
  }

  /// Releases the proxies of deallocated owners, whose streams complete.
  public func removeGone() {
    for (owner, all) in entries where all.contains(where: { $0.owner == nil }) { removeGone(at: owner) }
  }

  private func removeGone(at owner: ObjectIdentifier) { set(entries[owner]?.filter { $0.owner != nil }, at: owner) }

  private func set(_ new: [Entry]?, at owner: ObjectIdentifier) {
    // Released last, because their deinit may use the registry.
    let old = entries[owner]
    entries[owner] = new?.isEmpty == true ? nil : new
    withExtendedLifetime(old) {}
  }

  /// The entries of an owner whose proxies have not been disposed.
  private func entries(of owner: AnyObject) -> [Entry] {
    entries[ObjectIdentifier(owner), default: []].filter { $0.owner === owner && !$0.proxy.isDisposed }
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
