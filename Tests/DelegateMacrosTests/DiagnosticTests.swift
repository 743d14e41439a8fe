#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The diagnostics of `@Proxied` for requirements that no proxy can have, and its fix-its.
@Suite struct DiagnosticTests {
  private let unproxied = "Leave it to the default of the protocol: '@Unproxied'"
  private let hint = " If an extension of the protocol has a default for it, mark it @Unproxied."

  /// Expands a protocol with one requirement, and expects a diagnostic and no proxy.
  private func refuses(
    _ requirement: String, column: Int = 3, _ message: String, applying fixIt: String? = nil, fixed: String,
    fixIts: [String], location: Testing.SourceLocation = #_sourceLocation
  ) {
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  \(requirement)\n}",
      is: "protocol P: AnyObject {\n  \(requirement)\n}",
      diagnostics: [
        DiagnosticSpec(message: message, line: 2, column: column, fixIts: fixIts.map { FixItSpec(message: $0) })
      ],
      applying: fixIt.map { [$0] }, fixed: "@Proxied protocol P: AnyObject {\n  \(fixed)\n}", location: location)
  }

  @Test func `a generic method`() {
    refuses(
      "func read<T: Decodable>(_ type: T.Type) -> T", column: 12,
      "A slot has the types of one method: `read` is generic." + hint,
      fixed: "@Unproxied func read<T: Decodable>(_ type: T.Type) -> T", fixIts: [unproxied])
  }

  @Test func `an opaque parameter`() {
    refuses(
      "func read(_ source: some Source)", column: 23,
      "A slot has the types of one method: 'some Source' is a generic parameter." + hint,
      applying: "Say 'any Source'", fixed: "func read(_ source: any Source)", fixIts: ["Say 'any Source'", unproxied])
  }

  @Test func `a mutating method`() {
    refuses(
      "mutating func advance()", "A proxy is an object: a mutating requirement would have to replace it." + hint,
      applying: "Remove 'mutating'", fixed: "func advance()", fixIts: ["Remove 'mutating'", unproxied])
  }

  @Test func `a mutating getter`() {
    refuses(
      "var size: Int { mutating get }", column: 19,
      "A proxy is an object: a mutating requirement would have to replace it." + hint,
      applying: "Remove 'mutating'", fixed: "var size: Int { get }", fixIts: ["Remove 'mutating'", unproxied])
  }

  @Test func `a generic subscript`() {
    refuses(
      "subscript<Key>(_ key: Key) -> Int { get }", column: 12,
      "A slot has the types of one method: this subscript is generic." + hint,
      fixed: "@Unproxied subscript<Key>(_ key: Key) -> Int { get }", fixIts: [unproxied])
  }

  @Test func `a static requirement`() {
    refuses(
      "static var version: Int { get }",
      "A proxy is an object that stands in for one: it has no slot for a static requirement." + hint,
      fixed: "@Unproxied static var version: Int { get }", fixIts: [unproxied])
  }

  @Test func `an initialiser`() {
    refuses(
      "init(name: String)",
      "A proxy makes no other object: it cannot have an initialiser that the protocol asks for." + hint,
      fixed: "@Unproxied init(name: String)", fixIts: [unproxied])
  }

  @Test func `a method that rethrows`() {
    refuses(
      "func each(_ body: () throws -> Void) rethrows", column: 40,
      "A slot cannot tell what its closures throw: say 'throws'." + hint,
      applying: "Say 'throws'", fixed: "func each(_ body: () throws -> Void) throws",
      fixIts: ["Say 'throws'", unproxied])
  }

  @Test func `Self`() {
    refuses(
      "func compare(_ other: Self) -> Bool", column: 25,
      "'Self' would be the proxy, whatever the forwardee's type is: a slot cannot have it." + hint,
      fixed: "@Unproxied func compare(_ other: Self) -> Bool", fixIts: [unproxied])
  }

  @Test func `a parameter that is sent`() {
    refuses(
      "func take(_ box: sending Box)", column: 20,
      "A slot keeps its arguments for its observers: 'sending' cannot be promised." + hint,
      fixed: "@Unproxied func take(_ box: sending Box)", fixIts: [unproxied])
  }

  @Test func `a result that is sent`() {
    refuses(
      "func make() -> sending Box", column: 18,
      "A slot gives its results to its observers, too: 'sending' cannot be promised." + hint,
      fixed: "@Unproxied func make() -> sending Box", fixIts: [unproxied])
  }

  @Test func `a closure that does not outlast an asynchronous method`() {
    refuses(
      "func each(_ body: (Int) -> Void) async", column: 21,
      "The slot of an asynchronous method or of a subscript keeps a closure that it is given: say '@escaping'." + hint,
      applying: "Say '@escaping'", fixed: "func each(_ body: @escaping (Int) -> Void) async",
      fixIts: ["Say '@escaping'", unproxied])
  }

  @Test func `a variadic subscript`() {
    refuses(
      "subscript(_ rows: Int...) -> String { get }", column: 13,
      "A proxy cannot hand on the arguments of a variadic subscript: make it a method." + hint,
      fixed: "@Unproxied subscript(_ rows: Int...) -> String { get }", fixIts: [unproxied])
  }

  @Test func `variadic arguments of an asynchronous method`() {
    refuses(
      "func log(_ rows: Int...) async", column: 12,
      "A proxy cannot hand on the variadic arguments of an asynchronous method: take an array." + hint,
      applying: "Take '[Int]'", fixed: "func log(_ rows: [Int]) async", fixIts: ["Take '[Int]'", unproxied])
  }

  @Test(arguments: [
    "var dispose: Int { get }", "func dispose()", "var slots: [Int] { get }", "func slots() -> Int",
    "var isDisposed: Bool { get }", "var asDelegate: Int { get set }", "var forwardTo: String { get }",
    "var allForwardees: [Int] { get }", "var implementationChanges: Int { get }", "func `self`(_ x: Int)",
  ])
  func `a requirement that is called as a member of every proxy`(_ requirement: String) throws {
    let name = try #require(requirement.firstMatch(of: /(?:var|func) `?(\w+)/)).1
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  \(requirement)\n}",
      is: "protocol P: AnyObject {\n  \(requirement)\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "Every proxy has a member '\(name)' of its own. Rename this requirement.", line: 2, column: 3)
      ])
  }

  @Test func `a method that only shares the name of a member of every proxy`() {
    #expect(members(for: "func dispose(_ count: Int)").contains("func dispose(_ count: Int) {"))
  }

  @Test(arguments: [
    ("func put(_ self: Int)", 12, "func put(_ value: Int)"), ("func put(self: Int)", 12, "func put(self value: Int)"),
    ("func put(to self: Int) async", 12, "func put(to value: Int) async"),
    ("subscript(self: Int) -> Int { get }", 13, "subscript(self value: Int) -> Int { get }"),
  ])
  func `a parameter called self`(_ requirement: String, _ column: Int, _ fixed: String) {
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  \(requirement)\n}",
      is: "protocol P: AnyObject {\n  \(requirement)\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "A parameter called 'self' hides the object whose method this is. Give it another name.", line: 2,
          column: column, fixIts: [FixItSpec(message: "Call it 'value'")])
      ],
      fixed: "@Proxied protocol P: AnyObject {\n  \(fixed)\n}")
  }

  @Test func `what is not a protocol`() {
    expectExpansion(
      "@Proxied class C {}", is: "class C {}",
      diagnostics: [
        DiagnosticSpec(
          message: "@Proxied makes a proxy for a protocol: this is none. A class conforms to one by hand.", line: 1,
          column: 1)
      ])
  }

  @Test func `a settable property of a protocol that structs may conform to`() {
    let source = "@Proxied protocol P {\n  var title: String { get set }\n}"
    expectExpansion(
      source, is: "protocol P {\n  var title: String { get set }\n}",
      diagnostics: [
        DiagnosticSpec(
          message: """
            What is set on a struct through a proxy would be lost: make the protocol AnyObject, or write 'nonmutating set'.
            """, line: 2, column: 3, fixIts: [FixItSpec(message: "Make 'P' AnyObject")])
      ],
      fixed: "@Proxied protocol P: AnyObject {\n  var title: String { get set }\n}")
  }

  @Test func `an inherited protocol that is not named`() {
    expectExpansion(
      "@Proxied protocol P: AnyObject, Q, R {\n}", is: "protocol P: AnyObject, Q, R {\n}",
      diagnostics: [
        DiagnosticSpec(
          message: """
            A macro cannot see what 'Q', 'R' asks for. Repeat its requirements in 'P' and say that you did: \
            @Proxied(inheriting: (any Q).self, (any R).self).
            """, line: 1, column: 33,
          fixIts: [FixItSpec(message: "Say that the inherited requirements are repeated here")])
      ],
      fixed: "@Proxied(inheriting: (any Q).self, (any R).self) protocol P: AnyObject, Q, R {\n}")
  }

  @Test func `a protocol of an actor`() {
    expectExpansion(
      "@Proxied protocol P: Actor {\n}", is: "protocol P: Actor {\n}",
      diagnostics: [
        DiagnosticSpec(
          message: """
            A proxy is no actor: 'Actor' cannot be promised. Remove it, and make the protocol AnyObject, Sendable.
            """, line: 1, column: 22)
      ])
  }

  @Test func `an associated type that is not primary`() {
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  associatedtype Item\n  func put(_ item: Item)\n}",
      is: "protocol P: AnyObject {\n  associatedtype Item\n  func put(_ item: Item)\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "A slot has to know its types: make 'Item' a primary associated type of the protocol.", line: 2,
          column: 18,
          fixIts: [FixItSpec(message: "Write 'protocol P<Item>'")])
      ],
      fixed: "@Proxied protocol P<Item>: AnyObject {\n  associatedtype Item\n  func put(_ item: Item)\n}")
  }

  @Test func `two slots that only their results tell apart`() {
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  func get() -> Int\n  func get() -> String\n}",
      is: "protocol P: AnyObject {\n  func get() -> Int\n  func get() -> String\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "Two slots would be called 'getSlot': name one of them, @Slot(\"…\").", line: 2, column: 3),
        DiagnosticSpec(
          message: "Two slots would be called 'getSlot': name one of them, @Slot(\"…\").", line: 3, column: 3),
      ])
  }

  @Test func `Slot and Unproxied where there is no protocol`() {
    expectExpansion(
      "class C {\n  @Unproxied func f() {}\n}", is: "class C {\n  func f() {}\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "@Unproxied is for the requirements of a protocol that is @Proxied: it does nothing here.", line: 2,
          column: 3)
      ])
  }
}
#endif
