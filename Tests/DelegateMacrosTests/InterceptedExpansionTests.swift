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
          #if hasFeature(NonisolatedNonsendingByDefault)
          return try await self.saveToForceSlot.intercept((path, force)) { () async throws -> Int in
              let count = try await write(path)
              return count
          }
          #else
          return try await self.saveToForceSlot.interceptConcurrently((path, force)) { () async throws -> Int in
              let count = try await write(path)
              return count
          }
          #endif
          }

          /// The calls of `save(to:force:)`.
          public let saveToForceSlot = DelegateMacros::AsyncThrowingProxyMethod<Int, String, Bool>()
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
          try Swift::withoutActuallyEscaping(body) { (body) throws(Full) -> Void in
          try self.visits.intercept((body)) { () throws(Full) -> Void in
              body(1)
          }
          }
          }

          /// The calls of `each(_:)`.
          private let visits = DelegateMacros::ProxySlot<Full, Void, (Int) -> Void>()
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
    refuses(
      "func put<T>(_ t: T) {}", column: 24,
      "A slot has fixed types, but `put` is generic. Replace the generic parameter by a type.")
    refuses(
      "func put(_ t: some P) {}", column: 30,
      "A slot has fixed types, but 'some P' is a generic parameter. Write 'any'.")
  }

  @Test func `a result whose type is hidden or is that of the object`() {
    refuses(
      "func make() -> some P {}", column: 31,
      "A slot has fixed types, but 'some P' hides the type. Write 'any', or the type itself.")
    refuses(
      "func copy() -> Self {}", column: 31,
      "A stored property, such as a slot, cannot have the type 'Self' in a class. Write the name of the class.")
  }

  @Test func `a static method`() {
    refuses(
      "static func put() {}", column: 16,
      "The slot of an intercepted method belongs to an object. Remove 'static'.")
  }

  @Test func `an inout parameter`() {
    refuses(
      "func put(_ t: inout Int) {}", column: 30,
      """
      The observers of an intercepted method receive copies of its arguments, so a parameter cannot be 'inout'. Remove \
      'inout'.
      """)
    refuses(
      "func put(_ t: borrowing Int) {}", column: 30,
      """
      The observers of an intercepted method receive copies of its arguments, so a parameter cannot be 'borrowing'. Remove \
      'borrowing'.
      """)
  }

  @Test func `a result that is sent`() {
    refuses(
      "func make() -> sending Box {}", column: 31,
      """
      The observers of an intercepted method receive its results, so a result cannot be 'sending'. Remove 'sending'.
      """)
  }

  @Test(arguments: [
    ("name", "A macro cannot see the value of a constant. Write the name of the slot in quotes."),
    (
      "\"class\"",
      "'class' cannot be the name of a slot. Write a name as of a property in @Intercepted(\"…\")."
    ),
    ("\"a b\"", "'a b' cannot be the name of a slot. Write a name as of a property in @Intercepted(\"…\")."),
    ("\"\"", "'' cannot be the name of a slot. Write a name as of a property in @Intercepted(\"…\")."),
  ])
  func `a name that no slot can have`(_ name: String, _ message: String) {
    expectExpansion(
      "class C {\n  @Intercepted(\(name)) func put() {}\n}", is: "class C {\n  func put() {}\n}",
      diagnostics: [DiagnosticSpec(message: message, line: 2, column: 3)])
  }

  @Test func `two attributes at one method`() {
    let message = "A method has one slot. Remove one @Intercepted."
    expectExpansion(
      "class C {\n  @Intercepted\n  @Intercepted(\"second\") func put() {}\n}", is: "class C {\n  func put() {}\n}",
      diagnostics: [
        DiagnosticSpec(message: message, line: 2, column: 3), DiagnosticSpec(message: message, line: 3, column: 3),
      ])
  }

  @Test func `a parameter called self`() {
    refuses(
      "func put(_ self: Int) {}", column: 25,
      "A parameter named 'self' hides the object whose method this is. Rename the parameter.",
      fixed: "func put(_ value: Int) {}", fixIts: ["Name it 'value'"])
  }

  @Test func `a parameter without a name`() {
    refuses(
      "func put(_: Int, in row: Int) {}", column: 25,
      "The slot of an intercepted method receives all arguments. Name this parameter.",
      fixed: "func put(_ argument0: Int, in row: Int) {}", fixIts: ["Name it 'argument0'"])
  }

  @Test func `a nonisolated method of an owner with an actor`() {
    refuses(
      "nonisolated func put() {}", in: "@MainActor class C", column: 16,
      "A nonisolated method cannot use its slot, which has the isolation of the type. Remove 'nonisolated'.",
      fixed: "func put() {}", fixIts: ["Remove 'nonisolated'"])
  }

  @Test(arguments: [("@concurrent func put() async {}", "@MainActor class C"), ("@MainActor func put() {}", "actor C")])
  func `a method with another isolation than its owner`(_ method: String, _ owner: String) {
    let attribute = method.split(separator: " ")[0]
    refuses(
      method, in: owner, column: 16,
      "The slot of an intercepted method has the isolation of the type. Remove '\(attribute)'.")
  }

  @Test func `a parameter for any number of values`() {
    refuses(
      "func put(_ x: repeat each T) {}", in: "class C<each T>", column: 30,
      "A slot has fixed types, but 'repeat each T' is any number of them. Write a tuple: '(repeat each T)'.")
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
          return await self.staySlot.intercept(()) { () async -> Void in

          }
          }

          /// The calls of `stay()`.
          let staySlot = DelegateMacros::AsyncProxyMethod<Void>()
          @concurrent func leave() async {
          return await self.leaveSlot.interceptConcurrently(()) { () async -> Void in

          }
          }

          /// The calls of `leave()`.
          let leaveSlot = DelegateMacros::AsyncProxyMethod<Void>()
        }
        """)
  }

  @Test func `a closure that does not outlast an asynchronous method`() {
    refuses(
      "func put(_ t: () -> Void) async {}", column: 30,
      "The slot of an asynchronous method stores its closures. Write '@escaping'.",
      fixed: "func put(_ t: @escaping () -> Void) async {}", fixIts: ["Write '@escaping'"])
  }

  @Test func `a method that rethrows`() {
    refuses(
      "func put(_ t: () throws -> Void) rethrows {}", column: 49,
      "The type of a slot does not depend on the errors of its closures. Write 'throws'.",
      fixed: "func put(_ t: () throws -> Void) throws {}", fixIts: ["Write 'throws'"])
  }

  @Test func `a method in an extension`() {
    refuses(
      "func put() {}", in: "extension C", column: 3,
      """
      The slot of an intercepted method is a stored property, which an extension cannot have. Move the method into the \
      declaration of the class, structure, or actor.
      """)
  }

  @Test func `a method of an enumeration`() {
    refuses(
      "func put() {}", in: "enum C", column: 3,
      """
      The slot of an intercepted method is a stored property, which an enumeration cannot have. Attach @Intercepted to \
      a method of a class, structure, or actor.
      """)
  }

  @Test func `a function that is no method`() {
    expectExpansion(
      "@Intercepted func put() {}", is: "func put() {}",
      diagnostics: [
        DiagnosticSpec(
          message:
            "A function that belongs to no object has no slot. Make it a method of a class, structure, or actor.",
          line: 1, column: 1)
      ])
  }

  @Test func `what has no body`() {
    refuses(
      "var x: Int { 1 }", column: 3,
      "@Intercepted can intercept only a method that has a body. Attach it to such a method."
    )
  }
}
#endif
