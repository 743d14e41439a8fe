/// A delegate property with a built-in proxy. Assigning sets the proxy's forwardee, so an assignment cannot displace the proxy.
///
/// ```swift
/// final class Player {
///   @DelegateSlot(PlayerDelegateProxy.self) var delegate: (any PlayerDelegate)?
///   func play() { delegate?.playerDidStart(self) }
/// }
/// player.$delegate.didStart.stream.observeNext { … }
/// player.delegate = controller        // still receives every call, beside the streams
/// ```
///
/// It holds the delegate weakly. The proxy is created when `$delegate` is first used, and deallocated with the owner. After
/// that, the property's value is the proxy, because the owner calls the value that it reads.
@propertyWrapper
public struct DelegateSlot<Delegate, Proxy: ProtocolProxy<Delegate>> {
  private final class Storage {
    var delegate: Forwardee<Delegate>?
    var proxy: (proxy: Proxy, asDelegate: Delegate)?
  }

  private let storage = Storage()

  /// Creates a property without a delegate, whose proxy has the class `type`.
  public init(_ type: Proxy.Type = Proxy.self) {}

  /// The proxy if it has been created, otherwise the delegate.
  public var wrappedValue: Delegate? {
    get { storage.proxy?.asDelegate ?? storage.delegate?.current }
    nonmutating set {
      if let proxy = storage.proxy?.proxy {
        // Assigning the value that was read here changes nothing.
        if let newValue, ObjectIdentifier(newValue as AnyObject) == ObjectIdentifier(proxy) { return }
        proxy.setForwardee(newValue)
      } else {
        let old = storage.delegate
        storage.delegate = newValue.map { Forwardee($0, retaining: false) }
        withExtendedLifetime(old) {}
      }
    }
  }

  /// The proxy. It is created on first use, with the current delegate as its forwardee.
  public var projectedValue: Proxy {
    let before = storage.proxy?.proxy
    if let before, !before.isDisposed { return before }
    let proxy = Proxy()
    proxy.isOfSlot = true
    if let delegate = storage.delegate { proxy.forward(to: [delegate]) }
    if let before { proxy.forward(to: before.sources) }
    storage.delegate = nil
    storage.proxy = (proxy, proxy.asDelegate)
    return proxy
  }
}

@available(*, unavailable)
extension DelegateSlot: Sendable {}
