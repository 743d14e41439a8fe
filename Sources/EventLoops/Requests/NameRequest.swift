import CUV
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The names that belong to an address: what `getnameinfo` answers.
public struct AddressNames: Hashable, Sendable {
  /// The host's name, or its number where it has none.
  public var host: String
  /// The name of the port's service, or its number where it has none.
  public var service: String
}

/// How the names of an address are found: the flags of `getnameinfo`.
public struct AddressNameOptions: OptionSet, Hashable, Sendable {
  /// The flags as the system has them.
  public let rawValue: Int32

  /// Makes options from the system's flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Fails with `ENOTFOUND` where the host has no name, instead of giving its number.
  public static let requiresName = AddressNameOptions(rawValue: Int32(NI_NAMEREQD))
  /// The host's number; nobody is asked.
  public static let numericHost = AddressNameOptions(rawValue: Int32(NI_NUMERICHOST))
  /// The port's number.
  public static let numericService = AddressNameOptions(rawValue: Int32(NI_NUMERICSERV))
  /// The service of a UDP port, where it differs.
  public static let datagram = AddressNameOptions(rawValue: Int32(NI_DGRAM))
  /// Names of the own domain without it.
  public static let localPart = AddressNameOptions(rawValue: Int32(NI_NOFQDN))
}

extension Operation where Element == AddressNames, Failure == UVError {
  /// The names that belong to `address`: one element, then completed.
  ///
  /// Asked for when observed, on libuv's thread pool. Fails with the resolver's error, which has the address as its `path`;
  /// local addresses fail with `EINVAL`. Disposing cancels it where it still waits for a thread; otherwise it ends unheard.
  public static func names(of address: SocketAddress, options: AddressNameOptions = []) -> Operation {
    request(
      Operation { observer in
        let request = NameRequest(address, on: .current) { observer.finish($0) }
        request.start(options)
        return request
      })
  }
}

/// `uv_getnameinfo`.
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
      result = .failure(UVError(code: status, call: "uv_getnameinfo", address: address))
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
