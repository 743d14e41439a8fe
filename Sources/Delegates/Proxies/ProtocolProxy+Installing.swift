internal import Streams

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
    let installation = DelegateChain.install(self, on: owner, at: place)
    // The owner's setter may have disposed the proxy.
    if isDisposed { installation.dispose() }
    if installation.isOwned { return }
    installation.isOwned = true
    installationBag.add(installation, isolation: isolation)
  }

  /// Returns whether calls of `delegate` reach this proxy: it is the proxy, or another proxy in front of it.
  final func isReached(from delegate: Delegate) -> Bool {
    guard let other = delegate as? ProtocolProxy else { return false }
    return other === self || other.allForwardees.contains(where: isReached)
  }
}
