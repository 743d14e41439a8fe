// Written by wrap-library from libpq-fe.h, libpq-events.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CPostgres

/// A `struct _PQconninfoOption`, which it frees.
///
/// If the program owns it, `PQconninfoFree` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
nonisolated public final class ConninfoOption: Usable {
  private let storedPointer: UnsafeMutablePointer<PQconninfoOption>
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false

  /// The object of the library, for functions that have no Swift function.
  public var pointer: UnsafeMutablePointer<PQconninfoOption> {
    precondition(!isClosed, "The ConninfoOption is closed. Use it before free().")
    return storedPointer
  }

  var isUsable: Bool { !isClosed }

  var whole: any Usable { self }

  /// Wraps an object of the library.
  ///
  /// - Parameters:
  ///   - pointer: The object.
  ///   - owner: What has to exist as long as the object does.
  ///   - isOwned: True if this object frees it.
  public init(_ pointer: UnsafeMutablePointer<PQconninfoOption>, owner: Any? = nil, isOwned: Bool) {
    storedPointer = pointer
    retained = owner
    self.isOwned = isOwned
  }

  deinit {
    if isOwned { PQconninfoFree(storedPointer) }
  }

  /// Frees the object now. Later uses are a programming error.
  ///
  /// C: `PQconninfoFree`.
  public func free() {
    if !isOwned || isClosed { return }
    isOwned = false
    isClosed = true
    PQconninfoFree(storedPointer)
  }

  /// The keyword of the option.
  public var keyword: String? {
    pointer.pointee.keyword.map { String(cString: $0) }
  }

  /// Fallback environment variable name.
  public var envvar: String? {
    pointer.pointee.envvar.map { String(cString: $0) }
  }

  /// Fallback compiled in default value.
  public var compiled: String? {
    pointer.pointee.compiled.map { String(cString: $0) }
  }

  /// Option's current value, or NULL.
  public var val: String? {
    pointer.pointee.val.map { String(cString: $0) }
  }

  /// Label for field in connect dialog.
  public var label: String? {
    pointer.pointee.label.map { String(cString: $0) }
  }

  /// Indicates how to display this field in a connect dialog.
  public var dispchar: String? {
    pointer.pointee.dispchar.map { String(cString: $0) }
  }

  /// Field size in characters for dialog.
  public var dispsize: Int32 {
    pointer.pointee.dispsize
  }
}
