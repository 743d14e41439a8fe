#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What a macro says of code that it cannot expand, or not as it stands.
struct Message: DiagnosticMessage, Error {
  let message: String
  let id: String
  let severity: DiagnosticSeverity

  init(_ id: String, _ message: String, severity: DiagnosticSeverity = .error) {
    self.id = id
    self.message = message
    self.severity = severity
  }

  var diagnosticID: MessageID { MessageID(domain: "DelegateMacros", id: id) }
}

/// What a fix-it offers to do.
struct Cure: FixItMessage {
  let message: String

  init(_ message: String) { self.message = message }

  var fixItID: MessageID { MessageID(domain: "DelegateMacros", id: message) }
}

extension MacroExpansionContext {
  /// Says `message` at `node`.
  func report(_ message: Message, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
    diagnose(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
  }
}

extension FixIt {
  /// Puts `new` in the place of `old`.
  static func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ cure: String) -> FixIt {
    FixIt(message: Cure(cure), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }
}
#endif
