import Testing

/// The messages of the compiler if a macro is given something that does not exist.
@Suite("What macros do not accept")
struct MacroCompilationTests {
  private func check(_ source: String) async throws -> Compiler.Result {
    try await Compiler.check(
      """
      import DelegateMacros
      import Headwater
      final class Table {}
      @Proxied protocol TableDelegate: AnyObject {
        func table(_ table: Table, didSelect row: Int)
        func table(_ table: Table, heightOf row: Int) -> Double
      }
      protocol Other { func other() }
      let proxy = TableDelegateProxy()
      let bag = DisposeBag()
      """ + "\n" + source)
  }

  @Test func `a method that is there`() async throws {
    let result = try await check(
      """
      let rows = try proxy.stream(#method(TableDelegate.table(_:didSelect:))) { push, table, row in push.next(row) }
      rows.observeNext { (row: Int) in print(row) }.dispose(in: bag)
      proxy.stream(#method(TableDelegateProxy.table(_:heightOf:))).observeNext { (table: Table, row: Int) in print(row) }
        .dispose(in: bag)
      try proxy.slot(for: #method((any TableDelegate).table(_:heightOf:))).answer { _, row in Double(row) }
      """)
    #expect(result.accepts, "\(result.output)")
    #expect(!result.output.contains("warning:"), "\(result.output)")
  }

  @Test func `a method that is not there`() async throws {
    let result = try await check("proxy.stream(#method(TableDelegate.table(_:didSelct:)))")
    #expect(!result.accepts)
    #expect(result.output.contains("has no member 'table(_:didSelct:)'"), "\(result.output)")
  }

  @Test func `a method of another protocol`() async throws {
    for statement in [
      "_ = proxy.slot(for: #method(Other.other))", "_ = proxy.stream(#method((any Other).other))",
      "_ = try proxy.stream(#method(Other.other)) { (push: PushStream<Int>) in push.next(1) }",
    ] {
      let result = try await check(statement)
      #expect(!result.accepts)
      #expect(result.output.contains("This method belongs to another protocol."), "\(result.output)")
      #expect(!result.output.contains("failed to produce diagnostic"), "\(result.output)")
    }
  }

  @Test func `a closure whose types are not those of the method`() async throws {
    let result = try await check(
      """
      _ = try proxy.stream(#method(TableDelegate.table(_:didSelect:))) { (push: PushStream<Int>, table: Table, row: String) in
        push.next(1)
      }
      """)
    #expect(!result.accepts)
    #expect(result.output.contains("String"), "\(result.output)")
  }

  @Test func `an inherited requirement that is not repeated`() async throws {
    let result = try await check(
      """
      @Proxied(inheriting: (any Other).self) protocol Child: AnyObject, Other { func own() }
      """)
    #expect(!result.accepts)
    #expect(result.output.contains("does not conform to protocol 'Other'"), "\(result.output)")
  }

  @Test func `a proxy that leaves its domain`() async throws {
    let result = try await check("Task.detached { proxy.didSelect.stream.observeNext { _, _ in } }")
    #expect(!result.accepts)
  }
}
