/// Memory that slices share: a header with the capacity, followed by the bytes, in one allocation.
///
/// Only its maker writes to it. Memory that a `Bytes` refers to is not written again while that `Bytes` exists.
@usableFromInline
final class ByteStorage: ManagedBuffer<Int, UInt8> {
  /// Makes storage for `capacity` uninitialized bytes.
  @inlinable
  static func make(_ capacity: Int) -> ByteStorage {
    unsafeDowncast(create(minimumCapacity: capacity) { _ in capacity }, to: ByteStorage.self)
  }

  /// The first byte.
  @inlinable
  var memory: UnsafeMutableRawPointer { withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) } }

  /// The capacity in bytes.
  @inlinable
  var room: Int { header }
}
