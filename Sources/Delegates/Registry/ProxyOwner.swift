internal import Streams

/// A class that keeps the proxies of its delegates: one stored property is all that it takes.
///
/// ```swift
/// final class Downloader: ProxyOwner {
///   weak var delegate: (any DownloaderDelegate)?
///   let proxies = ProtocolProxyRegistry()
/// }
/// let proxy: DownloaderDelegateProxy = downloader.proxy(for: \.delegate)
/// ```
///
/// The proxies go with the owner, and their streams complete.
public protocol ProxyOwner: AnyObject {
  /// Where the proxies are kept.
  var proxies: ProtocolProxyRegistry { get }
}

extension ProxyOwner {
  /// The proxy at a property: made and installed the first time. See `ProtocolProxyRegistry`.
  ///
  /// Where no type is annotated, `as:` names the class. To have `downloader.proxy(for: \.delegate)` alone, write once beside the
  /// proxy:
  /// ```swift
  /// extension ProxyOwner {
  ///   func proxy(for keyPath: ReferenceWritableKeyPath<Self, (any DownloaderDelegate)?>) -> DownloaderDelegateProxy {
  ///     proxy(for: keyPath, as: DownloaderDelegateProxy.self)
  ///   }
  /// }
  /// ```
  public func proxy<Delegate, Proxy: ProtocolProxy<Delegate>>(
    for keyPath: ReferenceWritableKeyPath<Self, Delegate?>, as type: Proxy.Type = Proxy.self,
    isolation: (any Actor)? = #isolation
  ) -> Proxy {
    proxies.proxy(for: self, at: keyPath, as: type, isolation: isolation)
  }
}

/// A class with a property `delegate`.
public protocol HasDelegate: AnyObject {
  /// The delegate's protocol, as `any`.
  associatedtype Delegate
  /// The delegate, held weakly as a rule.
  var delegate: Delegate? { get set }
}

/// A class with a property `dataSource`.
public protocol HasDataSource: AnyObject {
  /// The data source's protocol, as `any`.
  associatedtype DataSource
  /// The data source, held weakly as a rule.
  var dataSource: DataSource? { get set }
}

extension ProtocolProxyRegistry {
  /// The proxy of an owner's delegate.
  public func delegateProxy<Owner: HasDelegate, Proxy: ProtocolProxy<Owner.Delegate>>(
    for owner: Owner, as type: Proxy.Type = Proxy.self, isolation: (any Actor)? = #isolation
  ) -> Proxy {
    proxy(for: owner, at: \.delegate, as: type, isolation: isolation)
  }

  /// The proxy of an owner's data source.
  public func dataSourceProxy<Owner: HasDataSource, Proxy: ProtocolProxy<Owner.DataSource>>(
    for owner: Owner, as type: Proxy.Type = Proxy.self, isolation: (any Actor)? = #isolation
  ) -> Proxy {
    proxy(for: owner, at: \.dataSource, as: type, isolation: isolation)
  }
}
