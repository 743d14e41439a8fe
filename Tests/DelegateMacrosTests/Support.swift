#if Macros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import DelegateExpansion

private let macros: [String: MacroSpec] = [
  "Proxied": MacroSpec(type: ProxiedMacro.self),
  "Defaulted": MacroSpec(type: MarkerMacro.self),
  "Slot": MacroSpec(type: MarkerMacro.self),
  "Unproxied": MacroSpec(type: MarkerMacro.self),
  "Intercepted": MacroSpec(type: InterceptedMacro.self),
  "method": MacroSpec(type: MethodMacro.self),
]

/// Expands the macros in `source`, and compares the expansion, the diagnostics, and the source after the fix-its.
func expectExpansion(
  _ source: String, is expanded: String, diagnostics: [DiagnosticSpec] = [], applying fixIts: [String]? = nil,
  fixed: String? = nil, location: Testing.SourceLocation = #_sourceLocation
) {
  assertMacroExpansion(
    source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: macros, applyFixIts: fixIts,
    fixedSource: fixed,
    indentationWidth: .spaces(2),
    failureHandler: { Issue.record(Comment(rawValue: $0.message), sourceLocation: location) })
}

/// The lines that are generated for a protocol `P` with one requirement: its slot and its member.
func members(for requirement: String, of header: String = "protocol P: AnyObject") -> String {
  let file = Parser.parse(source: "@Proxied \(header) {\n  \(requirement)\n}")
  let context = BasicMacroExpansionContext(sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "test.swift")])
  let expanded = file.expand(
    macroSpecs: macros,
    contextGenerator: {
      BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
    },
    indentationWidth: .spaces(2))
  for diagnostic in context.diagnostics { Issue.record("\(diagnostic.debugDescription)") }
  let lines = expanded.description.split(separator: "\n", omittingEmptySubsequences: false)
  let inside = lines.drop { !$0.contains("class PProxy") }.dropFirst().prefix { !$0.isEmpty }
  return inside.map { $0.dropFirst(2) }.joined(separator: "\n")
}

/// The name of the slot of each requirement of a protocol.
func slotNames(_ requirements: String...) -> [String] {
  let file = Parser.parse(source: "protocol P {\n  \(requirements.joined(separator: "\n  "))\n}")
  let context = BasicMacroExpansionContext(sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "test.swift")])
  var reader = RequirementReader(context: context)
  if let declared = file.statements.first?.item.as(ProtocolDeclSyntax.self) {
    reader.read(declared.memberBlock.members)
  }
  let names = SlotNames(reader.requirements)
  return reader.requirements.indices.map { names[$0] }
}
#endif
