/// Memory that slices share: a header with its capacity, and the bytes behind it, in one allocation.
///
/// Who makes it writes; what a `Bytes` refers to is never written again while that `Bytes` exists.
@usableFromInline
final class ByteStorage: ManagedBuffer<Int, UInt8> {
  /// Room for `capacity` bytes, which are not initialised.
  @inlinable
  static func make(_ capacity: Int) -> ByteStorage {
    unsafeDowncast(create(minimumCapacity: capacity) { _ in capacity }, to: ByteStorage.self)
  }

  /// The first byte.
  @inlinable
  var memory: UnsafeMutableRawPointer { withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) } }

  /// How many bytes there is room for.
  @inlinable
  var room: Int { header }
}
