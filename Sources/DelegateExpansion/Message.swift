#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A diagnostic for code that a macro cannot expand.
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

/// The text of a fix-it.
struct Fix: FixItMessage {
  let message: String

  init(_ message: String) { self.message = message }

  var fixItID: MessageID { MessageID(domain: "DelegateMacros", id: message) }
}

extension MacroExpansionContext {
  /// Reports `message` at `node`.
  func report(_ message: Message, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
    diagnose(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
  }
}

extension FixIt {
  /// Replaces `old` by `new`.
  static func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ fix: String) -> FixIt {
    FixIt(message: Fix(fix), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }
}
#endif
