#if Macros
import SwiftDiagnostics
import SwiftParser
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Intercepted`: a slot beside the method, and a body that goes through it.
package enum InterceptedMacro: PeerMacro, BodyMacro {
  package static var formatMode: FormatMode { .disabled }

  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let method = InterceptedMethod(node, declaration, context, isReporting: true) else { return [] }
    return ["\(raw: method.slotText)"]
  }

  package static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    guard let body = declaration.body else { return [] }
    // The peer macro has reported the error.
    guard let method = InterceptedMethod(node, declaration, context, isReporting: false) else {
      return Array(body.statements)
    }
    return ["\(raw: method.bodyText(String(body.statements.description.drop(while: \.isNewline))))"]
  }
}

/// An intercepted method.
struct InterceptedMethod {
  private let function: FunctionDeclSyntax
  private let parameters: [Parameter]
  private let effects: Requirement.Effects
  private let output: String?
  private let slot: String
  /// The name of the function that has the statements of an asynchronous method with consumed parameters.
  private let inner: String

  init?(
    _ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol, _ context: some MacroExpansionContext,
    isReporting: Bool
  ) {
    func refuse(_ id: String, _ text: String, at place: some SyntaxProtocol, fixIts: [FixIt] = []) {
      if isReporting { context.report(Message(id, text), at: place, fixIts: fixIts) }
    }
    guard let function = declaration.as(FunctionDeclSyntax.self), function.body != nil else {
      refuse(
        "intercepted", "@Intercepted can intercept only a method that has a body. Attach it to such a method.", at: node
      )
      return nil
    }
    // The compiler takes the body of only one attribute, so nothing would go through the slot of the other.
    if function.attributes.count(where: { $0.as(AttributeSyntax.self)?.name == "Intercepted" }) > 1 {
      refuse("intercepted", "A method has one slot. Remove one @Intercepted.", at: node)
      return nil
    }
    let owner = context.lexicalContext.first
    guard let owner, [SyntaxKind.classDecl, .structDecl, .actorDecl].contains(owner.kind) else {
      let text =
        switch owner?.kind {
        case .extensionDecl:
          """
          The slot of an intercepted method is a stored property, which an extension cannot have. Move the method into the \
          declaration of the class, structure, or actor.
          """
        case .enumDecl:
          """
          The slot of an intercepted method is a stored property, which an enumeration cannot have. Attach @Intercepted to \
          a method of a class, structure, or actor.
          """
        default: "A function that belongs to no object has no slot. Make it a method of a class, structure, or actor."
        }
      refuse("intercepted", text, at: node)
      return nil
    }
    if let modifier = function.modifiers.first(where: { ["static", "class"].contains($0.name.text) }) {
      refuse(
        "intercepted", "The slot of an intercepted method belongs to an object. Remove '\(modifier.name.text)'.",
        at: modifier)
      return nil
    }
    if let isolation = function.isolation(otherThan: owner) {
      refuse(
        "intercepted",
        "The slot of an intercepted method has the isolation of the type. Remove '\(isolation.trimmedDescription)'.",
        at: isolation)
      return nil
    }
    if let modifier = function.modifiers.first(where: { $0.name.text == "nonisolated" }), owner.hasActor {
      refuse(
        "intercepted",
        "A nonisolated method cannot use its slot, which has the isolation of the type. Remove 'nonisolated'.",
        at: modifier,
        fixIts: [
          .replacing(
            function.modifiers, with: function.modifiers.filter { $0.id != modifier.id },
            "Remove 'nonisolated'")
        ])
      return nil
    }
    if let generics = function.genericParameterClause {
      refuse(
        "intercepted",
        "A slot has fixed types, but `\(function.name.text)` is generic. Replace the generic parameter by a type.",
        at: generics)
      return nil
    }
    if let clause = function.signature.effectSpecifiers?.throwsClause, clause.throwsSpecifier.text == "rethrows" {
      let fixed = clause.throwsSpecifier.with(\.tokenKind, .keyword(.throws))
      refuse(
        "intercepted", "The type of a slot does not depend on the errors of its closures. Write 'throws'.", at: clause,
        fixIts: [.replacing(clause.throwsSpecifier, with: fixed, "Write 'throws'")])
      return nil
    }
    if let type = function.signature.returnClause?.type, let opaque = type.firstOpaque {
      refuse(
        "intercepted",
        "A slot has fixed types, but '\(opaque.trimmedDescription)' hides the type. Write 'any', or the type itself.",
        at: opaque)
      return nil
    }
    if let type = function.signature.returnClause?.type, owner.is(ClassDeclSyntax.self), !type.isMemberOfSelf {
      refuse(
        "intercepted",
        "A stored property, such as a slot, cannot have the type 'Self' in a class. Write the name of the class.",
        at: type)
      return nil
    }
    var parameters: [Parameter] = []
    var names = function.signature.parameterClause.names
    for (index, parameter) in function.signature.parameterClause.parameters.enumerated() {
      if let opaque = parameter.type.firstOpaque {
        refuse(
          "intercepted",
          "A slot has fixed types, but '\(opaque.trimmedDescription)' is a generic parameter. Write 'any'.",
          at: opaque)
        return nil
      }
      if let renamed = parameter.renamedSelf {
        if isReporting { context.report(.parameterSelf, at: parameter, fixIts: [renamed]) }
        return nil
      }
      if let named = parameter.named(at: index) {
        refuse(
          "intercepted", "The slot of an intercepted method receives all arguments. Name this parameter.",
          at: parameter, fixIts: [named])
        return nil
      }
      if parameter.type.is(PackExpansionTypeSyntax.self) {
        refuse(
          "intercepted",
          "A slot has fixed types, but '\(parameter.type.trimmedDescription)' is any number of them. Write a tuple: '(\(parameter.type.trimmedDescription))'.",
          at: parameter.type)
        return nil
      }
      let parts = TypeParts(parameter.type)
      if parts.isInout || parts.isBorrowed || !parts.specifiers.isEmpty {
        refuse(
          "intercepted",
          """
          The observers of an intercepted method receive copies of its arguments, so a parameter cannot be \
          '\(parts.promise)'. Remove '\(parts.promise)'.
          """,
          at: parameter.type)
        return nil
      }
      let read = Parameter(parameter, at: index, isOfSubscript: false, taken: &names)
      if read.passing == .scoped, function.signature.effectSpecifiers?.asyncSpecifier != nil {
        refuse(
          "intercepted", "The slot of an asynchronous method stores its closures. Write '@escaping'.",
          at: parameter.type, fixIts: [.replacing(parameter.type, with: parameter.type.escaping, "Write '@escaping'")])
        return nil
      }
      parameters.append(read)
    }
    self.function = function
    self.parameters = parameters
    effects = Requirement.Effects(function.signature.effectSpecifiers)
    let result = (function.signature.returnClause?.type).map { TypeParts($0) }
    if let specifier = result?.specifiers.first, let type = function.signature.returnClause?.type {
      refuse(
        "intercepted",
        """
        The observers of an intercepted method receive its results, so a result cannot be '\(specifier)'. Remove \
        '\(specifier)'.
        """, at: type)
      return nil
    }
    let output = result?.stored
    self.output = output == "Void" || output == "()" ? nil : output
    inner = names.unused("_intercepted")
    if node.hasUnreadableName {
      refuse(
        "name", "A macro cannot see the value of a constant. Write the name of the slot in quotes.", at: node)
      return nil
    }
    slot = node.name(or: Self.slotName(function.name.text, parameters))
    if !slot.isValidSwiftIdentifier(for: .variableName), !slot.hasPrefix("`") {
      refuse(
        "name",
        "'\(slot)' cannot be the name of a slot. Write a name as of a property in @Intercepted(\"…\").", at: node)
      return nil
    }
  }

  /// `saveToSlot` for `save(to:)`.
  private static func slotName(_ name: String, _ parameters: [Parameter]) -> String {
    let labels = parameters.map(\.label.plainIdentifier).filter { $0 != "_" }
    return name.plainIdentifier + labels.map(\.capitalizedFirst).joined() + "Slot"
  }

  private var result: String { output ?? "Void" }

  /// The declaration of the slot.
  var slotText: String {
    var access = ""
    for modifier in function.modifiers {
      switch modifier.name.text {
      case "open": access = "public "
      case "public", "package", "fileprivate", "private": access = modifier.name.text + " "
      default: continue
      }
    }
    let labels = parameters.map { "\($0.label):" }.joined()
    let name = parameters.isEmpty ? "\(function.name.text)()" : "\(function.name.text)(\(labels))"
    let type = ProxyMember.slotType(result, parameters.map(\.type), effects)
    return "/// The calls of `\(name)`.\n\(access)let \(slot)\(ProxyMember.initialisation(type))"
  }

  /// The method's body, with `statements` going through the slot.
  func bodyText(_ statements: String) -> String {
    let arguments = parameters.map { $0.isConsumed ? "copy \($0.name)" : $0.name }.joined(separator: ", ")
    if effects.isAsync { return asyncBodyText(statements, arguments) }
    var text = "\(effects.marks)self.\(slot).intercept((\(arguments))) \(closure(statements))"
    for parameter in parameters.reversed() where parameter.passing == .scoped {
      let signature = "(\(parameter.name))\(effects.suffix) -> \(result) in"
      text =
        "\(effects.marks)\(ModuleSelector.swift)withoutActuallyEscaping(\(parameter.name)) { \(signature)\n\(text)\n}"
    }
    return output == nil ? text : "return \(text)"
  }

  /// The body of an asynchronous method: `statements` run on the executor of the method. The settings of the module decide which
  /// one that is, and which function gets the statements. They are in a closure, where `#function` is still the method.
  private func asyncBodyText(_ statements: String, _ arguments: String) -> String {
    let isNonsending = function.modifiers.contains { $0.trimmedDescription == "nonisolated(nonsending)" }
    let slot = "return \(effects.marks)self.\(slot)"
    let inPlace = "\(slot).intercept((\(arguments))) \(closure(statements))"
    let concurrently = "\(slot).interceptConcurrently((\(arguments))) \(closure(statements))"
    if isNonsending { return inPlace }
    if isConcurrent { return concurrently }
    return "#if hasFeature(NonisolatedNonsendingByDefault)\n\(inPlace)\n#else\n\(concurrently)\n#endif"
  }

  private var isConcurrent: Bool { function.attribute("concurrent") != nil }

  /// The closure that the slot calls. A closure cannot consume what it captures, so the statements get consumed parameters as
  /// parameters.
  private func closure(_ statements: String) -> String {
    let head = "{ ()\(effects.suffix) -> \(result) in\n"
    let consumed = parameters.filter(\.isConsumed)
    if consumed.isEmpty { return "\(head)\(statements)\n}" }
    let copies = consumed.map { "copy \($0.name)" }.joined(separator: ", ")
    if !effects.isAsync {
      let list = consumed.map { "\($0.name): consuming \($0.declared)" }.joined(separator: ", ")
      let work = "{ (\(list))\(effects.suffix) -> \(result) in\n\(statements)\n}"
      return "\(head)return \(effects.marks)\(work)(\(copies))\n}"
    }
    // Only a function has the isolation of the method with all settings.
    let list = consumed.map { "_ \($0.name): consuming \($0.declared)" }.joined(separator: ", ")
    let work =
      "\(isConcurrent ? "@concurrent " : "")func \(inner)(\(list))\(effects.suffix) -> \(result) {\n\(statements)\n}"
    return "\(head)\(work)\nreturn \(effects.marks)\(inner)(\(copies))\n}"
  }
}

extension FunctionDeclSyntax {
  /// An attribute that lets the method run elsewhere than its type, an actor or a type with a global actor.
  fileprivate func isolation(otherThan owner: Syntax) -> AttributeSyntax? {
    guard owner.hasActor else { return nil }
    if let concurrent = attribute("concurrent") { return concurrent }
    let actor = attributes.compactMap { $0.as(AttributeSyntax.self) }.first(where: \.isGlobalActor)
    let own = owner.asProtocol((any WithAttributesSyntax).self)?.attributes.compactMap { $0.as(AttributeSyntax.self) }
    return actor.flatMap { actor in own?.contains { $0.name == actor.name } == true ? nil : actor }
  }
}

extension Syntax {
  /// True for an actor, and for a declaration that spells a global actor.
  fileprivate var hasActor: Bool {
    guard let attributes = asProtocol((any WithAttributesSyntax).self)?.attributes else { return false }
    return self.is(ActorDeclSyntax.self)
      || attributes.contains { $0.as(AttributeSyntax.self)?.isGlobalActor == true }
  }
}

extension AttributeSyntax {
  /// The name in the attribute, or `standard`.
  fileprivate func name(or standard: String) -> String {
    labeledArguments.first?.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue ?? standard
  }
}
#endif
