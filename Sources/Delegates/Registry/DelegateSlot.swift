/// A delegate property of one's own type that knows its proxy: assigning goes to the proxy's forwardee, so nobody can put the
/// proxy out of its place.
///
/// ```swift
/// final class Player {
///   @DelegateSlot(PlayerDelegateProxy.self) var delegate: (any PlayerDelegate)?
///   func play() { delegate?.playerDidStart(self) }
/// }
/// player.$delegate.didStart.stream.observeNext { … }
/// player.delegate = controller        // goes on getting everything, beside the streams
/// ```
///
/// It holds the delegate weakly. Reading gives the proxy as soon as there is one, because the owner calls what it reads. The
/// proxy is made when `$delegate` is first used, and goes with the owner.
@propertyWrapper
public struct DelegateSlot<Delegate, Proxy: ProtocolProxy<Delegate>> {
  private final class Storage {
    var delegate: Forwardee<Delegate>?
    var proxy: (proxy: Proxy, asDelegate: Delegate)?
  }

  private let storage = Storage()

  /// An empty slot whose proxy is a `type`.
  public init(_ type: Proxy.Type = Proxy.self) {}

  /// The delegate, or the proxy that stands before it.
  public var wrappedValue: Delegate? {
    get { storage.proxy?.asDelegate ?? storage.delegate?.current }
    nonmutating set {
      if let proxy = storage.proxy?.proxy {
        // What has been taken from here and is put back changes nothing.
        if let newValue, ObjectIdentifier(newValue as AnyObject) == ObjectIdentifier(proxy) { return }
        proxy.setForwardee(newValue)
      } else {
        let old = storage.delegate
        storage.delegate = newValue.map { Forwardee($0, retaining: false) }
        withExtendedLifetime(old) {}
      }
    }
  }

  /// The proxy: made the first time, with the delegate that is there as its forwardee.
  public var projectedValue: Proxy {
    let before = storage.proxy?.proxy
    if let before, !before.isDisposed { return before }
    let proxy = Proxy()
    proxy.isOfSlot = true
    if let delegate = storage.delegate { proxy.update([delegate]) }
    if let before { proxy.update(before.forwardees) }
    storage.delegate = nil
    storage.proxy = (proxy, proxy.asDelegate)
    return proxy
  }
}

@available(*, unavailable)
extension DelegateSlot: Sendable {}
