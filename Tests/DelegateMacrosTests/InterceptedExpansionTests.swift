#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The code that `@Intercepted` generates, and its diagnostics.
@Suite struct InterceptedExpansionTests {
  @Test func `a slot beside the method, and a body that goes through it`() {
    expectExpansion(
      """
      public final class Document {
        @Intercepted open func save(to path: String, force: Bool = false) async throws -> Int {
          let count = try await write(path)
          return count
        }
      }
      """,
      is: """
        public final class Document {
          open func save(to path: String, force: Bool = false) async throws -> Int {
          func _intercepted() async throws -> Int {
              let count = try await write(path)
              return count
          }
          #if hasFeature(NonisolatedNonsendingByDefault)
          return try await self.saveToForceSlot.intercept((path, force), _intercepted)
          #else
          return try await self.saveToForceSlot.interceptConcurrently((path, force), _intercepted)
          #endif
          }

          /// The calls of `save(to:force:)`.
          public let saveToForceSlot = AsyncThrowingProxyMethod<Int, String, Bool>()
        }
        """)
  }

  @Test func `a name of its own, typed errors, a closure`() {
    expectExpansion(
      """
      struct Store {
        @Intercepted("visits") private mutating func each(_ body: (Int) -> Void) throws(Full) {
          body(1)
        }
      }
      """,
      is: """
        struct Store {
          private mutating func each(_ body: (Int) -> Void) throws(Full) {
          try withoutActuallyEscaping(body) { (body) throws(Full) -> Void in
          try self.visits.intercept((body)) { () throws(Full) -> Void in
              body(1)
          }
          }
          }

          /// The calls of `each(_:)`.
          private let visits = ProxySlot<Full, Void, (Int) -> Void>()
        }
        """)
  }

  private func refuses(
    _ method: String, in type: String = "class C", column: Int, _ message: String, fixed: String? = nil,
    fixIts: [String] = [],
    expanded: String? = nil, location: Testing.SourceLocation = #_sourceLocation
  ) {
    expectExpansion(
      "\(type) {\n  @Intercepted \(method)\n}", is: "\(type) {\n  \(expanded ?? method)\n}",
      diagnostics: [
        DiagnosticSpec(message: message, line: 2, column: column, fixIts: fixIts.map { FixItSpec(message: $0) })
      ],
      fixed: fixed.map { "\(type) {\n  @Intercepted \($0)\n}" }, location: location)
  }

  @Test func `a generic method`() {
    refuses("func put<T>(_ t: T) {}", column: 24, "A slot has the types of one method: `put` is generic.")
    refuses(
      "func put(_ t: some P) {}", column: 30, "A slot has the types of one method: 'some P' is a generic parameter.")
  }

  @Test func `a result whose type is hidden or is that of the object`() {
    refuses(
      "func make() -> some P {}", column: 31,
      "A slot has the types of one method: 'some P' hides one. Say 'any', or the type itself.")
    refuses(
      "func copy() -> Self {}", column: 31,
      "A class stores its slot, and 'Self' is not stored: say the name of the class.")
  }

  @Test func `a static method`() {
    refuses(
      "static func put() {}", column: 16,
      "The slot of an @Intercepted method belongs to an object: the method cannot be static.")
  }

  @Test func `an inout parameter`() {
    refuses(
      "func put(_ t: inout Int) {}", column: 30,
      "The observers of an @Intercepted method get copies of its arguments: 'inout' cannot be promised.")
    refuses(
      "func put(_ t: borrowing Int) {}", column: 30,
      "The observers of an @Intercepted method get copies of its arguments: 'borrowing' cannot be promised.")
  }

  @Test func `a result that is sent`() {
    refuses(
      "func make() -> sending Box {}", column: 31,
      "The observers of an @Intercepted method get its results, too: 'sending' cannot be promised.")
  }

  @Test func `a parameter called self`() {
    refuses(
      "func put(_ self: Int) {}", column: 25,
      "A parameter called 'self' hides the object whose method this is. Give it another name.",
      fixed: "func put(_ value: Int) {}", fixIts: ["Call it 'value'"])
  }

  @Test func `a parameter without a name`() {
    refuses(
      "func put(_: Int, in row: Int) {}", column: 25,
      "The slot of an @Intercepted method gets its arguments: give this parameter a name.",
      fixed: "func put(_ argument0: Int, in row: Int) {}", fixIts: ["Call it 'argument0'"])
  }

  @Test func `a nonisolated method of an owner with an actor`() {
    refuses(
      "nonisolated func put() {}", in: "@MainActor class C", column: 16,
      "The slot of an @Intercepted method is isolated like its owner: a nonisolated method cannot use it.",
      fixed: "func put() {}", fixIts: ["Remove 'nonisolated'"])
  }

  @Test func `an asynchronous method that says where it runs`() {
    expectExpansion(
      """
      class C {
        @Intercepted nonisolated(nonsending) func stay() async {}
        @Intercepted @concurrent func leave() async {}
      }
      """,
      is: """
        class C {
          nonisolated(nonsending) func stay() async {
          func _intercepted() async -> Void {

          }
          return await self.staySlot.intercept((), _intercepted)
          }

          /// The calls of `stay()`.
          let staySlot = AsyncProxyMethod<Void>()
          @concurrent func leave() async {
          @concurrent func _intercepted() async -> Void {

          }
          return await self.leaveSlot.interceptConcurrently((), _intercepted)
          }

          /// The calls of `leave()`.
          let leaveSlot = AsyncProxyMethod<Void>()
        }
        """)
  }

  @Test func `a closure that does not outlast an asynchronous method`() {
    refuses(
      "func put(_ t: () -> Void) async {}", column: 30,
      "The slot of an asynchronous method keeps a closure that it is given: say '@escaping'.",
      fixed: "func put(_ t: @escaping () -> Void) async {}", fixIts: ["Say '@escaping'"])
  }

  @Test func `a method that rethrows`() {
    refuses(
      "func put(_ t: () throws -> Void) rethrows {}", column: 49,
      "A slot cannot tell what its closures throw: say 'throws'.",
      fixed: "func put(_ t: () throws -> Void) throws {}", fixIts: ["Say 'throws'"])
  }

  @Test func `a method in an extension`() {
    refuses(
      "func put() {}", in: "extension C", column: 3,
      """
      The slot of an @Intercepted method is a stored property: the method has to stand in the declaration of a class, \
      structure or actor, not in an extension.
      """)
  }

  @Test func `what has no body`() {
    refuses(
      "var x: Int { 1 }", column: 3, "@Intercepted is for methods that have a body: Swift can be let into nothing else."
    )
  }
}
#endif
