#if Macros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// The text of a proxy class: two lines for each requirement.
struct ProxyClass {
  let declared: ProtocolDeclSyntax
  /// The protocol that the proxy conforms to: `declared`, or the one that it mirrors.
  let delegate: String
  /// The attribute of the protocol's global actor, or empty. Each member without another isolation has it, too, because the class is
  /// `nonisolated` like its superclass, with every default isolation of the module.
  let actor: String
  let requirements: [Requirement]
  let names: SlotNames
  /// Whether the protocol inherits requirements that the macro does not see.
  let inherits: Bool
  let associatedTypes: [AssociatedTypeDeclSyntax]
  let typeAliases: [TypeAliasDeclSyntax]
  /// True if the protocol inherits from `Sendable`, so that its proxy is called on any thread.
  let isSendable: Bool
  /// The access level of the extension that the protocol is in, followed by a space, or empty.
  let extensionAccess: String
  /// True if a type around the protocol may hide it from other modules.
  let isHidden: Bool
  /// The words of the declaration, among them the names of all types that its members have.
  let words: Set<String>

  /// Followed by a space, or empty.
  private var access: String { declared.modifiers.access }

  /// Members have the access level of their class, which it gets from its extension if it has none of its own.
  private var memberAccess: String {
    let level = access.isEmpty ? extensionAccess : access
    return level == "public " || level == "package " ? level : ""
  }

  /// True if only this module may see the protocol: `SecondConformerMacro` says what then happens.
  private var hasSecondConformer: Bool { memberAccess.isEmpty || isHidden }

  /// The protocol in the inheritance clause. A class that others inherit from gets `Sendable` there with `@unchecked` only.
  private var conformance: String {
    let type = TypeSyntax("\(raw: delegate)")
    let parts = type.as(CompositionTypeSyntax.self)?.elements.map(\.type.trimmedDescription) ?? [delegate]
    return parts.filter { !["Sendable", "Swift.Sendable", "Swift::Sendable"].contains($0) }.joined(separator: " & ")
  }

  var text: String {
    var blocks: [[String]] =
      isSendable
      ? [
        [
          "/// The forwardees.",
          "\(memberAccess)let forwarding = \(ModuleSelector.library)Forwarding<\(existential)>()",
        ]
      ] : []
    blocks += [aliases(memberAccess)].filter { !$0.isEmpty }
    for index in requirements.indices {
      let lines = opening(index) + member(index).lines + closing(index)
      // Members under one `#if` condition are adjacent.
      if index > 0, !requirements[index].conditions.isEmpty, isInSameBlock(index) {
        blocks[blocks.count - 1] += lines
      } else {
        blocks.append(lines)
      }
    }
    blocks += ([initialiser, lookup] + defaults).filter { !$0.isEmpty }
    let body = blocks.joined(separator: [""]).map { $0.isEmpty ? "" : "  " + $0 }
    let text =
      (notes + ["/// A proxy for `\(delegate)`, with a slot for each requirement."] + header + body + ["}"])
      .joined(separator: "\n")
    // In the class, an associated type is a generic parameter, and `Self` does not have the type aliases of the protocol.
    return (associatedTypes.map(\.name.text) + typeAliases.map(\.name.text)).reduce(text) { text, type in
      // By default, `Self.Item.Element` is one word.
      let name = try! Regex("\\bSelf\\.\(type)\\b").wordBoundaryKind(.simple)
      return text.replacing(name, with: type)
    }
  }

  /// The delegate type: `any P<Item>`.
  var existential: String {
    let primary = declared.primaryAssociatedTypeClause?.primaryAssociatedTypes.map(\.name.text) ?? []
    return "any \(delegate)" + (primary.isEmpty ? "" : "<\(primary.joined(separator: ", "))>")
  }

  /// A sentence beside the declaration that fails to compile if an inherited protocol needs another class.
  private var notes: [String] {
    if !inherits || isSendable { return [] }
    return [
      """
      // If it inherits from a protocol that is Sendable, let '\(declared.name.text)' inherit from Sendable, too. A proxy cannot inherit \
      from a class.
      """
    ]
  }

  private var header: [String] {
    var lines: [String] = []
    let plain = declared.name.text.unquoted + "Proxy"
    let name = plain.isValidSwiftIdentifier(for: .variableName) ? plain : "`\(plain)`"
    for case .attribute(let attribute) in declared.attributes where ["available", "_spi"].contains(attribute.name) {
      lines.append(attribute.trimmedDescription)
    }
    var generics = ""
    var constraints: [String] = []
    if let primary = declared.primaryAssociatedTypeClause?.primaryAssociatedTypes.map(\.name.text), !primary.isEmpty {
      let parameters = primary.map { name in
        let bounds = associatedTypes.first { $0.name.text == name }?.inheritanceClause?.inheritedTypes
          .map(\.type.trimmedDescription)
        return bounds.map { "\(name): \($0.joined(separator: " & "))" } ?? name
      }
      generics = "<\(parameters.joined(separator: ", "))>"
      constraints = associatedTypes.compactMap { $0.genericWhereClause?.requirements.trimmedDescription }
      for requirement in declared.genericWhereClause?.requirements ?? [] {
        // The class itself has to conform to what is required of Self.
        if case .conformanceRequirement(let required) = requirement.requirement,
          required.leftType.trimmedDescription == "Self"
        {
          continue
        }
        constraints.append(requirement.requirement.trimmedDescription)
      }
    }
    let selector = ModuleSelector.library
    let condition = constraints.isEmpty ? "" : " where \(constraints.joined(separator: ", "))"
    // A class that others inherit from is not Sendable by itself.
    let unchecked = isSendable && hasSecondConformer ? ", @unchecked \(ModuleSelector.swift)Sendable" : ""
    if hasSecondConformer { lines.append("@\(ModuleSelector.library)SecondConformer") }
    lines.append(
      """
      nonisolated \(access)\(hasSecondConformer ? "" : "final ")class \(name)\(generics): \
      \(isSendable ? "\(selector)SendableProxy, \(conformance)\(unchecked)" : "\(selector)ProtocolProxy<\(existential)>, \(delegate), \(selector)NamedSlots")\(condition) {
      """)
    return lines
  }

  /// The type aliases of the protocol. The compiler cannot use one that names an associated type in the members of a class, and a
  /// mirrored protocol does not have them.
  func aliases(_ access: String) -> [String] {
    if associatedTypes.isEmpty, delegate == declared.name.text { return [] }
    return typeAliases.map { access + $0.trimmedDescription }
  }

  // MARK: - Conditions

  /// The `#if` lines between the previous requirement and this one.
  func opening(_ index: Int) -> [String] {
    let before = index == 0 ? [] : requirements[index - 1].conditions
    let now = requirements[index].conditions
    let common = zip(before, now).prefix { $0.block == $1.block }.count
    var lines: [String] = []
    for depth in common..<max(now.count, common) { lines += now[depth].clauses }
    // The next clause of the block of the previous requirement.
    if common > 0 {
      let passed = before[common - 1].clauses.count
      lines = Array(now[common - 1].clauses.dropFirst(passed)) + lines
    }
    return lines
  }

  private func isInSameBlock(_ index: Int) -> Bool {
    requirements[index].conditions.first?.block == requirements[index - 1].conditions.first?.block
  }

  func closing(_ index: Int) -> [String] {
    let next = index + 1 < requirements.count ? requirements[index + 1].conditions : []
    let now = requirements[index].conditions
    let common = zip(now, next).prefix { $0.block == $1.block }.count
    return Array(repeating: "#endif", count: now.count - common)
  }

  // MARK: - Members

  func member(_ index: Int) -> ProxyMember {
    ProxyMember(
      requirement: requirements[index], slot: names[index], label: names.labels[index], access: memberAccess,
      actor: actor.isEmpty ? nil : actor, isSendable: isSendable, words: words)
  }

  /// One optional closure for each requirement without an `#if` condition.
  private var initialiser: [String] {
    var closures = requirements.indices.filter { requirements[$0].conditions.isEmpty }.flatMap { index in
      member(index).closures
    }
    // A method can have the name of the label for a getter, for a setter, or for the isolation.
    var taken = Set(closures.filter { !$0.isOfAccessor }.map(\.label))
    func unused(_ label: String) -> String {
      taken.insert(label).inserted ? label : unused(label + "Slot")
    }
    for index in closures.indices where closures[index].isOfAccessor {
      closures[index].label = unused(closures[index].label)
    }
    if isSendable {
      if closures.isEmpty { return ["/// Creates a proxy without a forwardee.", "\(memberAccess)init() {}"] }
      return ["/// Creates a proxy that answers with the given closures.", "\(memberAccess)init("]
        + closures.enumerated().map { index, closure in
          "  \(closure.label): (\(closure.type))? = nil\(index + 1 < closures.count ? "," : "")"
        } + [") {"]
        + closures.map { closure in
          "  if let \(closure.label) { self.\(closure.slot).replaceAnswer \(closure.handler) }"
        } + ["}"]
    }
    if closures.isEmpty { return [] }
    let label = taken.contains("isolation") ? unused("callerIsolation") : "isolation"
    let isolation = unused("_isolation")
    return [
      "/// Creates a proxy that answers with the given closures.", "\(memberAccess)convenience init(",
    ] + closures.map { "  \($0.label): (\($0.type))? = nil," }
      + ["  \(label) \(isolation): (any \(ModuleSelector.swift)Actor)? = #isolation", ") {", "  self.init()"]
      + closures.map { closure in
        "  if let \(closure.label) { self.\(closure.slot).replaceAnswer(isolation: \(isolation)) \(closure.handler) }"
      } + ["}"]
  }

  /// The table in which `#method` finds its slot.
  private var lookup: [String] {
    if isSendable { return [] }
    let methods = requirements.indices.filter { requirements[$0].isMethod && requirements[$0].conditions.isEmpty }
    func reference(_ index: Int) -> String { requirements[index].reference.replacing("`", with: "") }
    let slots = Dictionary(grouping: methods, by: reference)
    let cases = methods.map(reference).uniqued.map { name in
      let members = (slots[name] ?? []).map { "self.\(names[$0])" }.joined(separator: ", ")
      return "  case \(StringLiteralExprSyntax(content: name)): [\(members)]"
    }
    return [
      "\(memberAccess)func slots(named name: \(ModuleSelector.swift)String) -> [\(ModuleSelector.library)AnyProxySlot] {"
    ]
      + (cases.isEmpty ? ["  []"] : ["  switch name {"] + cases + ["  default: []", "  }"]) + ["}"]
  }
}

extension [String] {
  /// Each once, in order.
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
#endif
