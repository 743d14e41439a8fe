#if Macros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

extension AttributeSyntax {
  /// Its name without the module: `Proxied` of `@DelegateMacros.Proxied(…)` and of `@DelegateMacros::Proxied(…)`.
  var name: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    if let identifier = attributeName.as(IdentifierTypeSyntax.self) { return identifier.name.text }
    return attributeName.trimmedDescription
  }

  /// Whether the attribute is a global actor: its name ends in `Actor`.
  var isGlobalActor: Bool { name.hasSuffix("Actor") }

  private static let own: Set<String> = ["Proxied", "Slot", "Defaulted", "Unproxied"]

  /// Whether the attribute has the syntax of a global actor, but can be a macro.
  var mayBeGlobalActor: Bool {
    arguments == nil && !isGlobalActor && name.first?.isUppercase == true && !Self.own.contains(name)
  }

  /// Whether its argument without a label is not a string literal, whose text a macro could read.
  var hasUnreadableName: Bool {
    labeledArguments.contains {
      $0.label == nil && $0.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue == nil
    }
  }

  /// Its arguments in parentheses.
  var labeledArguments: LabeledExprListSyntax {
    if case .argumentList(let list)? = arguments { list } else { [] }
  }
}

extension WithAttributesSyntax {
  /// The attribute of a requirement that a macro cannot read or that another one contradicts, and what to write instead; or nil.
  var contradiction: (attribute: AttributeSyntax, text: String)? {
    if let hidden = conditionalAttributes.first {
      return (
        hidden,
        "A macro cannot see which attributes in #if apply. Write the requirement in #if, once for each condition."
      )
    }
    let slots = attributes.compactMap { $0.as(AttributeSyntax.self) }.filter { $0.name == "Slot" }
    if let unread = slots.first(where: \.hasUnreadableName) {
      return (unread, "A macro cannot see the value of a constant. Write the name of the slot in quotes.")
    }
    if slots.count > 1 {
      return (slots[1], "A requirement has one slot. Write the name and the default in one @Slot(\"…\", default: …).")
    }
    let marked = attribute("Defaulted") ?? slots.first
    if attribute("Unproxied") != nil, let marked {
      return (marked, "A requirement that is @Unproxied has no slot. Remove @\(marked.name) or @Unproxied.")
    }
    return nil
  }

  /// The attributes that are in `#if`.
  var conditionalAttributes: [AttributeSyntax] {
    attributes.compactMap { $0.as(IfConfigDeclSyntax.self) }.flatMap(\.attributes)
  }

  /// The attribute named `name`, or nil.
  func attribute(_ name: String) -> AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.name == name }
  }
}

extension IfConfigDeclSyntax {
  /// The attributes in all its clauses.
  fileprivate var attributes: [AttributeSyntax] {
    clauses.flatMap { clause -> [AttributeSyntax] in
      guard case .attributes(let list)? = clause.elements else { return [] }
      return list.flatMap { element in
        element.as(AttributeSyntax.self).map { [$0] } ?? element.as(Self.self)?.attributes ?? []
      }
    }
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

extension TypeSyntax {
  /// `borrowing` or `consuming` before the type.
  var ownership: TypeSpecifierListSyntax.Element? {
    self.as(AttributedTypeSyntax.self)?.specifiers.first {
      ["borrowing", "consuming", "__owned", "__shared"].contains($0.trimmedDescription)
    }
  }

  func withoutSpecifier(_ specifier: TypeSpecifierListSyntax.Element) -> TypeSyntax {
    guard var attributed = self.as(AttributedTypeSyntax.self) else { return self }
    attributed.specifiers = attributed.specifiers.filter { $0.id != specifier.id }
    attributed.leadingTrivia = leadingTrivia
    return TypeSyntax(attributed)
  }

  private static let copyable: Set<String> = [
    "Any", "AnyObject", "Bool", "Character", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64",
    "Never", "StaticString",
    "String", "Substring", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Void",
  ]
  private static let collections: Set<String> = ["Array", "ArraySlice", "ContiguousArray", "Dictionary", "Set"]

  /// Whether it is `Never`, which has no values.
  var isNever: Bool { ["Never", "Swift.Never", "Swift::Never"].contains(TypeParts(self).written) }

  /// Whether the syntax alone shows that values of the type can be copied.
  var isKnownToBeCopyable: Bool {
    switch self.as(TypeSyntaxEnum.self) {
    case .attributedType(let type): type.baseType.isKnownToBeCopyable
    case .arrayType, .dictionaryType, .functionType, .metatypeType: true
    case .someOrAnyType(let type): type.someOrAnySpecifier.tokenKind == .keyword(.any)
    case .optionalType(let type): type.wrappedType.isKnownToBeCopyable
    case .tupleType(let type): type.elements.allSatisfy { $0.type.isKnownToBeCopyable }
    case .identifierType(let type): Self.copyable.union(Self.collections).contains(type.name.text)
    default: false
    }
  }

  private static let nonescapable: Set<String> = [
    "MutableRawSpan", "MutableSpan", "OutputRawSpan", "OutputSpan", "RawSpan", "Span", "UTF8Span",
  ]

  /// The first type of the standard library in it whose values cannot be stored.
  var firstNonescapable: String? {
    // A closure can have such a parameter.
    if (self.as(AttributedTypeSyntax.self)?.baseType ?? self).inParentheses.is(FunctionTypeSyntax.self) { return nil }
    return tokens(viewMode: .sourceAccurate).first { Self.nonescapable.contains($0.text) }?.text
  }
}

extension DeclModifierListSyntax {
  /// The access level, followed by a space, or empty.
  var access: String {
    for modifier in self {
      switch modifier.name.text {
      case "open", "public", "package", "internal", "fileprivate", "private": return modifier.name.text + " "
      default: continue
      }
    }
    return ""
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
