import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros of `DelegateMacros`.
@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ProxiedMacro.self, MarkerMacro.self, MethodMacro.self, InterceptedMacro.self,
  ]
}
