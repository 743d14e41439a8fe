#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// The text of one requirement in a proxy: its slot, and the member that sends calls through it.
struct ProxyMember {
  let requirement: Requirement
  let slot: String
  let label: String
  /// Followed by a space, or empty.
  let access: String
  /// The global actor of the protocol.
  let actor: String?
  /// Whether the protocol inherits from `Sendable`.
  let isSendable: Bool
  /// The words of the protocol.
  let words: Set<String>

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

  /// The class that calls the implementation of a protocol extension, or nil if there is none.
  var defaultClass: String? {
    if !requirement.options.isDefaulted || requirement.options.defaultValue != nil { return nil }
    var name = slot.capitalizedFirst + "Default"
    // In the proxy it would hide a type of the same name.
    while words.contains(name) { name = "_" + name }
    return name
  }

  /// The global actor of the protocol if the requirement does not spell one.
  var isolation: [String] {
    let isSpelled = requirement.hasActor || requirement.isNonisolated
    return isSpelled ? [] : actor.map { [$0] } ?? []
  }

  /// The modifiers of the member: `@MainActor public nonisolated `.
  private var prefix: String {
    ((isolation + requirement.attributes).map { $0 + " " } + [access] + requirement.modifiers.map { $0 + " " }).joined()
  }

  // MARK: - Slots

  private var slotLines: [String] { notes + slotDeclarations }

  /// A sentence beside the declaration that fails to compile if a type is noncopyable, which its syntax does not show.
  private var notes: [String] {
    let types = parameters.filter { $0.passing == .mutable }.map(\.stored) + [requirement.result]
    return types.filter { !TypeSyntax("\(raw: $0)").isKnownToBeCopyable }.prefix(1).map { type in
      """
      // A slot copies its values. If '\(type)' is noncopyable, pass a class that has it, or mark the requirement @Unproxied if an \
      extension of the protocol implements it.
      """
    }
  }

  private var slotDeclarations: [String] {
    let arguments = parameters.map(\.type)
    return switch requirement.kind {
    case .property(isSettable: true):
      [
        documented("slots"),
        slotLine("", "\(ModuleSelector.library)\(isSendable ? "Sendable" : "")ProxyProperty<\(requirement.result)>"),
      ]
    case .method, .property:
      [documented("slot"), slotLine("", slotType(requirement.result, arguments, effects))]
    case .subscripting(let isSettable):
      [
        documented("slot for reading"), slotLine("Getter", slotType(requirement.result, arguments, effects)),
      ]
        + (isSettable
          ? [
            documented("slot for setting"),
            slotLine("Setter", slotType("Void", arguments + [requirement.result], .init())),
          ] : [])
    }
  }

  private func documented(_ what: String) -> String { "/// The \(what) of `\(requirement.fullName)`." }

  private func slotLine(_ suffix: String, _ type: String) -> String {
    // Other proxies name their slots by reflection.
    let argument = isSendable ? "\"\(slot.unquoted)\(suffix)\"" : ""
    return "\(access)let \(slot)\(suffix)\(Self.initialisation(type, argument))"
  }

  /// The text after the name of a slot.
  static func initialisation(_ type: String, _ argument: String = "") -> String {
    // The compiler reads this specifier in the type of a declaration, but not in an expression.
    type.contains("nonisolated(") ? ": \(type) = .init(\(argument))" : " = \(type)(\(argument))"
  }

  private func slotType(_ output: String, _ arguments: [String], _ effects: Requirement.Effects) -> String {
    Self.slotType(output, arguments, effects, isSendable: isSendable)
  }

  static func slotType(
    _ output: String, _ arguments: [String], _ effects: Requirement.Effects, isSendable: Bool = false
  ) -> String {
    let types = ([output] + arguments).joined(separator: ", ")
    let prefix = ModuleSelector.library + (isSendable ? "Sendable" : "") + (effects.isAsync ? "Async" : "")
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
    return [head] + indented(body("$0.\(requirement.name)(\(forwarded.joined(separator: ", ")))")) + ["}"]
  }

  private func property(_ isSettable: Bool) -> [String] {
    let head = "\(prefix)var \(requirement.name): \(requirement.declaredResult) {"
    let access = "$0.\(requirement.name)"
    if !isSettable {
      if effects.suffix.isEmpty { return [head] + indented(body(access)) + ["}"] }
      return [head, "  get\(effects.suffix) {"] + indented(indented(getter(slot, access, access))) + ["  }", "}"]
    }
    return [
      head,
      "  get { \(call("\(slot).getter", [], access, isDefaulted: true)) }",
      "  set { \(call("\(slot).setter", ["newValue"], "\(access) = newValue")) }",
      "}",
    ]
  }

  private func subscripting(_ isSettable: Bool) -> [String] {
    let declaration = parameters.map(\.subscriptDeclaration).joined(separator: ", ")
    let head = "\(prefix)subscript(\(declaration)) -> \(requirement.declaredResult) {"
    let captured = "$0[\(parameters.map { $0.labelled($0.argument) }.joined(separator: ", "))]"
    let element = "$0[\(forwarded.joined(separator: ", "))]"
    let arguments = parameters.map(\.argument)
    let setter = call("\(slot)Setter", arguments + [newValue], "\(captured) = \(newValue)")
    let getter = getter("\(slot)Getter", element, captured)
    let lines =
      getter.count == 1
      ? ["  get\(effects.suffix) { \(getter[0]) }"]
      : ["  get\(effects.suffix) {"] + indented(indented(getter)) + ["  }"]
    return [head] + lines + (isSettable ? ["  \(setHead) { \(setter) }"] : []) + ["}"]
  }

  /// The name of the new value in a setter. An index can have the usual one.
  var newValue: String {
    var name = "newValue"
    while parameters.contains(where: { $0.name.unquoted == name }) { name = "_" + name }
    return name
  }

  /// The beginning of a setter: `set`, or `set(_newValue)`.
  var setHead: String { newValue == "newValue" ? "set" : "set(\(newValue))" }

  // MARK: - Bodies

  /// True if the getter runs on the concurrent executor in a module without `NonisolatedNonsendingByDefault`. There a function
  /// that runs elsewhere cannot call it on an object that is not Sendable.
  private var isReadConcurrently: Bool {
    effects.isAsync && !requirement.isNonsending && !requirement.hasActor && isolation.isEmpty && !isSendable
  }

  /// The body of a getter. `captured` is `forward` with the parameters of the getter.
  private func getter(_ slot: String, _ forward: String, _ captured: String) -> [String] {
    let arguments = parameters.map(\.argument)
    let plain = call(slot, arguments, forward, isDefaulted: true)
    if !isReadConcurrently { return [plain] }
    var parts = ["self.\(slot)", "(\(arguments.joined(separator: ", ")))"]
    if let value = requirement.options.defaultValue {
      parts.append("default: \(value)")
    } else if let defaultClass {
      parts.append("otherwise: \(closure(captured.replacing("$0", with: "\(defaultClass)($0)"), 1, arrow))")
    }
    let concurrent =
      "return \(effects.marks)self.callConcurrently(\(parts.joined(separator: ", "))) \(closure(captured, 1, arrow))"
    // A requirement that says so is concurrent with all settings.
    if requirement.attributes.contains("@concurrent") { return [concurrent] }
    return ["#if hasFeature(NonisolatedNonsendingByDefault)", "return \(plain)", "#else", concurrent, "#endif"]
  }

  /// The arguments for the forwardee's method: the parameters, or for an asynchronous method the values from the slot, which need
  /// not be Sendable.
  private var forwarded: [String] { zip(parameters, handedOn).map { $0.labelled($1) } }

  private var handedOn: [String] {
    if !effects.isAsync { return parameters.map(\.argument) }
    return parameters.indices.map { parameters.count == 1 ? "$1" : "$1.\($0)" }
  }

  private func call(_ slot: String, _ arguments: [String], _ forward: String, isDefaulted: Bool = false) -> String {
    var list = ["self.\(slot)", "(\(arguments.joined(separator: ", ")))"]
    var count = effects.isAsync && !arguments.isEmpty ? 2 : 1
    if isDefaulted, let value = requirement.options.defaultValue {
      list.append("default: \(value)")
    } else if isDefaulted, let defaultClass, effects.isAsync {
      count = 2
      list.append("otherwise: \(closure(forward.replacing("$0", with: "\(defaultClass)($0)"), count, arrow))")
    } else if isDefaulted, let defaultClass {
      let value = effects.marks + forward.replacing("$0", with: "\(defaultClass)(self)")
      list.append("default: \(hidesError ? "{ () throws(Never)\(arrow) in \(value) }()" : value)")
    }
    return
      "\(effects.marks)self.call(\(list.joined(separator: ", "))) \(closure(forward, count, isDefaulted ? arrow : " -> Void"))"
  }

  /// Whether only an autoclosure of the requirement throws. A closure around it would throw, too, unless its type denies it.
  private var hidesError: Bool {
    !effects.canThrow && parameters.contains { $0.isAutoclosure && $0.marks.hasPrefix("try") }
  }

  /// The result in the signature of a closure, where the compiler cannot read every type.
  private var arrow: String { Self.arrow(requirement.result) }

  private static func arrow(_ type: String) -> String { type.contains("nonisolated(") ? "" : " -> \(type)" }

  /// A closure of `count` parameters, and the result `arrow`.
  private func closure(_ body: String, _ count: Int, _ arrow: String) -> String {
    // A closure throws any error unless it names one.
    let isTyped = if case .only = effects.throwing { true } else { hidesError }
    if !isTyped, count == 1 || body.contains("$1") { return "{ \(effects.marks)\(body) }" }
    var names = ["forwardee", "arguments"]
    while parameters.contains(where: { names.contains($0.name.unquoted) }) { names = names.map { "_" + $0 } }
    let text = body.replacing("$0", with: names[0]).replacing("$1", with: names[1])
    let list = count == 1 ? names[0] : body.contains("$1") ? "\(names[0]), \(names[1])" : "\(names[0]), _"
    let suffix = effects.suffix + (hidesError ? " throws(Never)" : "")
    return "{ (\(list))\(suffix)\(arrow) in \(effects.marks)\(text) }"
  }

  /// The body of a member, with the conversions of its arguments.
  private func body(_ forward: String) -> [String] {
    var lines: [String] = []
    var forward = forward
    for parameter in parameters where parameter.passing == .mutable {
      lines.append("let \(parameter.box) = \(ModuleSelector.library)InOut(\(parameter.name))")
      lines.append("defer { \(parameter.name) = \(parameter.box).value }")
    }
    if parameters.contains(where: { $0.passing == .variadic }) {
      forward = spread(zip(parameters, handedOn).map { $0.spread($1) })
    }
    var inner = [call(slot, parameters.map(\.argument), forward, isDefaulted: true)]
    for parameter in parameters.reversed() where parameter.passing == .scoped {
      let signature = "(\(parameter.name))\(effects.suffix)\(arrow) in"
      inner =
        ["\(effects.marks)\(ModuleSelector.swift)withoutActuallyEscaping(\(parameter.name)) { \(signature)"]
        + indented(inner) + ["}"]
    }
    return lines + (lines.isEmpty || requirement.output == nil ? inner : returning(inner))
  }

  /// Forwards a variadic argument as an array.
  func spread(_ arguments: [String]) -> String {
    // Without its type, an overloaded method would be ambiguous.
    func function(_ types: [String]) -> String {
      "(\(types.joined(separator: ", ")))\(effects.suffix) -> \(requirement.result)"
    }
    let method = "$0.\(requirement.fullName) as \(function(parameters.map(\.declared)))"
    let type = "(\(function(parameters.map(\.functionType)))).self"
    return "\(ModuleSelector.library)spreading(\(method), as: \(type))(\(arguments.joined(separator: ", ")))"
  }

  private func returning(_ lines: [String]) -> [String] { ["return " + lines[0]] + lines.dropFirst() }

  private func indented(_ lines: [String]) -> [String] { lines.map { "  " + $0 } }

  // MARK: - Closures

  /// A closure parameter of the proxy's initializer.
  struct Closure {
    var label: String
    /// Whether the label is made of the name and `get` or `set`.
    let isOfAccessor: Bool
    /// Its type, in parentheses.
    let type: String
    /// The slot that it answers.
    let slot: String
    /// The text before and after the label in the handler of the slot, a closure that calls it.
    fileprivate let call: (start: String, end: String)
    var handler: String { call.start + label + call.end }
  }

  /// The closures of the requirement: one, or two for a value with a setter.
  var closures: [Closure] {
    let arguments = parameters.map(\.closureType)
    let set = "set" + label.unquoted.capitalizedFirst
    return switch requirement.kind {
    case .method, .property(isSettable: false): [closure(label, arguments, requirement.result, slot)]
    case .property(isSettable: true):
      [
        closure(label, arguments, requirement.result, "\(slot).getter"),
        closure(set, arguments + [requirement.result], "Void", "\(slot).setter", isOfAccessor: true),
      ]
    case .subscripting(let isSettable):
      [
        closure(
          "get" + label.unquoted.capitalizedFirst, arguments, requirement.result, "\(slot)Getter", isOfAccessor: true)
      ]
        + (isSettable
          ? [closure(set, arguments + [requirement.result], "Void", "\(slot)Setter", isOfAccessor: true)] : [])
    }
  }

  private func closure(
    _ label: String, _ arguments: [String], _ output: String, _ slot: String, isOfAccessor: Bool = false
  ) -> Closure {
    // The compiler cannot convert a function whose parameters are functions or tuples to that of a slot, and a macro cannot see
    // which names are tuples. A closure works for all.
    var prefix = "argument"
    while arguments.indices.contains(where: { "\(prefix)\($0)" == label.unquoted }) { prefix = "_" + prefix }
    let names = arguments.indices.map { "\(prefix)\($0)" }.joined(separator: ", ")
    let taken = arguments.isEmpty && effects.isAsync ? "_: Void" : names
    let call = (start: "{ (\(taken))\(effects.suffix)\(Self.arrow(output)) in \(effects.marks)", end: "(\(names)) }")
    // The closure runs where the slot is called, with all settings of the module.
    let isolation = isSendable ? "@Sendable " : effects.isAsync ? "nonisolated(nonsending) " : ""
    // The compiler warns of `(Void) -> T`.
    let types = arguments == ["Void"] ? "()" : arguments.joined(separator: ", ")
    return Closure(
      label: label, isOfAccessor: isOfAccessor, type: "\(isolation)(\(types))\(effects.suffix) -> \(output)",
      slot: slot,
      call: call)
  }
}
#endif
