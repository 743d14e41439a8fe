#if Macros
/// The text of one requirement in a proxy: its slot, and the member that sends calls through it.
struct ProxyMember {
  let requirement: Requirement
  let slot: String
  let label: String
  /// With a blank behind it, or nothing.
  let access: String

  private var parameters: [Parameter] { requirement.parameters }
  private var effects: Requirement.Effects { requirement.effects }

  /// The lines of the slot and of the member.
  var lines: [String] {
    switch requirement.kind {
    case .method: slotLines + method
    case .property(let isSettable): slotLines + property(isSettable)
    case .subscripting(let isSettable): slotLines + subscripting(isSettable)
    }
  }

  /// The class that does by default what an extension of the protocol does; nil where there is none.
  var defaultClass: String? {
    requirement.options.isDefaulted && requirement.options.defaultValue == nil
      ? slot.capitalizedFirst + "Default" : nil
  }

  /// What is returned when nobody answers: a value, or the same call of the default.
  private func defaultAnswer(_ forward: String) -> String? {
    if let value = requirement.options.defaultValue { return value }
    return defaultClass.map { effects.marks + forward.replacing("$0", with: "\($0)(self)") }
  }

  /// What stands in front of the member: `@MainActor public nonisolated `.
  private var prefix: String {
    (requirement.attributes.map { $0 + " " } + [access] + requirement.modifiers.map { $0 + " " }).joined()
  }

  // MARK: - Slots

  private var slotLines: [String] {
    let arguments = parameters.map(\.type)
    return switch requirement.kind {
    case .property(isSettable: true):
      [documented("slots"), "\(access)let \(slot) = ProxyProperty<\(requirement.result)>()"]
    case .method, .property:
      [documented("slot"), "\(access)let \(slot) = \(Self.slotType(requirement.result, arguments, effects))()"]
    case .subscripting(let isSettable):
      [
        documented("slot for reading"),
        "\(access)let \(slot)Getter = \(Self.slotType(requirement.result, arguments, effects))()",
      ]
        + (isSettable
          ? [
            documented("slot for setting"),
            "\(access)let \(slot)Setter = \(Self.slotType("Void", arguments + [requirement.result], .init()))()",
          ] : [])
    }
  }

  private func documented(_ what: String) -> String { "/// The \(what) of `\(requirement.fullName)`." }

  static func slotType(_ output: String, _ arguments: [String], _ effects: Requirement.Effects) -> String {
    let types = ([output] + arguments).joined(separator: ", ")
    let prefix = effects.isAsync ? "Async" : ""
    return switch effects.throwing {
    case .no: "\(prefix)ProxyMethod<\(types)>"
    case .any: "\(prefix)ThrowingProxyMethod<\(types)>"
    case .only(let error): "\(prefix)ProxySlot<\(error), \(types)>"
    }
  }

  // MARK: - Members

  private var method: [String] {
    let result = requirement.output.map { " -> \($0)" } ?? ""
    let declaration = parameters.map(\.declaration).joined(separator: ", ")
    let head = "\(prefix)func \(requirement.name)(\(declaration))\(effects.suffix)\(result) {"
    return [head] + indented(body("$0.\(requirement.name)\(applied)")) + ["}"]
  }

  private func property(_ isSettable: Bool) -> [String] {
    let head = "\(prefix)var \(requirement.name): \(requirement.result) {"
    let access = "$0.\(requirement.name)"
    if !isSettable {
      if effects.suffix.isEmpty { return [head] + indented(body(access)) + ["}"] }
      return [head, "  get\(effects.suffix) {"] + indented(indented(body(access))) + ["  }", "}"]
    }
    return [
      head,
      "  get { \(call("\(slot).getter", [], access, default: defaultAnswer(access))) }",
      "  set { \(call("\(slot).setter", ["newValue"], "\(access) = newValue")) }",
      "}",
    ]
  }

  private func subscripting(_ isSettable: Bool) -> [String] {
    let declaration = parameters.map(\.subscriptDeclaration).joined(separator: ", ")
    let head = "\(prefix)subscript(\(declaration)) -> \(requirement.result) {"
    let element = "$0[\(parameters.map(\.forwarded).joined(separator: ", "))]"
    let arguments = parameters.map(\.argument)
    let getter = call("\(slot)Getter", arguments, element, default: defaultAnswer(element))
    let setter = call("\(slot)Setter", arguments + ["newValue"], "\(element) = newValue")
    return [head, "  get\(effects.suffix) { \(getter) }"] + (isSettable ? ["  set { \(setter) }"] : []) + ["}"]
  }

  // MARK: - Bodies

  /// The arguments of a forwarded call in parentheses.
  private var applied: String { "(\(parameters.map(\.forwarded).joined(separator: ", ")))" }

  private func call(
    _ slot: String, _ arguments: [String], _ forward: String, default answer: String? = nil
  ) -> String {
    let answer = answer.map { ["default: \($0)"] } ?? []
    let list = (["self.\(slot)", "(\(arguments.joined(separator: ", ")))"] + answer).joined(separator: ", ")
    if case .only = effects.throwing {
      // A closure throws any error unless it says what.
      let forward = forward.replacing("$0", with: "forwardee")
      let signature = "(forwardee)\(effects.suffix) -> \(requirement.result) in"
      return "\(effects.marks)self.call(\(list)) { \(signature) \(effects.marks)\(forward) }"
    }
    return "\(effects.marks)self.call(\(list)) { \(effects.marks)\(forward) }"
  }

  /// What a member does, with what its arguments need around it.
  private func body(_ forward: String) -> [String] {
    var lines: [String] = []
    var forward = forward
    for parameter in parameters where parameter.passing == .mutable {
      lines.append("let \(parameter.box) = InOut(\(parameter.name))")
      lines.append("defer { \(parameter.name) = \(parameter.box).value }")
    }
    if parameters.contains(where: { $0.passing == .variadic }) {
      forward = spread(parameters.map(\.unlabelled))
    }
    var inner = [
      call(slot, parameters.map(\.argument), forward, default: defaultAnswer(forward))
    ]
    for parameter in parameters.reversed() where parameter.passing == .scoped {
      let signature = "(\(parameter.name))\(effects.suffix) -> \(requirement.result) in"
      inner = ["\(effects.marks)withoutActuallyEscaping(\(parameter.name)) { \(signature)"] + indented(inner) + ["}"]
    }
    return lines + (lines.isEmpty || requirement.output == nil ? inner : returning(inner))
  }

  /// An argument list of any length has to be handed on: as what it is, an array.
  func spread(_ arguments: [String]) -> String {
    let types = parameters.map { $0.passing == .scoped ? $0.type : $0.closureType }.joined(separator: ", ")
    let function = "(\(types))\(effects.suffix) -> \(requirement.result)"
    return "spreading($0.\(requirement.fullName), as: (\(function)).self)(\(arguments.joined(separator: ", ")))"
  }

  private func returning(_ lines: [String]) -> [String] { ["return " + lines[0]] + lines.dropFirst() }

  private func indented(_ lines: [String]) -> [String] { lines.map { "  " + $0 } }

  // MARK: - Closures

  /// A closure that the proxy can be made of.
  struct Closure {
    let label: String
    /// Its type, in parentheses.
    let type: String
    /// The slot that it answers.
    let slot: String
    /// What the slot gets: the closure, or one that calls it.
    let handler: String
  }

  /// Those of the requirement: one, or two where a value can also be set.
  var closures: [Closure] {
    let arguments = parameters.map(\.closureType)
    let set = "set" + label.unquoted.capitalizedFirst
    return switch requirement.kind {
    case .method, .property(isSettable: false): [closure(label, arguments, requirement.result, slot)]
    case .property(isSettable: true):
      [
        closure(label, arguments, requirement.result, "\(slot).getter"),
        closure(set, arguments + [requirement.result], "Void", "\(slot).setter"),
      ]
    case .subscripting(let isSettable):
      [closure("get" + label.unquoted.capitalizedFirst, arguments, requirement.result, "\(slot)Getter")]
        + (isSettable ? [closure(set, arguments + [requirement.result], "Void", "\(slot)Setter")] : [])
    }
  }

  private func closure(_ label: String, _ arguments: [String], _ output: String, _ slot: String) -> Closure {
    var handler = "(\(label))"
    let takesFunctions = parameters.contains { $0.closureType.hasPrefix("@escaping") }
    if effects.isAsync || takesFunctions {
      // The compiler cannot convert a function value whose arguments are functions, or one tuple; it can make a closure.
      let names = arguments.indices.map { "argument\($0)" }.joined(separator: ", ")
      let taken = arguments.isEmpty && effects.isAsync ? "_: Void" : names
      handler = " { (\(taken))\(effects.suffix) -> \(output) in \(effects.marks)\(label)(\(names)) }"
    }
    return Closure(
      label: label, type: "(\(arguments.joined(separator: ", ")))\(effects.suffix) -> \(output)", slot: slot,
      handler: handler)
  }
}
#endif
