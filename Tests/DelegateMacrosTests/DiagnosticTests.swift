#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The diagnostics of `@Proxied` for requirements that no proxy can have, and its fix-its.
@Suite struct DiagnosticTests {
  private let unproxied = "Mark it '@Unproxied'"
  private let hint = ", or mark it @Unproxied if an extension of the protocol implements it."

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

  @Test func `a protocol that is private in a type`() {
    let reason = "A proxy has an extension, which cannot name what is private in a type."
    expectExpansion(
      "struct Outer {\n  @Proxied private protocol P: AnyObject {}\n}",
      is: "struct Outer {\n  private protocol P: AnyObject {}\n}",
      diagnostics: [
        DiagnosticSpec(
          message: reason + " Write 'fileprivate'.", line: 2, column: 12,
          fixIts: [FixItSpec(message: "Write 'fileprivate'")])
      ], applying: ["Write 'fileprivate'"],
      fixed: "struct Outer {\n  @Proxied fileprivate protocol P: AnyObject {}\n}")
    expectExpansion(
      "enum Outer {\n  private enum Inner {\n    @Proxied protocol P: AnyObject {}\n  }\n}",
      is: "enum Outer {\n  private enum Inner {\n    protocol P: AnyObject {}\n  }\n}",
      diagnostics: [
        DiagnosticSpec(
          message: reason + " Let the type around the protocol be 'fileprivate'.", line: 3, column: 5)
      ])
  }

  @Test func `a generic method`() {
    refuses(
      "func read<T: Decodable>(_ type: T.Type) -> T", column: 12,
      "A slot has fixed types, but `read` is generic. Replace the generic parameter by a type" + hint,
      fixed: "@Unproxied func read<T: Decodable>(_ type: T.Type) -> T", fixIts: [unproxied])
  }

  @Test func `an opaque parameter`() {
    refuses(
      "func read(_ source: some Source)", column: 23,
      "A slot has fixed types, but 'some Source' is a generic parameter. Write 'any Source'" + hint,
      applying: "Write 'any Source'", fixed: "func read(_ source: any Source)",
      fixIts: ["Write 'any Source'", unproxied])
  }

  @Test func `a mutating method`() {
    refuses(
      "mutating func advance()", "A proxy is a class, which has no mutating members. Remove 'mutating'" + hint,
      applying: "Remove 'mutating'", fixed: "func advance()", fixIts: ["Remove 'mutating'", unproxied])
  }

  @Test func `a mutating getter`() {
    refuses(
      "var size: Int { mutating get }", column: 19,
      "A proxy is a class, which has no mutating members. Remove 'mutating'" + hint,
      applying: "Remove 'mutating'", fixed: "var size: Int { get }", fixIts: ["Remove 'mutating'", unproxied])
  }

  @Test func `a generic subscript`() {
    refuses(
      "subscript<Key>(_ key: Key) -> Int { get }", column: 12,
      "A slot has fixed types, but this subscript is generic. Replace the generic parameter by a type" + hint,
      fixed: "@Unproxied subscript<Key>(_ key: Key) -> Int { get }", fixIts: [unproxied])
  }

  @Test func `a static requirement`() {
    refuses(
      "static var version: Int { get }",
      "A slot belongs to an object, but this requirement is static. Remove 'static'" + hint,
      fixed: "@Unproxied static var version: Int { get }", fixIts: [unproxied])
  }

  @Test func `an initializer`() {
    refuses(
      "init(name: String)",
      "A proxy has no slot for an initializer. Remove it" + hint,
      fixed: "@Unproxied init(name: String)", fixIts: [unproxied])
  }

  @Test func `a method that rethrows`() {
    refuses(
      "func each(_ body: () throws -> Void) rethrows", column: 40,
      "The type of a slot does not depend on the errors of its closures. Write 'throws'" + hint,
      applying: "Write 'throws'", fixed: "func each(_ body: () throws -> Void) throws",
      fixIts: ["Write 'throws'", unproxied])
  }

  @Test func `Self`() {
    refuses(
      "func compare(_ other: Self) -> Bool", column: 25,
      "In a proxy, 'Self' is the class of the proxy and not that of the forwardee. Write the name of a type" + hint,
      fixed: "@Unproxied func compare(_ other: Self) -> Bool", fixIts: [unproxied])
  }

  @Test func `a parameter that is sent`() {
    refuses(
      "func take(_ box: sending Box)", column: 20,
      "A slot passes its arguments to observers, so a parameter cannot be 'sending'. Remove 'sending'" + hint,
      fixed: "@Unproxied func take(_ box: sending Box)", fixIts: [unproxied])
  }

  @Test func `a parameter whose type can be noncopyable`() {
    for (type, column) in [("borrowing Ticket", 20), ("consuming Ticket", 20), ("borrowing Box<Int>?", 20)] {
      let (word, name) = (String(type.prefix { $0 != " " }), String(type.drop { $0 != " " }.dropFirst()))
      refuses(
        "func take(_ box: \(type))", column: column,
        "A slot copies its arguments, and '\(name)' can be noncopyable. Remove '\(word)' if the type is copyable"
          + hint,
        applying: "Remove '\(word)'", fixed: "func take(_ box: \(name))", fixIts: ["Remove '\(word)'", unproxied])
    }
    for type in ["borrowing String", "consuming [Ticket]", "borrowing any P", "consuming (Int, Bool?)"] {
      #expect(members(for: "func take(_ box: \(type))").contains("call(self.take"))
    }
  }

  @Test(arguments: [
    ("func make() -> Ticket", "Ticket"), ("func make() -> Ticket?", "Ticket?"),
    ("var ticket: Ticket { get }", "Ticket"),
    ("func change(_ ticket: inout Ticket)", "Ticket"), ("subscript(row: Int) -> Ticket { get }", "Ticket"),
  ])
  func `a result or an inout parameter whose type can be noncopyable`(_ requirement: String, _ type: String) {
    // The compiler shows the two lines above the one that has the error.
    let lines = members(for: requirement).split(separator: "\n")
    #expect(
      lines[0].contains("If '\(type)' is noncopyable, pass a class that has it, or mark the requirement @Unproxied"))
    #expect(lines[2].contains("<\(type)") || lines[2].contains("InOut<\(type)>"))
    #expect(!members(for: "func make(_ ids: inout [Int]) -> String").contains("noncopyable"))
  }

  @Test func `a parameter of the type Never`() {
    refuses(
      "func end(_ reason: Never)", column: 22,
      "No value has the type 'Never', so this requirement cannot be called. Remove it" + hint,
      fixed: "@Unproxied func end(_ reason: Never)", fixIts: [unproxied])
  }

  @Test func `a value that cannot be stored`() {
    for (type, column) in [("Span<UInt8>", 20), ("inout MutableSpan<Int>", 20), ("RawSpan?", 20)] {
      let name = type.split { !$0.isLetter }.first { $0.hasSuffix("Span") } ?? ""
      refuses(
        "func take(_ box: \(type))", column: column,
        "A slot stores its values, but a '\(name)' cannot be stored. Write an array" + hint,
        fixed: "@Unproxied func take(_ box: \(type))", fixIts: [unproxied])
    }
    #expect(members(for: "func take(_ body: (Span<UInt8>) -> Void)").contains("let take = "))
  }

  @Test(arguments: [("It is a global actor", "Disk.self"), ("It is a macro", "nil")])
  func `an attribute that can be a global actor`(_ fixIt: String, _ answer: String) {
    let message = """
      @Proxied cannot see whether '@Disk' is a global actor or a macro. Write @Proxied(globalActor: Disk.self), or \
      @Proxied(globalActor: nil) for a macro.
      """
    for (old, new) in [("", ""), ("(inheriting: (any Q).self)", "inheriting: (any Q).self, ")] {
      expectExpansion(
        "@Proxied\(old) @Disk protocol P: AnyObject {\n}", is: "@Disk protocol P: AnyObject {\n}",
        diagnostics: [
          DiagnosticSpec(
            message: message, line: 1, column: 10 + old.count,
            fixIts: ["It is a global actor", "It is a macro"].map { FixItSpec(message: $0) })
        ], applying: [fixIt], fixed: "@Proxied(\(new)globalActor: \(answer)) @Disk protocol P: AnyObject {\n}")
    }
  }

  @Test func `a result that is sent`() {
    refuses(
      "func make() -> sending Box", column: 18,
      "A slot passes its results to observers, so a result cannot be 'sending'. Remove 'sending'" + hint,
      fixed: "@Unproxied func make() -> sending Box", fixIts: [unproxied])
  }

  @Test func `a closure that does not outlast an asynchronous method`() {
    refuses(
      "func each(_ body: (Int) -> Void) async", column: 21,
      "The slot of an asynchronous method or of a subscript stores its closures. Write '@escaping'" + hint,
      applying: "Write '@escaping'", fixed: "func each(_ body: @escaping (Int) -> Void) async",
      fixIts: ["Write '@escaping'", unproxied])
  }

  @Test func `a variadic subscript`() {
    refuses(
      "subscript(_ rows: Int...) -> String { get }", column: 13,
      "A proxy cannot forward the arguments of a variadic subscript. Write a method" + hint,
      fixed: "@Unproxied subscript(_ rows: Int...) -> String { get }", fixIts: [unproxied])
  }

  @Test func `variadic arguments of an asynchronous method`() {
    refuses(
      "func log(_ rows: Int...) async", column: 12,
      "A proxy cannot forward the variadic arguments of an asynchronous method. Write '[Int]'" + hint,
      applying: "Write '[Int]'", fixed: "func log(_ rows: [Int]) async", fixIts: ["Write '[Int]'", unproxied])
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
          message: "Every proxy has a member named '\(name)'. Rename the requirement.", line: 2, column: 3)
      ])
  }

  @Test(arguments: ["func `Self`(_ x: Int)", "func `Self`() async", "var `Self`: Int { get set }"])
  func `a requirement called Self`(_ requirement: String) {
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  \(requirement)\n}", is: "protocol P: AnyObject {\n  \(requirement)\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "In a proxy, 'Self' is the class of the proxy. Rename the requirement.", line: 2, column: 3)
      ])
  }

  @Test func `a parameter called Self is a parameter like others`() {
    #expect(members(for: "func put(Self: Int)").contains("func put(Self: Int) {"))
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
          message: "A parameter named 'self' hides the object whose method this is. Rename the parameter.", line: 2,
          column: column, fixIts: [FixItSpec(message: "Name it 'value'")])
      ],
      fixed: "@Proxied protocol P: AnyObject {\n  \(fixed)\n}")
  }

  @Test func `what is not a protocol`() {
    expectExpansion(
      "@Proxied class C {}", is: "class C {}",
      diagnostics: [
        DiagnosticSpec(
          message: "@Proxied generates a proxy for a protocol, but this is not a protocol. Remove it.", line: 1,
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
            A proxy would set the property of a copy of a structure. Inherit from AnyObject, or write 'nonmutating set'.
            """, line: 2, column: 3, fixIts: [FixItSpec(message: "Inherit from AnyObject")])
      ],
      fixed: "@Proxied protocol P: AnyObject {\n  var title: String { get set }\n}")
  }

  @Test(arguments: ["where Self: Q", ": AnyObject & Q"])
  func `an inherited protocol that a where clause or a composition names`(_ clause: String) {
    let declaration = "protocol P\(clause.hasPrefix(":") ? "" : " ")\(clause) {\n}"
    let message = """
      @Proxied cannot see the requirements of 'Q'. Repeat them in 'P', and write @Proxied(inheriting: (any Q).self).
      """
    expectExpansion(
      "@Proxied " + declaration, is: declaration,
      diagnostics: [
        DiagnosticSpec(
          message: message, line: 1, column: clause.hasPrefix(":") ? 34 : 33,
          fixIts: [FixItSpec(message: "Write 'inheriting:'")])
      ])
  }

  @Test func `a protocol of noncopyable types`() {
    expectExpansion(
      "@Proxied protocol P: ~Copyable {\n}", is: "protocol P: ~Copyable {\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "A proxy keeps copies of its forwardees. Remove '~Copyable' from the protocol.", line: 1, column: 22)
      ])
  }

  @Test(arguments: ["", "a b", "a-b", "self", "`self`"]) func `a name that no slot can have`(_ name: String) {
    let declaration = "protocol P: AnyObject {\n  @Slot(\"\(name)\") func b()\n}"
    expectExpansion(
      "@Proxied " + declaration, is: declaration.replacing("@Slot(\"\(name)\") ", with: ""),
      diagnostics: [
        DiagnosticSpec(
          message: """
            '\(name)' cannot be the name of a slot. Write a name as of a property in @Slot("…").
            """, line: 2, column: 3)
      ])
  }

  @Test func `an inherited protocol that is not named`() {
    expectExpansion(
      "@Proxied protocol P: AnyObject, Q, R {\n}", is: "protocol P: AnyObject, Q, R {\n}",
      diagnostics: [
        DiagnosticSpec(
          message: """
            @Proxied cannot see the requirements of 'Q', 'R'. Repeat them in 'P', and write \
            @Proxied(inheriting: (any Q).self, (any R).self).
            """, line: 1, column: 33,
          fixIts: [FixItSpec(message: "Write 'inheriting:'")])
      ],
      fixed: "@Proxied(inheriting: (any Q).self, (any R).self) protocol P: AnyObject, Q, R {\n}")
  }

  @Test func `a protocol of an actor`() {
    expectExpansion(
      "@Proxied protocol P: Actor {\n}", is: "protocol P: Actor {\n}",
      diagnostics: [
        DiagnosticSpec(
          message: """
            A proxy is not an actor, so it cannot conform to 'Actor'. Inherit from AnyObject and Sendable instead.
            """, line: 1, column: 22)
      ])
  }

  @Test func `an associated type that is not primary`() {
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  associatedtype Item\n  func put(_ item: Item)\n}",
      is: "protocol P: AnyObject {\n  associatedtype Item\n  func put(_ item: Item)\n}",
      diagnostics: [
        DiagnosticSpec(
          message: """
            A slot has fixed types, so it needs the associated type 'Item'. Make it a primary associated type of the protocol.
            """, line: 2, column: 18,
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
          message: "Two slots have the name 'getSlot'. Name one of them with @Slot(\"…\").", line: 2, column: 3),
        DiagnosticSpec(
          message: "Two slots have the name 'getSlot'. Name one of them with @Slot(\"…\").", line: 3, column: 3),
      ])
  }

  @Test func `Slot and Unproxied where there is no protocol`() {
    expectExpansion(
      "class C {\n  @Unproxied func f() {}\n}", is: "class C {\n  func f() {}\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "@Unproxied has no effect here. Attach it to a requirement of a protocol that is @Proxied.", line: 2,
          column: 3)
      ])
  }
}
#endif
