#if Macros
import DelegateExpansion
import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros

// The macros of `DelegateMacros`, as the compiler finds them: by the name of this module. What they do is in
// `DelegateExpansion`, a library, because SwiftPM would build every test of the package twice if one used a plugin.

@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ProxiedMacro.self, SecondConformerMacro.self, MarkerMacro.self, MethodMacro.self, InterceptedMacro.self,
  ]
}

enum ProxiedMacro: PeerMacro {
  static var formatMode: FormatMode { DelegateExpansion.ProxiedMacro.formatMode }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    try DelegateExpansion.ProxiedMacro.expansion(of: node, providingPeersOf: declaration, in: context)
  }
}

enum SecondConformerMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    try DelegateExpansion.SecondConformerMacro.expansion(
      of: node, attachedTo: declaration, providingExtensionsOf: type, conformingTo: protocols, in: context)
  }
}

enum MarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    try DelegateExpansion.MarkerMacro.expansion(of: node, providingPeersOf: declaration, in: context)
  }
}

enum MethodMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    try DelegateExpansion.MethodMacro.expansion(of: node, in: context)
  }
}

enum InterceptedMacro: PeerMacro, BodyMacro {
  static var formatMode: FormatMode { DelegateExpansion.InterceptedMacro.formatMode }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    try DelegateExpansion.InterceptedMacro.expansion(of: node, providingPeersOf: declaration, in: context)
  }

  static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    try DelegateExpansion.InterceptedMacro.expansion(of: node, providingBodyFor: declaration, in: context)
  }
}
#else
// SwiftPM builds this program with the package although nothing uses it.
@main
enum Plugin {
  static func main() {}
}
#endif
