// Written by wrap-library from libpq-fe.h, libpq-events.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CPostgres

/// A `struct pgNotify`.
///
/// It belongs to one isolation domain, and keeps what it is a part of.
public final class PGnotifyObject {
  private let storedPointer: UnsafeMutablePointer<PGnotify>
  private let retained: Any?

  /// The object of the library, for functions that have no Swift function.
  public var pointer: UnsafeMutablePointer<PGnotify> { storedPointer }

  /// Wraps an object of the library.
  ///
  /// - Parameters:
  ///   - pointer: The object.
  ///   - owner: What has to exist as long as the object does.
  public init(_ pointer: UnsafeMutablePointer<PGnotify>, owner: Any? = nil) {
    storedPointer = pointer
    retained = owner
  }

  /// The field `relname`.
  public var relname: String? {
    pointer.pointee.relname.map { String(cString: $0) }
  }

  /// The field `bePid`.
  public var bePid: Int32 {
    pointer.pointee.be_pid
  }

  /// The field `extra`.
  public var extra: String? {
    pointer.pointee.extra.map { String(cString: $0) }
  }

  /// PGnotify represents the occurrence of a NOTIFY message.
  public var next: PGnotifyObject? {
    pointer.pointee.next.map { PGnotifyObject($0, owner: self) }
  }
}
