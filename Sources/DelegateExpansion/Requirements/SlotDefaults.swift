#if Macros
import SwiftSyntax

/// A name in `@Slot(default:)` that means something else in the proxy, where the default is evaluated, than beside the requirement.
struct HiddenName {
  let node: DeclReferenceExprSyntax
  var name: String { node.baseName.text.unquoted }

  /// The first such names of the requirements. `slots` has the names of all slots.
  static func all(in requirements: [Requirement], slots: [String]) -> [Self] {
    let members = Set(requirements.map(\.name.unquoted) + slots.map(\.unquoted)).union(SlotNames.taken)
    return requirements.compactMap { requirement in
      guard let value = requirement.defaultExpression else { return nil }
      let hiding = members.union(requirement.parameters.map(\.name.unquoted)).subtracting(value.declaredNames)
      return value.references.first { hiding.contains($0.baseName.text.unquoted) }.map(Self.init)
    }
  }
}

extension Requirement {
  /// The value in `@Slot(default:)`.
  fileprivate var defaultExpression: ExprSyntax? {
    syntax.asProtocol((any WithAttributesSyntax).self)?.attribute("Slot")?.labeledArguments
      .first { $0.label?.text == "default" }?.expression
  }
}

extension ExprSyntax {
  /// The names without a value or type before them.
  fileprivate var references: [DeclReferenceExprSyntax] {
    tokens(viewMode: .sourceAccurate).compactMap { token in
      guard case .identifier = token.tokenKind, let reference = token.parent?.as(DeclReferenceExprSyntax.self),
        reference.baseName == token, !reference.trimmedDescription.contains("::"),
        reference.parent?.is(KeyPathPropertyComponentSyntax.self) != true
      else { return nil }
      let access = reference.parent?.as(MemberAccessExprSyntax.self)
      return access?.declName.id == reference.id ? nil : reference
    }
  }

  /// The names of the parameters and variables in its closures.
  fileprivate var declaredNames: Set<String> {
    Set(
      tokens(viewMode: .sourceAccurate).filter { token in
        guard let parent = token.parent else { return false }
        return [.closureShorthandParameter, .closureParameter, .identifierPattern, .closureCapture].contains(
          parent.kind)
      }.map(\.text.unquoted))
  }
}
#endif
