#if Macros
import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Proxied`: the proxy class beside a delegate protocol.
package enum ProxiedMacro: PeerMacro {
  /// The generated text has its final layout.
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declared = declaration.as(ProtocolDeclSyntax.self) else {
      context.report(
        Message("protocol", "@Proxied generates a proxy for a protocol, but this is not a protocol. Remove it."),
        at: node)
      return []
    }
    if let outer = context.lexicalContext.first, outer.isFunction {
      context.report(
        Message(
          "local",
          "A function cannot use a class that a macro generates in it. Move the protocol out of the function."
        ), at: node)
      return []
    }
    let arguments = ProxiedArguments(node)
    guard checkAccess(of: declared, node, context), checkInheritance(of: declared, node, arguments, context),
      checkActor(of: declared, node, arguments, context)
    else { return [] }
    let isSendable = declared.isSendable
    var reader = RequirementReader(context: context, isSendable: isSendable)
    reader.read(declared.memberBlock.members)
    guard checkAssociatedTypes(reader.associatedTypes, declared, context), !reader.hasFailed else { return [] }
    if isSendable, !checkArguments(reader.requirements, context) { return [] }
    guard checkSetters(reader.requirements, declared, context) else { return [] }
    let names = SlotNames(reader.requirements, isSendable: isSendable)
    for index in names.invalid {
      context.report(
        Message(
          "name",
          """
          '\(reader.requirements[index].options.name ?? "")' cannot be the name of a slot. Write a name as of a property \
          in @Slot("…").
          """),
        at: reader.requirements[index].syntax)
    }
    if !names.invalid.isEmpty { return [] }
    for index in names.clashes {
      context.report(
        Message("clash", "Two slots have the name '\(names[index])'. Name one of them with @Slot(\"…\")."),
        at: reader.requirements[index].syntax)
    }
    if !names.clashes.isEmpty { return [] }
    let hidden = HiddenName.all(in: reader.requirements, slots: reader.requirements.indices.map { names[$0] })
    for hidden in hidden {
      context.report(
        Message(
          "default",
          """
          The proxy evaluates this default, and there '\(hidden.name)' is a parameter, a requirement, or a slot. Write the \
          module or the type before it.
          """),
        at: hidden.node)
    }
    if !hidden.isEmpty { return [] }
    let proxy = ProxyClass(
      declared: declared, delegate: arguments.mirrored ?? declared.name.text,
      actor: arguments.globalActor ?? declared.globalActor, requirements: reader.requirements,
      names: names, inherits: !arguments.inherited.isEmpty, associatedTypes: reader.associatedTypes,
      typeAliases: reader.typeAliases, isSendable: isSendable,
      extensionAccess: context.lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers.access ?? "",
      // The level of a type is not seen in its extensions.
      isHidden: context.lexicalContext.contains { !["public ", "package ", "open "].contains($0.typeAccess ?? "") },
      words: Set(declared.tokens(viewMode: .sourceAccurate).map(\.text.unquoted)))
    return ["\(raw: proxy.text)"]
  }

  /// Reports a protocol that is private in a type: the extension of its proxy is outside of that type.
  private static func checkAccess(
    of declared: ProtocolDeclSyntax, _ node: AttributeSyntax, _ context: some MacroExpansionContext
  ) -> Bool {
    let reason = "A proxy has an extension, which cannot name what is private in a type."
    let types = context.lexicalContext
    if !types.isEmpty, let modifier = declared.modifiers.first(where: { $0.name.text == "private" }) {
      let repaired = modifier.with(\.name.tokenKind, .keyword(.fileprivate))
      context.report(
        Message("private", "\(reason) Write 'fileprivate'."), at: modifier,
        fixIts: [.replacing(modifier, with: repaired, "Write 'fileprivate'")])
      return false
    }
    guard types.dropLast().contains(where: { $0.typeAccess == "private " }) else { return true }
    context.report(Message("private", "\(reason) Let the type around the protocol be 'fileprivate'."), at: node)
    return false
  }

  /// Reports a protocol that inherits without repeating the inherited requirements.
  private static func checkInheritance(
    of declared: ProtocolDeclSyntax, _ node: AttributeSyntax, _ arguments: ProxiedArguments,
    _ context: some MacroExpansionContext
  ) -> Bool {
    var unseen: [TypeSyntax] = []
    for inherited in declared.inherited {
      if inherited.is(SuppressedTypeSyntax.self) {
        context.report(
          Message(
            "suppressed",
            "A proxy keeps copies of its forwardees. Remove '\(inherited.trimmedDescription)' from the protocol."),
          at: inherited)
        return false
      }
      switch inherited.inheritedName {
      case "AnyObject", "class", "Swift.AnyObject", "Sendable", "Swift.Sendable", "SendableMetatype",
        "Swift.SendableMetatype", "Copyable", "Swift.Copyable", "Escapable", "Swift.Escapable":
        continue
      case "Actor", "AnyActor", "DistributedActor":
        context.report(
          Message(
            "isolation",
            """
            A proxy is not an actor, so it cannot conform to '\(inherited.trimmedDescription)'. Inherit from \
            AnyObject and Sendable instead.
            """), at: inherited)
        return false
      case "NSObjectProtocol", "Foundation.NSObjectProtocol":
        if arguments.mirrored != nil { continue }
        context.report(
          Message(
            "object",
            """
            A proxy is not an NSObject, so it cannot conform to '\(inherited.trimmedDescription)'. Inherit from AnyObject \
            instead.
            """), at: inherited)
        return false
      case let name: if !arguments.inherited.contains(name) { unseen.append(inherited) }
      }
    }
    guard arguments.mirrored == nil, !unseen.isEmpty else { return true }
    let names = unseen.map(\.inheritedName)
    let all = (arguments.inherited + names).map { "(any \($0)).self" }.joined(separator: ", ")
    let repaired = AttributeSyntax("@\(node.attributeName.trimmed)(inheriting: \(raw: all))")
      .with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
    context.report(
      Message(
        "inherited",
        """
        @Proxied cannot see the requirements of '\(names.joined(separator: "', '"))'. Repeat them in \
        '\(declared.name.text)', and write @Proxied(inheriting: \(all)).
        """), at: unseen[0],
      fixIts: [.replacing(node, with: repaired, "Write 'inheriting:'")])
    return false
  }

  /// Reports an attribute that can be a global actor or a macro.
  private static func checkActor(
    of declared: ProtocolDeclSyntax, _ node: AttributeSyntax, _ arguments: ProxiedArguments,
    _ context: some MacroExpansionContext
  ) -> Bool {
    let attributes = declared.attributes.compactMap { $0.as(AttributeSyntax.self) }
    if let hidden = declared.conditionalAttributes.first(where: { $0.isGlobalActor || $0.mayBeGlobalActor }) {
      context.report(
        Message(
          "actor",
          "A macro cannot see which attributes in #if apply. Write the protocol in #if, once for each condition."),
        at: hidden)
      return false
    }
    guard arguments.globalActor == nil,
      let attribute = attributes.first(where: { $0.mayBeGlobalActor && $0.id != node.id })
    else { return true }
    let name = attribute.attributeName.trimmedDescription
    let list = node.labeledArguments.trimmedDescription
    func answer(_ value: String, _ text: String) -> FixIt {
      let repaired = AttributeSyntax(
        "@\(node.attributeName.trimmed)(\(raw: list + (list.isEmpty ? "" : ", "))globalActor: \(raw: value))"
      ).with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
      return .replacing(node, with: repaired, text)
    }
    context.report(
      Message(
        "actor",
        """
        @Proxied cannot see whether '@\(name)' is a global actor or a macro. Write @Proxied(globalActor: \(name).self), or \
        @Proxied(globalActor: nil) for a macro.
        """), at: attribute,
      fixIts: [answer("\(name).self", "It is a global actor"), answer("nil", "It is a macro")])
    return false
  }

  /// Reports parameters that another thread cannot use: nonescaping closures and `inout` values.
  private static func checkArguments(_ requirements: [Requirement], _ context: some MacroExpansionContext) -> Bool {
    var isPossible = true
    for requirement in requirements {
      for parameter in requirement.parameters {
        let advice: String
        switch parameter.passing {
        case .scoped:
          advice = "a closure that does not escape is valid only during the call. Make it @escaping @Sendable."
        case .mutable: advice = "an inout argument can change only during the call. Return the new value."
        default: continue
        }
        isPossible = false
        context.report(
          Message("other-thread", "The arguments of a Sendable protocol reach other threads, but \(advice)"),
          at: requirement.syntax)
      }
    }
    return isPossible
  }

  /// Reports setters of a struct, which would change a copy.
  private static func checkSetters(
    _ requirements: [Requirement], _ declared: ProtocolDeclSyntax, _ context: some MacroExpansionContext
  ) -> Bool {
    guard declared.inheritanceClause == nil,
      !declared.inherited.contains(where: { ["AnyObject", "Swift.AnyObject"].contains($0.inheritedName) }),
      let settable = requirements.first(where: \.isSettable)
    else { return true }
    context.report(
      Message(
        "setter",
        "A proxy would set the property of a copy of a structure. Inherit from AnyObject, or write 'nonmutating set'."
      ),
      at: settable.syntax, fixIts: [declared.inheritingAnyObject])
    return false
  }

  /// Reports associated types that are not primary: `any P<Item>` must name the types of the slots.
  private static func checkAssociatedTypes(
    _ types: [AssociatedTypeDeclSyntax], _ declared: ProtocolDeclSyntax, _ context: some MacroExpansionContext
  ) -> Bool {
    if let (requirement, name) = declared.fixedType(types) {
      context.report(
        Message(
          "fixed",
          """
          A generic parameter cannot be one type, but '\(requirement.trimmedDescription)' fixes '\(name)'. Write the type in \
          the requirements, and remove the associated type.
          """), at: requirement)
      return false
    }
    let primary = declared.primaryAssociatedTypeClause?.primaryAssociatedTypes.map(\.name.text) ?? []
    guard let other = types.first(where: { !primary.contains($0.name.text) }) else { return true }
    let all = primary + types.map(\.name.text).filter { !primary.contains($0) }
    var repaired = declared
    let trivia = repaired.name.trailingTrivia
    repaired.name.trailingTrivia = []
    repaired.primaryAssociatedTypeClause = PrimaryAssociatedTypeClauseSyntax(
      primaryAssociatedTypes: PrimaryAssociatedTypeListSyntax(
        all.enumerated().map { index, name in
          PrimaryAssociatedTypeSyntax(
            name: .identifier(name),
            trailingComma: index + 1 < all.count ? .commaToken(trailingTrivia: .space) : nil)
        }), trailingTrivia: trivia)
    context.report(
      Message(
        "associated",
        """
        A slot has fixed types, so it needs the associated type '\(other.name.text)'. Make it a primary associated type of \
        the protocol.
        """),
      at: other.name,
      fixIts: [
        .replacing(declared, with: repaired, "Write 'protocol \(declared.name.text)<\(all.joined(separator: ", "))>'")
      ])
    return false
  }
}

extension Syntax {
  /// The access level of a type that is declared here, followed by a space, or empty. Nil for an extension and other things.
  fileprivate var typeAccess: String? {
    self.is(ExtensionDeclSyntax.self) ? nil : asProtocol((any DeclGroupSyntax).self)?.modifiers.access
  }

  /// True for a function, an initializer, an accessor, and a closure.
  fileprivate var isFunction: Bool {
    [.functionDecl, .initializerDecl, .deinitializerDecl, .accessorDecl, .subscriptDecl, .closureExpr].contains(kind)
  }
}

extension ProtocolDeclSyntax {
  fileprivate var isSendable: Bool {
    inherited.contains { ["Sendable", "Swift.Sendable"].contains($0.inheritedName) }
  }

  /// What the protocol inherits from, also by `A & B` and by `where Self: A`.
  fileprivate var inherited: [TypeSyntax] {
    ((inheritanceClause?.inheritedTypes.map(\.type) ?? []) + requiredOfSelf).flatMap { type in
      type.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [type]
    }
  }

  /// What the `where` clause of the protocol requires of `Self`.
  private var requiredOfSelf: [TypeSyntax] {
    genericWhereClause?.requirements.compactMap { requirement in
      guard case .conformanceRequirement(let conformance) = requirement.requirement,
        conformance.leftType.trimmedDescription == "Self"
      else { return nil }
      return conformance.rightType
    } ?? []
  }

  /// A requirement that fixes an associated type of the protocol, and the name of that type; or nil.
  fileprivate func fixedType(_ types: [AssociatedTypeDeclSyntax]) -> (SameTypeRequirementSyntax, String)? {
    let names = types.map(\.name.text)
    // `Items.Element == Item` fixes neither of the two.
    func isMember(_ side: String) -> Bool {
      let parts = side.split(separator: ".").map(String.init).drop { $0 == "Self" }
      return parts.count > 1 && names.contains(parts[parts.startIndex])
    }
    for clause in [genericWhereClause] + types.map(\.genericWhereClause) {
      for case .sameTypeRequirement(let requirement) in clause?.requirements.map(\.requirement) ?? [] {
        let sides = [requirement.leftType.trimmedDescription, requirement.rightType.trimmedDescription]
        if sides.contains(where: isMember) { continue }
        for name in names where sides.contains(name) || sides.contains("Self.\(name)") {
          return (requirement, name)
        }
      }
    }
    return nil
  }

  /// The attribute of the global actor, or an empty text.
  fileprivate var globalActor: String {
    for case .attribute(let attribute) in attributes where attribute.isGlobalActor {
      return attribute.trimmedDescription
    }
    return ""
  }

  fileprivate var inheritingAnyObject: FixIt {
    var repaired = self
    let inherited = InheritedTypeListSyntax { InheritedTypeSyntax(type: IdentifierTypeSyntax(name: "AnyObject")) }
    let clause = InheritanceClauseSyntax(
      colon: .colonToken(trailingTrivia: .space), inheritedTypes: inherited, trailingTrivia: .space)
    repaired.name.trailingTrivia = []
    repaired.primaryAssociatedTypeClause?.trailingTrivia = []
    repaired.inheritanceClause = clause
    return .replacing(self, with: repaired, "Inherit from AnyObject")
  }
}

/// The arguments of `@Proxied`.
struct ProxiedArguments {
  /// The inherited protocols whose requirements are repeated.
  private(set) var inherited: [String] = []
  /// The protocol of another module that this one repeats.
  private(set) var mirrored: String?
  /// The attribute that `globalActor:` names, empty for nil.
  private(set) var globalActor: String?

  init(_ node: AttributeSyntax) {
    var label: String?
    for argument in node.labeledArguments {
      label = argument.label?.text ?? label
      if label == "globalActor" {
        globalActor = argument.expression.metatypeName.map { "@" + $0 } ?? ""
        continue
      }
      guard let name = argument.expression.metatypeName else { continue }
      if label == "mirroring" { mirrored = name } else { inherited.append(name.replacing("::", with: ".")) }
    }
  }
}

extension ExprSyntax {
  /// `P` of `P.self`, `(any P).self` and `(any Module.P).self`.
  var metatypeName: String? {
    guard let access = self.as(MemberAccessExprSyntax.self), access.declName.baseName.tokenKind == .keyword(.self)
    else {
      return nil
    }
    var text = access.base?.trimmedDescription ?? ""
    while text.hasPrefix("("), text.hasSuffix(")") { text = String(text.dropFirst().dropLast()) }
    return text.hasPrefix("any ") ? String(text.dropFirst(4)) : text
  }
}

extension TypeSyntax {
  /// The type without the attributes that can precede it in an inheritance clause.
  fileprivate var inheritedName: String {
    (self.as(AttributedTypeSyntax.self)?.baseType ?? self).trimmedDescription.replacing("::", with: ".")
  }
}
#endif
