#if Macros
import SwiftSyntax

/// The text of a proxy's class: two lines for each requirement, as one would write them by hand.
struct ProxyClass {
  let declared: ProtocolDeclSyntax
  /// The protocol that the proxy conforms to: `declared`, or the one that it mirrors.
  let delegate: String
  let requirements: [Requirement]
  let names: SlotNames
  let associatedTypes: [AssociatedTypeDeclSyntax]
  /// Whether the protocol inherits from `Sendable`: its proxy is called on any thread.
  let isSendable: Bool

  /// With a blank behind it, or nothing.
  private var access: String {
    for modifier in declared.modifiers {
      switch modifier.name.text {
      case "public", "package", "internal", "fileprivate", "private": return modifier.name.text + " "
      default: continue
      }
    }
    return ""
  }

  /// Members are as visible as their class.
  private var memberAccess: String { access == "public " || access == "package " ? access : "" }

  var text: String {
    var blocks: [[String]] =
      isSendable
      ? [
        [
          "/// Whom calls are forwarded to.",
          "\(memberAccess)let forwarding = Forwarding<\(existential)>()",
        ]
      ] : []
    for index in requirements.indices {
      let lines = opening(index) + member(index).lines + closing(index)
      // What stands under one condition stands together.
      if index > 0, !requirements[index].conditions.isEmpty, isInSameBlock(index) {
        blocks[blocks.count - 1] += lines
      } else {
        blocks.append(lines)
      }
    }
    blocks += ([initialiser, lookup] + defaults).filter { !$0.isEmpty }
    let body = blocks.joined(separator: [""]).map { $0.isEmpty ? "" : "  " + $0 }
    return
      (["/// Stands in the place of a `\(delegate)`: each of its requirements has a slot."] + header + body + ["}"])
      .joined(separator: "\n")
  }

  /// The global actor of the protocol, as the protocol spells it. Each member that does not say otherwise spells it, too: the
  /// class itself is `nonisolated`, as its superclass is, whatever the default isolation of the module.
  private var actor: String? {
    for case .attribute(let attribute) in declared.attributes where attribute.isGlobalActor {
      return attribute.trimmedDescription
    }
    return nil
  }

  /// What the proxy stands for: `any P<Item>`.
  var existential: String {
    let primary = declared.primaryAssociatedTypeClause?.primaryAssociatedTypes.map(\.name.text) ?? []
    return "any \(delegate)" + (primary.isEmpty ? "" : "<\(primary.joined(separator: ", "))>")
  }

  private var header: [String] {
    var lines: [String] = []
    for case .attribute(let attribute) in declared.attributes where attribute.name == "available" {
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
    }
    let condition = constraints.isEmpty ? "" : " where \(constraints.joined(separator: ", "))"
    lines.append(
      """
      nonisolated \(access)final class \(declared.name.text)Proxy\(generics): \
      \(isSendable ? "SendableProxy, \(delegate)" : "ProtocolProxy<\(existential)>, \(delegate), NamedSlots")\(condition) {
      """)
    return lines
  }

  // MARK: - Conditions

  /// The lines of `#if` that lead from the requirement before to this one.
  func opening(_ index: Int) -> [String] {
    let before = index == 0 ? [] : requirements[index - 1].conditions
    let now = requirements[index].conditions
    let common = zip(before, now).prefix { $0.block == $1.block }.count
    var lines: [String] = []
    for depth in common..<max(now.count, common) { lines += now[depth].clauses }
    // The next clause of the block that the requirement before stands in.
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
      actor: actor, isSendable: isSendable)
  }

  /// One optional closure for each requirement that is always there.
  private var initialiser: [String] {
    let closures = requirements.indices.filter { requirements[$0].conditions.isEmpty }.flatMap { index in
      member(index).closures
    }
    if isSendable {
      if closures.isEmpty { return ["/// Makes a proxy without a forwardee.", "\(memberAccess)init() {}"] }
      return ["/// Makes a proxy out of closures: those that are given answer.", "\(memberAccess)init("]
        + closures.enumerated().map { index, closure in
          "  \(closure.label): (\(closure.type))? = nil\(index + 1 < closures.count ? "," : "")"
        } + [") {"]
        + closures.map { closure in
          "  if let \(closure.label) { self.\(closure.slot).replaceAnswer \(closure.handler) }"
        } + ["}"]
    }
    if closures.isEmpty { return [] }
    // A requirement may be called so.
    let label = closures.contains { $0.label == "isolation" } ? "callerIsolation" : "isolation"
    return [
      "/// Makes a proxy out of closures: those that are given answer.", "\(memberAccess)convenience init(",
    ] + closures.map { "  \($0.label): (\($0.type))? = nil," }
      + ["  \(label) _isolation: (any Actor)? = #isolation", ") {", "  self.init()"]
      + closures.map { closure in
        "  if let \(closure.label) { self.\(closure.slot).replaceAnswer(isolation: _isolation) \(closure.handler) }"
      } + ["}"]
  }

  /// What `#method` finds its slot by.
  private var lookup: [String] {
    if isSendable { return [] }
    let methods = requirements.indices.filter { requirements[$0].isMethod && requirements[$0].conditions.isEmpty }
    let slots = Dictionary(grouping: methods) { requirements[$0].reference }
    let cases = methods.map { requirements[$0].reference }.uniqued.map { name in
      "  case \"\(name)\": [\((slots[name] ?? []).map { "self.\(names[$0])" }.joined(separator: ", "))]"
    }
    return ["\(memberAccess)func slots(named name: String) -> [AnyProxySlot] {"]
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
