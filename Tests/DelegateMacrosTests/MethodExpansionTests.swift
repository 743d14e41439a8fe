#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct MethodExpansionTests {
  @Test func `a reference becomes its name`() {
    expectExpansion(
      "let m = #method(Table.table(_:didSelect:))", is: #"let m = DelegateMacros::MethodName("table(_:didSelect:)")"#)
    expectExpansion("let m = #method((any Module.Table).reload)", is: #"let m = DelegateMacros::MethodName("reload")"#)
  }

  @Test func `an overload is told apart by its type`() {
    expectExpansion(
      "let m = #method(Table.put(_:) as (any Table) -> (Int) -> Void)",
      is: #"let m = DelegateMacros::MethodName("put(_:)")"#)
  }

  @Test func `a call is no reference`() {
    expectExpansion(
      "let m = #method(Table.put(1, at: 2))", is: #"let m = DelegateMacros::MethodName("")"#,
      diagnostics: [
        DiagnosticSpec(
          message: "#method takes a reference to a method, not a call. Write 'P.name(_:label:)'.", line: 1, column: 17,
          fixIts: [FixItSpec(message: "Refer to the method")])
      ], fixed: "let m = #method(Table.put(_:at:))")
  }

  @Test func `a name alone is no reference`() {
    expectExpansion(
      "let m = #method(put)", is: #"let m = DelegateMacros::MethodName("")"#,
      diagnostics: [
        DiagnosticSpec(
          message: "#method takes the full name of a method of a protocol or class. Write 'P.name(_:label:)'.", line: 1,
          column: 17)
      ])
  }
}
#endif
