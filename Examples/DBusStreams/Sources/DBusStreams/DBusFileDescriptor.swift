import Glibc

/// A file descriptor that is passed from one program to another.
///
/// Closes its descriptor when the last reference is released. Sending it duplicates the descriptor.
public final class DBusFileDescriptor: Sendable {
  /// The descriptor. It is open as long as this object exists; duplicate it to use it longer.
  public let descriptor: Int32

  /// Takes over an open descriptor.
  public init(owning descriptor: Int32) { self.descriptor = descriptor }

  /// Duplicates an open descriptor, which stays yours. Throws `invalid` if it is not open or the process has no
  /// descriptor left.
  public init(duplicating descriptor: Int32) throws(DBusError) {
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    if self.descriptor < 0 {
      throw .invalid("the descriptor \(descriptor) cannot be duplicated: \(String(cString: strerror(errno)))")
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

extension DBusFileDescriptor: Hashable {
  /// Compares the objects.
  public static func == (left: DBusFileDescriptor, right: DBusFileDescriptor) -> Bool { left === right }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
