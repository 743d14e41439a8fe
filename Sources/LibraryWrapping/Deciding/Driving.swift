/// How an object that has a descriptor and a deadline runs on a loop: which of its functions tell what it waits for, and which
/// ones are called then.
struct Driving {
  enum Role: String, CaseIterable {
    /// Returns the descriptor.
    case descriptor
    /// Returns the flags of `poll`.
    case events
    /// Returns true if it waits for writing, too.
    case writes
    /// Returns milliseconds, or gives a `struct timeval`, from now.
    case timeout
    /// Gives a point in time of the monotonic clock, in microseconds.
    case deadline
    /// Is called when the descriptor is ready, or when the time is over.
    case process
    /// Is called when the descriptor is readable.
    case read
    /// Is called when the descriptor is writable.
    case write
    /// Is called after each of these, and at least each second.
    case tick

    /// The last words of the names of such functions.
    var endings: [[String]] {
      switch self {
      case .descriptor: [["fd"], ["socket"], ["fileno"], ["descriptor"], ["sock"]]
      case .events: [["events"]]
      case .writes: [["want", "write"], ["wants", "write"]]
      case .timeout, .deadline: [["timeout"], ["deadline"]]
      case .process: [["process"], ["dispatch"], ["consume", "input"], ["handle", "events"], ["do", "io"]]
      case .read: [["loop", "read"], ["handle", "read"]]
      case .write: [["loop", "write"], ["handle", "write"]]
      case .tick: [["loop", "misc"], ["tick"]]
      }
    }
  }

  private(set) var functions: [Role: Library.Function] = [:]
  private let library: Library

  /// Finds the functions by their names; `chosen` has those that the user has named, as `role:function`.
  init(_ handle: String, _ library: Library, chosen: String) throws {
    self.library = library
    let own = library.functions.filter { function in
      function.parameters.first.flatMap { Classifier.handle($0.type, library) } == handle && !function.isVariadic
    }
    var named: [Role: Library.Function] = [:]
    for part in chosen.split(separator: ",") {
      let pair = part.split(separator: ":", maxSplits: 1).map(String.init)
      guard pair.count == 2, let role = Role(rawValue: pair[0]) else {
        let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
        throw WrappingError("drive=\(chosen): write ROLE:FUNCTION, where ROLE is one of \(roles).")
      }
      guard let function = own.first(where: { $0.name == pair[1] }) else {
        throw WrappingError("drive=\(chosen): the headers have no function \(pair[1]) that takes a \(handle).")
      }
      named[role] = function
      if arguments(of: function, role) == nil {
        throw WrappingError(
          "drive=\(chosen): \(pair[1]) can't be called for \(role.rawValue). Write a C function that takes the object alone, in a header beside the shim, and name that header, too."
        )
      }
    }
    functions = named
    if named.isEmpty {
      for role in Role.allCases {
        functions[role] = own.filter { function in
          let words = Words.split(function.name)
          return role.endings.contains { words.suffix($0.count).elementsEqual($0) } && !words.contains("set")
            && arguments(of: function, role) != nil
        }.min { $0.name.count < $1.name.count }
      }
      // One or the other.
      if functions[.read] != nil { functions[.process] = nil }
    }
    if functions[.descriptor] == nil {
      throw WrappingError(
        "\(handle) can't run on a loop: no function returns its descriptor. Name it: --drive \(handle.split(separator: " ").last ?? "")=descriptor:FUNCTION,process:FUNCTION."
      )
    }
  }

  /// The arguments after the object with which a function is called in its role. Nil if it can't be.
  func arguments(of function: Library.Function, _ role: Role) -> [String]? {
    let rest = function.parameters.dropFirst()
    let result = library.resolved(function.result)
    switch role {
    case .descriptor, .events, .writes:
      guard rest.isEmpty, case .named(let name, _) = result, !result.isVoid, !name.hasPrefix("struct ") else {
        return nil
      }
      return []
    case .timeout:
      if rest.isEmpty { return isNumber(result) ? [] : nil }
      return target(rest) == "struct timeval" ? ["&time"] : nil
    case .deadline: return ["unsigned long", "unsigned long long"].contains(target(rest)) ? ["&time"] : nil
    case .process, .read, .write, .tick:
      var arguments: [String] = []
      for parameter in rest {
        if library.function(parameter.type) != nil { return nil }
        let type = library.resolved(parameter.type)
        if let target = type.pointee, library.resolved(target).pointee != nil {
          // What it would give to the program.
          arguments.append("nil")
        } else if isNumber(type), Words.split(parameter.name).contains(where: { ["max", "count", "n"].contains($0) }) {
          arguments.append("1")
        } else {
          return nil
        }
      }
      return arguments
    }
  }

  private func isNumber(_ type: CType) -> Bool {
    if case .named(let name, _) = type { ["int", "long", "long long"].contains(name) } else { false }
  }

  /// What the only parameter points to.
  private func target(_ parameters: ArraySlice<CParameter>) -> String? {
    guard parameters.count == 1, let only = parameters.first, let target = library.resolved(only.type).pointee,
      case .named(let name, false) = library.resolved(target)
    else { return nil }
    return name
  }

  /// As the file of choices has it.
  var text: String {
    Role.allCases.compactMap { role in functions[role].map { "\(role.rawValue):\($0.name)" } }.joined(separator: ",")
  }
}
