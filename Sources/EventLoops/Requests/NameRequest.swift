import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The names that belong to an address: the result of `getnameinfo`.
public struct AddressNames: Hashable, Sendable {
  /// The name of the host, or its numeric address if it has no name.
  public var host: String
  /// The name of the port's service, or the port number if it has no name.
  public var service: String
}

/// The options for finding the names of an address: the flags of `getnameinfo`.
public struct AddressNameOptions: OptionSet, Hashable, Sendable {
  /// The flags, as the system defines them.
  public let rawValue: Int32

  /// Makes options from the system's flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Fails with `ENOTFOUND` if the host has no name, instead of returning its numeric address.
  public static let requiresName = AddressNameOptions(rawValue: Int32(NI_NAMEREQD))
  /// Returns the numeric address of the host. Sends no request.
  public static let numericHost = AddressNameOptions(rawValue: Int32(NI_NUMERICHOST))
  /// Returns the port number.
  public static let numericService = AddressNameOptions(rawValue: Int32(NI_NUMERICSERV))
  /// Returns the service of a UDP port, if it differs from that of TCP.
  public static let datagram = AddressNameOptions(rawValue: Int32(NI_DGRAM))
  /// Removes the local domain from names.
  public static let localPart = AddressNameOptions(rawValue: Int32(NI_NOFQDN))
}

extension Operation where Element == AddressNames, Failure == UVError {
  /// Finds the names of `address` when observed. Emits them and completes.
  ///
  /// Runs on libuv's thread pool. Fails with the resolver's error, whose `path` is the address; local addresses fail
  /// with `EINVAL`. Disposing cancels a request that waits for a thread. One that runs already ends without a delivery.
  public static func names(of address: SocketAddress, options: AddressNameOptions = []) -> Operation {
    request(
      Operation { observer in
        let request = NameRequest(address, on: .current) { observer.finish($0) }
        request.start(options)
        return request
      })
  }
}

/// A call of `uv_getnameinfo`.
private final class NameRequest: Request {
  private let address: SocketAddress
  private var done: ((Result<AddressNames, UVError>) -> Void)?
  private var result: Result<AddressNames, UVError>?

  init(_ address: SocketAddress, on loop: Loop, _ done: @escaping (Result<AddressNames, UVError>) -> Void) {
    self.address = address
    self.done = done
    super.init(loop, uv_getnameinfo_t.self)
  }

  func start(_ options: AddressNameOptions) {
    start {
      address.withSockAddr { address, _ in
        uv_getnameinfo(
          loop.uv, pointer(uv_getnameinfo_t.self),
          { request, status, _, _ in
            Request.didFinish(request!.pointee.data, status)
          }, address, options.rawValue)
      }
    }
  }

  override func take(_ status: Int32) {
    if status < 0 {
      result = .failure(UVError(code: resolverStatus(status), call: "uv_getnameinfo", address: address))
      return
    }
    let request = UnsafeRawPointer(pointer(uv_getnameinfo_t.self))
    func text(_ field: PartialKeyPath<uv_getnameinfo_t>) -> String {
      String(cString: (request + MemoryLayout<uv_getnameinfo_t>.offset(of: field)!).assumingMemoryBound(to: CChar.self))
    }
    result = .success(AddressNames(host: text(\.host), service: text(\.service)))
  }

  override func deliver() { if let result = result.take() { done.take()?(result) } }
}
