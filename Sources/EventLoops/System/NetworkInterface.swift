import CUV

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An address of a network interface of this machine. An interface has one entry for each of its addresses.
public struct NetworkInterface: Hashable, Sendable {
  /// The interface's name, such as `eth0`.
  public var name: String
  /// The address, with port 0.
  public var address: SocketAddress
  /// The network mask of the address, with port 0.
  public var mask: SocketAddress
  /// The six bytes of the hardware address; zeros if there is none.
  public var hardwareAddress: [UInt8]
  /// True for an interface that only reaches this machine, such as the loopback interface.
  public var isInternal: Bool
}

extension Machine {
  /// Returns the addresses of all network interfaces that are up. Throws the error of the system.
  public static func networkInterfaces() throws(UVError) -> [NetworkInterface] {
    var list: UnsafeMutablePointer<uv_interface_address_t>?
    var count: Int32 = 0
    let status = uv_interface_addresses(&list, &count)
    if status < 0 { throw UVError(code: status, call: "uv_interface_addresses") }
    guard let list else { return [] }
    defer { uv_free_interface_addresses(list, count) }
    return (0..<Int(count)).compactMap { index in
      let native = list[index]
      guard let address = socketAddress(native.address), let mask = socketAddress(native.netmask) else { return nil }
      return NetworkInterface(
        name: String(cString: native.name), address: address, mask: mask,
        hardwareAddress: withUnsafeBytes(of: native.phys_addr) { Array($0) }, isInternal: native.is_internal != 0)
    }
  }

  /// Returns the name of the interface with this index, such as the `scope` of an address. Throws `ENXIO` if there is
  /// none.
  public static func interfaceName(_ index: UInt32) throws(UVError) -> String {
    try readText("uv_if_indextoname") { uv_if_indextoname(index, $0, $1) }
  }

  /// Converts libuv's union of both address types.
  private static func socketAddress<Union>(_ union: Union) -> SocketAddress? {
    withUnsafeBytes(of: union) { SocketAddress(bytes: $0) }
  }
}
