#if Macros
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@SecondConformer`, which `@Proxied` attaches to the class that it generates.
///
/// If a protocol is internal to a module, the optimizer of Swift 6.3 looks for the types that conform to it, and does not look
/// at what a peer macro has made. If it finds one type, it takes each value of the protocol for one of that type, so that the
/// calls of a proxy would go to methods of another class. It does look into extensions that macros make, so this one has
/// two classes that conform: more than one, even if the module has no other.
package enum SecondConformerMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let declared = declaration.as(ClassDeclSyntax.self) else { return [] }
    let generics = (declared.genericParameterClause?.parameters.map(\.name.text) ?? []).joined(separator: ", ")
    let superclass = type.trimmedDescription + (generics.isEmpty ? "" : "<\(generics)>")
    // The class is Sendable if its superclass is, which has to be said again.
    let isSendable = declared.inheritanceClause?.description.contains("@unchecked") == true
    let unchecked = isSendable ? ", @unchecked \(ModuleSelector.swift)Sendable" : ""
    let attributes = declared.attributes.compactMap { $0.as(AttributeSyntax.self) }.filter { $0.name == "available" }
    // No type of the program has such a name, so none is hidden in the class.
    let classes = ["FirstConformer", "SecondConformer"].map { name in
      "  nonisolated private final class \(context.makeUniqueName(name)): \(superclass)\(unchecked) {}"
    }
    let extended: DeclSyntax = """
      \(raw: attributes.map { $0.trimmedDescription + "\n" }.joined())extension \(type.trimmed) {
      \(raw: classes.joined(separator: "\n"))
      }
      """
    return extended.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}
#endif
