#if Macros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

extension AttributeSyntax {
  /// Its name without the module: `Proxied` of `@DelegateMacros.Proxied(…)`.
  var name: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    return attributeName.trimmedDescription
  }

  /// Whether the attribute is a global actor: its name ends in `Actor`.
  var isGlobalActor: Bool { name.hasSuffix("Actor") }

  /// Its arguments in parentheses.
  var labeledArguments: LabeledExprListSyntax {
    if case .argumentList(let list)? = arguments { list } else { [] }
  }
}

extension WithAttributesSyntax {
  /// The attribute named `name`, or nil.
  func attribute(_ name: String) -> AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.name == name }
  }
}

extension DeclSyntax {
  /// The declaration with `@Unproxied` before it.
  var unproxied: DeclSyntax {
    DeclSyntax("@Unproxied \(trimmed)").with(\.leadingTrivia, leadingTrivia).with(\.trailingTrivia, trailingTrivia)
  }

  /// The declaration without a modifier.
  func withoutModifier(_ modifier: DeclModifierSyntax) -> DeclSyntax {
    guard var declaration = asProtocol((any WithModifiersSyntax).self) else { return self }
    declaration.modifiers = declaration.modifiers.filter { $0.id != modifier.id }
    declaration.leadingTrivia = leadingTrivia
    return Syntax(declaration).as(DeclSyntax.self) ?? self
  }
}

extension TypeSyntax {
  /// The first `some P` in the type.
  var firstOpaque: SomeOrAnyTypeSyntax? {
    for token in tokens(viewMode: .sourceAccurate) where token.tokenKind == .keyword(.some) {
      return token.parent?.as(SomeOrAnyTypeSyntax.self)
    }
    return nil
  }

  /// The type with `@escaping` before it.
  var escaping: TypeSyntax {
    TypeSyntax("@escaping \(trimmed)").with(\.leadingTrivia, leadingTrivia).with(\.trailingTrivia, trailingTrivia)
  }

  /// `Self.Item` is an associated type, not `Self`.
  var isMemberOfSelf: Bool {
    tokens(viewMode: .sourceAccurate).allSatisfy { token in
      token.text != "Self" || token.parent?.parent?.is(MemberTypeSyntax.self) == true
    }
  }
}

extension SlotOptions {
  /// `@Slot("name", default: value)`.
  init(_ attribute: AttributeSyntax?) {
    for argument in attribute?.labeledArguments ?? [] {
      if argument.label?.text == "default" {
        defaultValue = argument.expression.trimmedDescription
      } else if argument.label == nil {
        name = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
      }
    }
  }
}
#endif
