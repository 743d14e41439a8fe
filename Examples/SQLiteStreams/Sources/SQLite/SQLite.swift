// Written by wrap-library from sqlite3.h, Sources/CSQLite/values.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CSQLite

/// A function of C that has failed.
nonisolated public struct SQLiteFailure: Error, Hashable, CustomStringConvertible {
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
    self.message =
      message ?? (code == 0 ? nil : sqlite3_errstr(Int32(truncatingIfNeeded: code)).map { String(cString: $0) })
  }

  /// The function, and what the library says or the code.
  public var description: String {
    message.map { "\(function): \($0)" } ?? "\(function) failed with the code \(code)."
  }
}

/// Functions and callbacks that belong to no object.
nonisolated public enum SQLiteLibrary {
  /// C: `sqlite3_errstr`.
  public static func errstr(_ argument1: Int32) -> String? {
    let result = sqlite3_errstr(argument1)
    return result.map { String(cString: $0) }
  }
}

/// An object of the library, as its parts see it, and what was made with it.
nonisolated protocol Usable: AnyObject {
  /// False after it has been closed, or what it is a part of.
  var isUsable: Bool { get }

  /// What frees its parts: the object itself, or what it is a part of.
  var whole: any Usable { get }

  /// Ends `dependent` before its own end.
  func note(_ dependent: any Usable)

  /// Frees it, if the program owns it.
  func end()
}

nonisolated extension Usable {
  func note(_ dependent: any Usable) {}
  func end() {}

  /// Is freed before what it was made with.
  @discardableResult
  func depending(on owners: (any Usable)?...) -> Self {
    for owner in owners { owner?.whole.note(self) }
    return self
  }
}

/// The objects that need the one that they were made with.
nonisolated struct Dependents {
  private struct Reference {
    weak var object: (any Usable)?
  }
  private var references: [Reference] = []
  private var limit = 8

  mutating func add(_ object: any Usable) {
    if references.count == limit {
      references.removeAll { $0.object == nil }
      limit = max(8, 2 * references.count)
    }
    references.append(Reference(object: object))
  }

  /// Removes the newest one, which may need the others.
  mutating func removeLast() -> (any Usable)? {
    while let last = references.popLast() {
      if let object = last.object { return object }
    }
    return nil
  }
}
