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

  /// The field `keyword`.
  public var keyword: String? {
    pointer.pointee.keyword.map { String(cString: $0) }
  }

  /// The field `envvar`.
  public var envvar: String? {
    pointer.pointee.envvar.map { String(cString: $0) }
  }

  /// The field `compiled`.
  public var compiled: String? {
    pointer.pointee.compiled.map { String(cString: $0) }
  }

  /// The field `val`.
  public var val: String? {
    pointer.pointee.val.map { String(cString: $0) }
  }

  /// The field `label`.
  public var label: String? {
    pointer.pointee.label.map { String(cString: $0) }
  }

  /// The field `dispchar`.
  public var dispchar: String? {
    pointer.pointee.dispchar.map { String(cString: $0) }
  }

  /// The field `dispsize`.
  public var dispsize: Int32 {
    pointer.pointee.dispsize
  }
}
