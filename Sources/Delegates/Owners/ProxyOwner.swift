internal import Streams

/// A class that retains the proxies of its delegates in one stored property.
///
/// ```swift
/// final class Downloader: ProxyOwner {
///   weak var delegate: (any DownloaderDelegate)?
///   let proxies = ProtocolProxyRegistry()
/// }
/// let proxy: DownloaderDelegateProxy = downloader.proxy(for: \.delegate)
/// ```
///
/// The proxies are deallocated with the owner, and their streams complete.
public protocol ProxyOwner: AnyObject {
  /// The registry that retains the proxies.
  var proxies: ProtocolProxyRegistry { get }
}

extension ProxyOwner {
  /// Returns the proxy at a property. The first request creates and installs it.
  ///
  /// If the compiler cannot infer the type, pass the class as `as:`. To call `downloader.proxy(for: \.delegate)` without a type,
  /// add this extension beside the proxy:
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
  /// The delegate, usually held weakly.
  var delegate: Delegate? { get set }
}

/// A class with a property `dataSource`.
public protocol HasDataSource: AnyObject {
  /// The data source's protocol, as `any`.
  associatedtype DataSource
  /// The data source, usually held weakly.
  var dataSource: DataSource? { get set }
}

extension ProtocolProxyRegistry {
  /// Returns the proxy of an owner's delegate.
  public func delegateProxy<Owner: HasDelegate, Proxy: ProtocolProxy<Owner.Delegate>>(
    for owner: Owner, as type: Proxy.Type = Proxy.self, isolation: (any Actor)? = #isolation
  ) -> Proxy {
    proxy(for: owner, at: \.delegate, as: type, isolation: isolation)
  }

  /// Returns the proxy of an owner's data source.
  public func dataSourceProxy<Owner: HasDataSource, Proxy: ProtocolProxy<Owner.DataSource>>(
    for owner: Owner, as type: Proxy.Type = Proxy.self, isolation: (any Actor)? = #isolation
  ) -> Proxy {
    proxy(for: owner, at: \.dataSource, as: type, isolation: isolation)
  }
}
