#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Reads the requirements of a protocol, and reports those that no proxy can have.
struct RequirementReader {
  let context: any MacroExpansionContext
  /// Whether the protocol inherits from `Sendable`.
  private let isSendable: Bool
  /// The requirements that a proxy can have, in order.
  private(set) var requirements: [Requirement] = []
  /// The `#if` clauses around the current requirement.
  private var conditions: [Condition] = []
  /// The associated types.
  private(set) var associatedTypes: [AssociatedTypeDeclSyntax] = []
  /// The type aliases that are in no `#if`.
  private(set) var typeAliases: [TypeAliasDeclSyntax] = []
  /// True if an error was reported, so that an expansion is pointless.
  private(set) var hasFailed = false

  init(context: some MacroExpansionContext, isSendable: Bool = false) {
    self.context = context
    self.isSendable = isSendable
  }

  mutating func read(_ members: MemberBlockItemListSyntax) {
    for member in members { read(member) }
  }

  private mutating func read(_ member: MemberBlockItemSyntax) {
    if let attributed = member.decl.asProtocol((any WithAttributesSyntax).self) {
      if let contradiction = attributed.contradiction {
        hasFailed = true
        return context.report(Message("marks", contradiction.text), at: contradiction.attribute)
      }
      if attributed.attribute("Unproxied") != nil { return }
    }
    switch member.decl.as(DeclSyntaxEnum.self) {
    case .functionDecl(let function): read(function, member)
    case .variableDecl(let variable): read(variable, member)
    case .subscriptDecl(let declaration): read(declaration, member)
    case .associatedTypeDecl(let declaration): associatedTypes.append(declaration)
    case .typeAliasDecl(let declaration): if conditions.isEmpty { typeAliases.append(declaration) }
    case .initializerDecl(let declaration):
      refuse(
        "init", "A proxy has no slot for an initializer.", "Remove it", at: declaration.initKeyword, removing: member)
    case .ifConfigDecl(let condition): read(condition)
    default:
      refuse("kind", "A proxy has no slot for this declaration.", "Remove it", at: member.decl, removing: nil)
    }
  }

  /// Reads a clause as if it were always compiled. Its members are generated under the same condition.
  private mutating func read(_ block: IfConfigDeclSyntax) {
    var condition = Condition(block: block.id)
    for clause in block.clauses {
      condition.clauses.append(
        ([clause.poundKeyword.text] + [clause.condition?.trimmedDescription].compactMap { $0 }).joined(separator: " "))
      guard case .decls(let members)? = clause.elements else { continue }
      conditions.append(condition)
      read(members)
      conditions.removeLast()
    }
  }

  private mutating func read(_ function: FunctionDeclSyntax, _ member: MemberBlockItemSyntax) {
    guard isInstanceMember(function.modifiers, member) else { return }
    if let generics = function.genericParameterClause {
      return refuse(
        "generic", "A slot has fixed types, but `\(function.name.text)` is generic.",
        "Replace the generic parameter by a type", at: generics, removing: member)
    }
    guard let effects = effects(function.signature.effectSpecifiers, member),
      let parameters = parameters(function.signature.parameterClause, member, isAsync: effects.isAsync)
    else { return }
    var output: String?
    if let type = function.signature.returnClause?.type {
      guard let result = result(type, member) else { return }
      output = result
    }
    if output == "Void" || output == "()" { output = nil }
    add(.method, function.name.text, parameters, effects, output, function, member)
  }

  private mutating func read(_ variable: VariableDeclSyntax, _ member: MemberBlockItemSyntax) {
    guard isInstanceMember(variable.modifiers, member), let binding = variable.bindings.first,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
      let syntax = binding.typeAnnotation?.type, let type = result(syntax, member),
      let (isSettable, effects) = accessors(binding.accessorBlock, member)
    else { return }
    add(.property(isSettable: isSettable), name, [], effects, type, variable, member)
  }

  private mutating func read(_ declaration: SubscriptDeclSyntax, _ member: MemberBlockItemSyntax) {
    guard isInstanceMember(declaration.modifiers, member) else { return }
    if let generics = declaration.genericParameterClause {
      return refuse(
        "generic", "A slot has fixed types, but this subscript is generic.", "Replace the generic parameter by a type",
        at: generics, removing: member)
    }
    guard let (isSettable, effects) = accessors(declaration.accessorBlock, member),
      let parameters = parameters(
        declaration.parameterClause, member, isAsync: effects.isAsync, isOfSubscript: true),
      let type = result(declaration.returnClause.type, member)
    else { return }
    add(.subscripting(isSettable: isSettable), "subscript", parameters, effects, type, declaration, member)
  }

  private mutating func add(
    _ kind: Requirement.Kind, _ name: String, _ parameters: [Parameter], _ effects: Requirement.Effects,
    _ output: String?,
    _ declaration: some WithAttributesSyntax & WithModifiersSyntax, _ member: MemberBlockItemSyntax
  ) {
    if name.unquoted == "Self" {
      hasFailed = true
      let text = "In a proxy, 'Self' is the class of the proxy. Rename the requirement."
      return context.report(Message("member", text), at: member.decl)
    }
    if let taken = memberOfProxy(name.unquoted, parameters) {
      hasFailed = true
      let text = "Every proxy has a member named '\(taken)'. Rename the requirement."
      return context.report(Message("member", text), at: member.decl)
    }
    let attributes = declaration.attributes.compactMap { element -> String? in
      guard let attribute = element.as(AttributeSyntax.self), !["Slot", "Defaulted"].contains(attribute.name) else {
        return nil
      }
      return attribute.trimmedDescription
    }
    let modifiers = declaration.modifiers.filter { $0.name.text == "nonisolated" }.map(\.trimmedDescription)
    var options = SlotOptions(declaration.attribute("Slot"))
    options.isDefaulted = declaration.attribute("Defaulted") != nil
    requirements.append(
      Requirement(
        kind: kind, name: name, parameters: parameters, effects: effects, output: output,
        attributes: attributes,
        hasActor: declaration.attributes.compactMap { $0.as(AttributeSyntax.self) }
          .contains { $0.isGlobalActor || $0.mayBeGlobalActor },
        modifiers: modifiers, options: options,
        conditions: conditions, syntax: Syntax(member.decl)))
  }
}

// MARK: - The parts of a requirement
extension RequirementReader {
  /// The name of the member of each proxy that the requirement would declare again, or nil.
  private func memberOfProxy(_ name: String, _ parameters: [Parameter]) -> String? {
    if name == "self" { return name }
    if !isSendable, name == "slots", parameters.map(\.label.unquoted) == ["named"] { return "slots(named:)" }
    let members = isSendable ? SlotNames.membersIfSendable : SlotNames.members
    return parameters.isEmpty && members.contains(name) ? name : nil
  }

  private mutating func isInstanceMember(_ modifiers: DeclModifierListSyntax, _ member: MemberBlockItemSyntax) -> Bool {
    for modifier in modifiers {
      switch modifier.name.text {
      case "static", "class":
        refuse(
          "static", "A slot belongs to an object, but this requirement is static.", "Remove '\(modifier.name.text)'",
          at: modifier, removing: member)
        return false
      case "mutating":
        let fixed = member.decl.withoutModifier(modifier)
        refuse(
          "mutating", "A proxy is a class, which has no mutating members.", "Remove 'mutating'", at: modifier,
          removing: member, fixIts: [.replacing(member.decl, with: fixed, "Remove 'mutating'")])
        return false
      default: continue
      }
    }
    return true
  }

  private mutating func effects(
    _ specifiers: FunctionEffectSpecifiersSyntax?, _ member: MemberBlockItemSyntax
  ) -> Requirement.Effects? {
    guard let clause = specifiers?.throwsClause else { return Requirement.Effects(specifiers) }
    if clause.throwsSpecifier.text == "rethrows" {
      let fixed = clause.throwsSpecifier.with(\.tokenKind, .keyword(.throws))
      refuse(
        "rethrows", "The type of a slot does not depend on the errors of its closures.", "Write 'throws'", at: clause,
        removing: member, fixIts: [.replacing(clause.throwsSpecifier, with: fixed, "Write 'throws'")])
      return nil
    }
    return Requirement.Effects(specifiers)
  }

  private mutating func accessors(
    _ block: AccessorBlockSyntax?, _ member: MemberBlockItemSyntax
  ) -> (isSettable: Bool, effects: Requirement.Effects)? {
    guard case .accessors(let accessors)? = block?.accessors else { return (false, Requirement.Effects()) }
    var isSettable = false
    var effects = Requirement.Effects()
    for accessor in accessors {
      if let modifier = accessor.modifier, modifier.name.text == "mutating" {
        refuse(
          "mutating", "A proxy is a class, which has no mutating members.", "Remove 'mutating'", at: modifier,
          removing: member, fixIts: [.replacing(accessor, with: accessor.with(\.modifier, nil), "Remove 'mutating'")])
        return nil
      }
      switch accessor.accessorSpecifier.text {
      case "get":
        effects = Requirement.Effects(
          isAsync: accessor.effectSpecifiers?.asyncSpecifier != nil,
          throwing: .init(accessor.effectSpecifiers?.throwsClause))
      case "set": isSettable = true
      // The compiler rejects other accessors.
      default: break
      }
    }
    return (isSettable, effects)
  }

  private mutating func parameters(
    _ clause: FunctionParameterClauseSyntax, _ member: MemberBlockItemSyntax, isAsync: Bool, isOfSubscript: Bool = false
  ) -> [Parameter]? {
    var parameters: [Parameter] = []
    var names = clause.names
    for (index, parameter) in clause.parameters.enumerated() {
      guard isPlain(parameter.type, member) else { return nil }
      if let specifier = TypeParts(parameter.type).specifiers.first {
        refuse(
          "specifier", "A slot passes its arguments to observers, so a parameter cannot be '\(specifier)'.",
          "Remove '\(specifier)'", at: parameter.type, removing: member)
        return nil
      }
      if let ownership = parameter.type.ownership, !parameter.type.isKnownToBeCopyable {
        let (type, word) = (TypeParts(parameter.type).written, ownership.trimmedDescription)
        refuse(
          "ownership", "A slot copies its arguments, and '\(type)' can be noncopyable.",
          "Remove '\(word)' if the type is copyable", at: parameter.type, removing: member,
          fixIts: [.replacing(parameter.type, with: parameter.type.withoutSpecifier(ownership), "Remove '\(word)'")])
        return nil
      }
      if parameter.type.isNever {
        refuse(
          "never", "No value has the type 'Never', so this requirement cannot be called.", "Remove it",
          at: parameter.type, removing: member)
        return nil
      }
      if let renamed = parameter.renamedSelf {
        hasFailed = true
        context.report(.parameterSelf, at: parameter, fixIts: [renamed])
        return nil
      }
      let read = Parameter(parameter, at: index, isOfSubscript: isOfSubscript, taken: &names)
      if isOfSubscript, read.passing == .variadic {
        refuse(
          "variadic", "A proxy cannot forward the arguments of a variadic subscript.", "Write a method", at: parameter,
          removing: member)
        return nil
      }
      if isAsync, read.passing == .variadic {
        refuse(
          "variadic", "A proxy cannot forward the variadic arguments of an asynchronous method.",
          "Write '[\(parameter.type.trimmedDescription)]'", at: parameter, removing: member,
          fixIts: [.replacing(parameter, with: parameter.takingArray, "Write '[\(parameter.type.trimmedDescription)]'")]
        )
        return nil
      }
      if isAsync || isOfSubscript, read.passing == .scoped {
        refuse(
          "scoped", "The slot of an asynchronous method or of a subscript stores its closures.", "Write '@escaping'",
          at: parameter.type, removing: member,
          fixIts: [.replacing(parameter.type, with: parameter.type.escaping, "Write '@escaping'")])
        return nil
      }
      if read.passing == .variadic, parameters.contains(where: { $0.passing == .variadic }) {
        let array = "Write '[\(parameter.type.trimmedDescription)]'"
        refuse(
          "variadic", "A proxy can forward only one variadic parameter.", array, at: parameter, removing: member,
          fixIts: [.replacing(parameter, with: parameter.takingArray, array)])
        return nil
      }
      parameters.append(read)
    }
    return parameters
  }

  /// The type of a result, or nil if a slot cannot have it.
  private mutating func result(_ type: TypeSyntax, _ member: MemberBlockItemSyntax) -> String? {
    guard isPlain(type, member) else { return nil }
    if let specifier = TypeParts(type).specifiers.first {
      refuse(
        "specifier", "A slot passes its results to observers, so a result cannot be '\(specifier)'.",
        "Remove '\(specifier)'", at: type, removing: member)
      return nil
    }
    return type.line
  }

  /// Whether a slot can have the type: neither `Self`, nor `some`, nor a span.
  private mutating func isPlain(_ type: TypeSyntax, _ member: MemberBlockItemSyntax) -> Bool {
    if let opaque = type.firstOpaque {
      let concrete = opaque.with(\.someOrAnySpecifier, .keyword(.any, trailingTrivia: .space))
      refuse(
        "generic", "A slot has fixed types, but '\(opaque.trimmedDescription)' is a generic parameter.",
        "Write '\(concrete.trimmedDescription)'", at: opaque, removing: member,
        fixIts: [.replacing(opaque, with: concrete, "Write '\(concrete.trimmedDescription)'")])
      return false
    }
    if type.mentions("Self"), !type.isMemberOfSelf {
      refuse(
        "self", "In a proxy, 'Self' is the class of the proxy and not that of the forwardee.",
        "Write the name of a type",
        at: type, removing: member)
      return false
    }
    if let name = type.firstNonescapable {
      refuse(
        "escapable", "A slot stores its values, but a '\(name)' cannot be stored.", "Write an array", at: type,
        removing: member)
      return false
    }
    return true
  }

  /// Reports a requirement that cannot have a slot, with what to write instead, and offers `@Unproxied`.
  private mutating func refuse(
    _ id: String, _ problem: String, _ advice: String, at node: some SyntaxProtocol,
    removing member: MemberBlockItemSyntax?, fixIts: [FixIt] = []
  ) {
    hasFailed = true
    guard let member else { return context.report(Message(id, "\(problem) \(advice)."), at: node) }
    let marked = FixIt(
      message: Fix("Mark it '@Unproxied'"),
      changes: [.replace(oldNode: Syntax(member.decl), newNode: Syntax(member.decl.unproxied))])
    context.report(
      Message(id, "\(problem) \(advice), or mark it @Unproxied if an extension of the protocol implements it."),
      at: node, fixIts: fixIts + [marked])
  }
}
#endif
