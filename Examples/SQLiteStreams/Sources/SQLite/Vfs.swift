// Written by wrap-library from sqlite3.h, Sources/CSQLite/values.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CSQLite

/// A `struct sqlite3_vfs`.
///
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class Vfs: Usable {
  private let storedPointer: UnsafeMutablePointer<sqlite3_vfs>
  private let retained: Any?
  private var container: (any Usable)?

  /// The object of the library, for functions that have no Swift function.
  public var pointer: UnsafeMutablePointer<sqlite3_vfs> {
    precondition(isUsable, "What the Vfs is a part of is closed.")
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
  public init(_ pointer: UnsafeMutablePointer<sqlite3_vfs>, owner: Any? = nil) {
    storedPointer = pointer
    retained = owner
  }

  /// Structure version number (currently 3).
  public var iVersion: Int32 {
    pointer.pointee.iVersion
  }

  /// Size of subclassed sqlite3_file.
  public var szOsFile: Int32 {
    pointer.pointee.szOsFile
  }

  /// Maximum file pathname length.
  public var mxPathname: Int32 {
    pointer.pointee.mxPathname
  }

  /// Name of this virtual file system.
  public var zName: String? {
    pointer.pointee.zName.map { String(cString: $0) }
  }

  /// Next registered VFS.
  public var pNext: Vfs? {
    pointer.pointee.pNext.map { Vfs($0).asPart(of: self) }
  }
}
