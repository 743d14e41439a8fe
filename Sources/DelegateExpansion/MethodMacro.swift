#if Macros
import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `#method(P.name(_:label:))`: the method's name, after the compiler has checked the reference.
package enum MethodMacro: ExpressionMacro {
  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    guard var reference = node.arguments.first?.expression else { return methodName("") }
    if let typed = reference.as(AsExprSyntax.self) { reference = typed.expression }
    // The expression is a flat sequence until its operators are folded.
    if let sequence = reference.as(SequenceExprSyntax.self), let first = sequence.elements.first { reference = first }
    while let tuple = reference.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      reference = only.expression
    }
    guard let access = reference.as(MemberAccessExprSyntax.self), access.base != nil else {
      if let call = reference.as(FunctionCallExprSyntax.self), call.calledExpression.is(MemberAccessExprSyntax.self) {
        context.report(
          Message("call", "#method takes a reference to a method, not a call. Write 'P.name(_:label:)'."), at: call,
          fixIts: call.labels.map { name in
            [.replacing(call, with: ExprSyntax("\(call.calledExpression.trimmed)\(raw: name)"), "Refer to the method")]
          } ?? [])
      } else {
        context.report(
          Message(
            "reference", "#method takes the full name of a method of a protocol or class. Write 'P.name(_:label:)'."),
          at: reference)
      }
      return methodName("")
    }
    // The declaration of the requirement may have backticks where the reference has none, and the reverse.
    let name = access.declName.trimmedDescription.replacing("`", with: "")
    return methodName(name)
  }

  private static func methodName(_ name: String) -> ExprSyntax {
    "\(raw: ModuleSelector.library)MethodName(\(literal: name))"
  }
}

extension FunctionCallExprSyntax {
  /// `(_:label:)`, or an empty string without arguments.
  fileprivate var labels: String? {
    if trailingClosure != nil { return nil }
    return arguments.isEmpty ? "" : "(\(arguments.map { "\($0.label?.text ?? "_"):" }.joined()))"
  }
}
#endif
