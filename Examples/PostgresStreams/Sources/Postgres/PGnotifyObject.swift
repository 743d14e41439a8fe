// Written by wrap-library from libpq-fe.h, libpq-events.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CPostgres

/// A `struct pgNotify`.
///
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class PGnotifyObject: Usable {
  private let storedPointer: UnsafeMutablePointer<PGnotify>
  private let retained: Any?
  private var container: (any Usable)?

  /// The object of the library, for functions that have no Swift function.
  public var pointer: UnsafeMutablePointer<PGnotify> {
    precondition(isUsable, "What the PGnotifyObject is a part of is closed.")
    return storedPointer
  }

  var isUsable: Bool { container?.isUsable != false }

  var whole: any Usable { container ?? self }

  /// Keeps what it is a part of, and is not used after that has been closed.
  func asPart(of object: any Usable) -> Self {
    container = object.whole
    return self
  }

  /// Wraps an object of the library.
  ///
  /// - Parameters:
  ///   - pointer: The object.
  ///   - owner: What has to exist as long as the object does.
  public init(_ pointer: UnsafeMutablePointer<PGnotify>, owner: Any? = nil) {
    storedPointer = pointer
    retained = owner
  }

  /// Notification condition name.
  public var relname: String? {
    pointer.pointee.relname.map { String(cString: $0) }
  }

  /// Process ID of notifying server process.
  public var bePid: Int32 {
    pointer.pointee.be_pid
  }

  /// Notification parameter.
  public var extra: String? {
    pointer.pointee.extra.map { String(cString: $0) }
  }

  /// Fields below here are private to libpq; apps should not use 'em list link.
  public var next: PGnotifyObject? {
    pointer.pointee.next.map { PGnotifyObject($0).asPart(of: self) }
  }
}
