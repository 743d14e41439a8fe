#if Macros
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Slot` and `@Unproxied`, which `@Proxied` reads. They generate no code.
package enum MarkerMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let isRequirement = context.lexicalContext.first?.is(ProtocolDeclSyntax.self) == true
    if !isRequirement {
      context.report(
        Message(
          "marker", "@\(node.name) has no effect here. Attach it to a requirement of a protocol that is @Proxied."),
        at: node)
    }
    return []
  }
}
#endif
