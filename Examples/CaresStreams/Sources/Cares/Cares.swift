// Written by wrap-library from ares.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CCares
public import Callbacks

/// The callbacks of a `struct ares_channeldata`.
///
/// You make the object and destroy it, after disposing the subscriptions to its callbacks.
nonisolated public final class Channel {
  /// The object of the library.
  public let pointer: OpaquePointer

  /// Wraps an object of the library.
  public init(_ pointer: OpaquePointer) { self.pointer = pointer }

  private typealias AddressInfoCallback = OnceCallback<Int32, Int32, UnsafeMutablePointer<ares_addrinfo>?, Void>

  /// C calls this through `ares_getaddrinfo`.
  ///
  /// The library has no call that ends it. Calls after the disposal are dropped.
  /// C: `ares_getaddrinfo`.
  public func addressInfo(
    _ node: String?, _ service: String?, _ hints: UnsafePointer<ares_addrinfo_hints>?,
    _ body: @escaping (_ status: Int32, _ timeouts: Int32, _ res: UnsafeMutablePointer<ares_addrinfo>?) -> Void
  ) -> any Disposable {
    let callback = AddressInfoCallback(body)
    ares_getaddrinfo(
      pointer, node, service, hints,
      { context, status, timeouts, res in AddressInfoCallback.call(context, status, timeouts, res) }, callback.context)
    return BlockDisposable {
      if callback.isEnded { return }
      callback.disarm()
    }
  }

  private typealias HostByAddressCallback = OnceCallback<Int32, Int32, UnsafeMutablePointer<hostent>?, Void>

  /// C calls this through `ares_gethostbyaddr`.
  ///
  /// The library has no call that ends it. Calls after the disposal are dropped.
  /// C: `ares_gethostbyaddr`.
  public func hostByAddress(
    _ addr: UnsafeRawPointer?, _ addrlen: Int32, _ family: Int32,
    _ body: @escaping (_ status: Int32, _ timeouts: Int32, _ hostent: UnsafeMutablePointer<hostent>?) -> Void
  ) -> any Disposable {
    let callback = HostByAddressCallback(body)
    ares_gethostbyaddr(
      pointer, addr, addrlen, family,
      { context, status, timeouts, hostent in HostByAddressCallback.call(context, status, timeouts, hostent) },
      callback.context)
    return BlockDisposable {
      if callback.isEnded { return }
      callback.disarm()
    }
  }
}

/// The methods that C calls through a `ares_options`.
nonisolated public protocol OptionsDelegate {
  /// C calls this through the field `sock_state_cb`.
  ///
  /// C: `ares_options.sock_state_cb`.
  func socketStateChanged(_ socketFd: Int32, _ readable: Int32, _ writable: Int32)
}

nonisolated extension ares_options {
  /// Sets the functions of this struct to functions that call the methods of `delegate`.
  ///
  /// Retain the result for as long as C may call. Late calls are dropped and counted.
  public mutating func setDelegate(_ delegate: any OptionsDelegate) -> RepeatingCallback<(any OptionsDelegate)?> {
    typealias Callback = RepeatingCallback<(any OptionsDelegate)?>
    let callback = Callback { delegate }
    self.sock_state_cb_data = callback.context
    self.sock_state_cb = { @Sendable context, socketFd, readable, writable in
      Callback.call(context, otherwise: nil)?.socketStateChanged(socketFd, readable, writable)
    }
    return callback
  }
}
