/// Parts that the members have in common.
extension SwiftWriter {
  /// Marks a member as deprecated if it calls a deprecated function of C.
  func deprecate(_ classified: ClassifiedSite, _ code: inout Code) {
    if classified.site.isDeprecated {
      code.add("@available(*, deprecated, message: \"The header deprecates \(classified.site.owner).\")")
    }
  }

  /// Adds a parameter that receives the object that the registering function makes.
  func appendProduct(_ member: Member, _ parameters: inout [String]) {
    guard case .product(isOptional: true) = member.registration.outcome,
      let type = swift.imported(member.registration.function.result)
    else { return }
    let own = product(of: member).flatMap { scopes[$0]?.name } ?? String(type.text.dropLast())
    parameters.append("registered: @escaping (\(own)) -> Void = { _ in }")
  }

  /// The object that registering makes, if its class can borrow one.
  func product(of member: Member) -> String? {
    guard let handle = planner?.object(member.registration.function.result), !takesContext(handle) else { return nil }
    return handle
  }

  /// The end of a registration that the next one of the same function replaces: nothing then, because it would end that one.
  /// Nil if other arguments are other registrations.
  mutating func endingIfLast(
    _ text: String, _ ending: Registration.EndingCall?, _ registration: Registration, _ name: String, _ slot: String?,
    _ scope: String
  ) -> (claims: [String], text: String)? {
    guard let ending, !ending.usesProduct, !ending.usesFunction, registration.declared.isEmpty,
      ending.ending?.withNull == true || Self.setsOne(registration.function)
    else { return nil }
    if let slot { return ([], "if \(slot).release(callback.context) { \(text) }") }
    let isStatic = scopes[scope]?.handle == nil
    scopes[scope]?.members.gap()
    scopes[scope]?.members.add("/// The callback that `\(registration.function.name)` has now.")
    scopes[scope]?.members.add("private \(isStatic ? "static " : "")let \(name)Place = CallbackPlace()")
    let place = (isStatic ? "Self." : "") + name + "Place"
    return (["\(place).claim(callback.context)"], "if \(place).release(callback.context) { \(text) }")
  }

  /// True if a function sets a callback according to its name, so that there is one at a time.
  private static func setsOne(_ function: Library.Function) -> Bool {
    let words = Words.split(function.name)
    return words.contains { ["set", "install", "start"].contains($0) }
      && !words.contains { ["add", "register", "subscribe", "append"].contains($0) }
  }

  /// True if the end of a callback uses the object.
  func usesObject(_ member: Member) -> Bool {
    member.unregister.contains { $0.contains("pointer") || $0.contains("slots") || $0.contains("install") }
  }

  /// The code that ends a callback. C has forgotten the callbacks of an object that has been freed, and gives none back.
  func ending(_ member: Member, _ scope: String, isGivenBack: Bool) -> [String] {
    let lines = member.unregister.map { usingHolds($0, member) } + usingKept(member)
    guard scopes[scope]?.object != nil, usesObject(member) else { return lines }
    return (isGivenBack ? Self.disarming : [Self.leaving]) + lines
  }

  private static let leaving = "guard isNotClosed else { return }"
  private static let disarming = ["guard isNotClosed else {", "callback.disarm()", "return", "}"]

  /// Writes what tells the callbacks of an object that it has been freed, and the code of them.
  func ends(of scope: Scope, isFreed: Bool, _ code: inout Code) -> Code {
    var lines = scope.members.lines
    if isFreed || scope.isPart {
      if lines.contains(where: { $0.hasPrefix("guard isNotClosed ") }) {
        code.gap()
        code.add("private var isNotClosed: Bool { \(scope.isPart ? "isUsable" : "!isClosed") }")
      }
      return Code(lines)
    }
    while let start = lines.firstIndex(where: { $0.hasPrefix("guard isNotClosed ") }) {
      lines.removeSubrange(start..<start + (lines[start] == Self.leaving ? 1 : Self.disarming.count))
    }
    return Code(lines)
  }

  func singular(_ name: String) -> [String] {
    var words = Words.split(name)
    if let last = words.last {
      if last.hasSuffix("ies") {
        words[words.count - 1] = last.dropLast(3) + "y"
      } else if ["xes", "shes", "ches"].contains(where: { last.hasSuffix($0) }), last != "caches" {
        words[words.count - 1] = String(last.dropLast(2))
      } else if last.hasSuffix("s"), !last.hasSuffix("ss"), !last.hasSuffix("us") {
        words[words.count - 1] = String(last.dropLast())
      }
    }
    return words
  }

  func writeStruct(_ name: String, _ member: Member, _ code: inout Code) {
    code.add("/// The arguments of a callback of `\(member.classified.site.owner)`.")
    code.add("public struct \(name): Sendable {")
    for value in member.plan.values {
      code.add("/// The argument `\(value.name)` of C.\npublic let \(SwiftTypes.escaped(value.name)): \(value.type)")
    }
    code.add("}")
    code.gap()
  }

  func comment(_ member: Member, _ code: inout Code) {
    var facts: [String] = []
    switch member.classified.life.value {
    case .returned: facts.append("The next registration ends it.")
    case .destroyNotify: facts.append("It ends when the library releases its context.")
    case .terminalCall where member.plan.last != nil:
      facts.append("The stream ends when `\(member.plan.last?.name ?? "")` says that a call is the last one.")
    case .once where member.classified.life.certainty == .told: facts.append("The library calls once.")
    case .once: facts.append("The names in the header suggest that the library calls once.")
    case .process: facts.append("There is one registration in a process.")
    default:
      if member.classified.context.value == nil {
        facts.append("C passes no context, so there is one registration in a process.")
      }
    }
    if member.unregister.allSatisfy({ $0 == "callback.disarm()" }) {
      if let close = closing(member.classified) {
        facts.append(
          "`\(close.function)` ends it, and may call for the last time. Call that before you dispose the result.")
      } else {
        facts.append("The library has no call that ends it.")
      }
      facts.append("Calls after the disposal are dropped.")
    }
    documentation(member.classified, &code, facts.joined(separator: " "))
  }
  /// The function that ends a callback by closing the object, which another function frees.
  func closing(_ classified: ClassifiedSite) -> Ending? {
    if classified.life.value == .once { return nil }
    return endings(classified).first { ending in
      let words = Words.split(ending.function)
      return !ending.withNull && words.contains { ["close", "finish", "shutdown", "stop"].contains($0) }
        && !words.contains { ["free", "destroy", "delete", "cleanup", "unref", "del"].contains($0) }
    }
  }

  /// Declarations that belong to no actor, whichever default isolation the target has.
  static func nonisolated(_ text: String) -> String {
    let kinds: Set<Substring> = ["final", "class", "struct", "enum", "extension", "func", "let", "protocol"]
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
      let words = line.prefix { $0 != "(" && $0 != "{" }.split(separator: " ", omittingEmptySubsequences: false)
      let access: Set<Substring> = ["public", "private", "fileprivate"]
      guard let kind = words.first(where: { !access.contains($0) }), kinds.contains(kind) else { return line }
      return "nonisolated " + line
    }
    return lines.joined(separator: "\n")
  }

  /// How the shim names a header of yours: one in a path from here is included from beside the shim.
  func include(_ header: String) -> String {
    let path = Files.resolved(header)
    if header.hasPrefix("/") { return path }
    let here = Files.resolved(".")
    let directory = folder.hasPrefix("/") ? folder : here + "/" + folder
    let from = "\(directory)/\(cModule)".split(separator: "/").filter { $0 != "." }
    let to = path.split(separator: "/")
    let shared = zip(from, to).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: from.count - shared) + to.dropFirst(shared).map(String.init))
      .joined(separator: "/")
  }

  func writeContext(_ scope: Scope, _ code: inout Code) {
    if scope.contextSetters.isEmpty, scope.contextFields.isEmpty { return }
    code.gap()
    code.add("/// Gives the object its context, once.")
    code.add("private lazy var setsContext: Void = {")
    for setter in scope.contextSetters {
      let function = library.functionIndex[setter].map { library.functions[$0] }
      let isVoid = function.map { library.resolved($0.result).isVoid } ?? true
      code.add("\(isVoid ? "" : "_ = ")\(setter)(pointer, callback.context)")
    }
    for field in scope.contextFields { code.add("pointer.pointee.\(SwiftTypes.escapedPath(field)) = callback.context") }
    code.add("}()")
  }
}
