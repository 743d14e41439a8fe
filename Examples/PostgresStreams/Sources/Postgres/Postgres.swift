// Written by wrap-library from libpq-fe.h, libpq-events.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CPostgres
import Glibc

/// A function of C that has failed.
nonisolated public struct PostgresFailure: Error, Hashable, CustomStringConvertible {
  /// The name of the function.
  public let function: String
  /// The code that it returned.
  public let code: Int
  /// What the library says about it.
  public let message: String?

  /// Creates the failure of a function. Without a message, the library describes the code.
  public init(function: String, code: Int, message: String? = nil) {
    self.function = function
    self.code = code
    self.message = message ?? (code < -1 ? String(cString: strerror(Int32(truncatingIfNeeded: -code))) : nil)
  }

  /// The function, and what the library says or the code.
  public var description: String {
    message.map { "\(function): \($0)" } ?? "\(function) failed with the code \(code)."
  }
}

/// An object of the library, as its parts see it, and what was made with it.
nonisolated protocol Usable: AnyObject {
  /// False after it has been closed, or what it is a part of.
  var isUsable: Bool { get }

  /// What frees its parts: the object itself, or what it is a part of.
  var whole: any Usable { get }
}
