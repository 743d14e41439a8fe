#if Macros
import DelegateMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Types of a module with the names that a proxy uses.
private enum Film {
  struct Actor: Equatable { var name = "" }
  struct Delegate: Equatable { var name = "" }

  @Proxied protocol Crew: AnyObject {
    func crew(didHire actor: Actor) -> Delegate
  }

  @Proxied protocol Union: AnyObject, Sendable {
    func union(didSend delegate: Delegate) -> Delegate
  }
}

private let limit = 3

#if compiler(>=6.3)
@DelegateMacros::Proxied private protocol Selected: Swift::AnyObject {
  @DelegateMacros::Slot("ended", default: DelegateMacrosTests.limit) func limit(_ row: Swift::Int) -> Swift::Int
  @DelegateMacros::Unproxied static func make() -> Swift::Int
}

extension Selected {
  static func make() -> Int { 1 }
}
#endif

@Proxied private protocol Fallbacks: AnyObject {
  @Slot(default: DelegateMacrosTests.limit) func limit(_ row: Int) -> Int
  @Slot(default: [1].map { row in row + 1 }) func rows(_ row: Int) -> [Int]
  @Slot(default: \String.count) func path(count: Int) -> KeyPath<String, Int>
}

/// What a macro cannot see, and what means something else in a proxy.
@Suite struct UnseenTests {
  @Test func `types of the module called Actor and Delegate`() {
    let crew = Film.CrewProxy(crew: { Film.Delegate(name: $0.name) })
    #expect(crew.crew(didHire: Film.Actor(name: "a")) == Film.Delegate(name: "a"))
    let union = Film.UnionProxy(union: { $0 })
    #expect(union.union(didSend: Film.Delegate(name: "b")) == Film.Delegate(name: "b"))
  }

  #if compiler(>=6.3)
  @Test func `module selectors`() {
    let proxy = SelectedProxy()
    #expect(proxy.limit(1) == 3 && SelectedProxy.make() == 1)
    proxy.ended.replaceAnswer { $0 }
    #expect(proxy.limit(1) == 1)
  }
  #endif

  @Test func `defaults whose names are the same in the proxy`() {
    let proxy = FallbacksProxy()
    #expect(proxy.limit(1) == 3 && proxy.rows(2) == [2] && "ab"[keyPath: proxy.path(count: 1)] == 2)
  }

  private func refuses(
    _ requirement: String, column: Int, _ message: String, expanded: String? = nil,
    location: Testing.SourceLocation = #_sourceLocation
  ) {
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  \(requirement)\n  func limit(_ x: Int)\n}",
      is: "protocol P: AnyObject {\n  \(expanded ?? requirement)\n  func limit(_ x: Int)\n}",
      diagnostics: [DiagnosticSpec(message: message, line: 2, column: column)], location: location)
  }

  @Test func `a constant as the name of a slot`() {
    refuses(
      "@Slot(name) func put(_ x: Int)", column: 3,
      "A macro cannot see the value of a constant. Write the name of the slot in quotes.",
      expanded: "func put(_ x: Int)")
  }

  @Test(arguments: [("limit", "limit"), ("count + 1", "count"), ("f(P.x, of: .y, putSlot)", "putSlot")])
  func `a default whose names are different in the proxy`(_ value: String, _ name: String) {
    let offset = value.ranges(of: name).first.map { value.distance(from: value.startIndex, to: $0.lowerBound) } ?? 0
    refuses(
      "@Slot(\"putSlot\", default: \(value)) func put(count: Int) -> Int", column: 29 + offset,
      """
      The proxy evaluates this default, and there '\(name)' is a parameter, a requirement, or a slot. Write the module or \
      the type before it.
      """, expanded: "func put(count: Int) -> Int")
  }

  @Test func `an attribute in #if`() {
    let requirement = "#if DEBUG\n  @Unproxied\n  #endif\n  func put(_ x: Int)"
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  \(requirement)\n}", is: "protocol P: AnyObject {\n  \(requirement)\n}",
      diagnostics: [
        DiagnosticSpec(
          message:
            "A macro cannot see which attributes in #if apply. Write the requirement in #if, once for each condition.",
          line: 3, column: 3)
      ])
  }

  @Test func `a global actor in #if`() {
    let declaration = "#if DEBUG\n@MainActor\n#endif\nprotocol P: AnyObject {\n  func put(_ x: Int)\n}"
    expectExpansion(
      "@Proxied\n" + declaration, is: declaration,
      diagnostics: [
        DiagnosticSpec(
          message:
            "A macro cannot see which attributes in #if apply. Write the protocol in #if, once for each condition.",
          line: 3, column: 1)
      ])
  }

  @Test func `a protocol of an NSObject`() {
    expectExpansion(
      "@Proxied protocol P: NSObjectProtocol {\n}", is: "protocol P: NSObjectProtocol {\n}",
      diagnostics: [
        DiagnosticSpec(
          message:
            "A proxy is not an NSObject, so it cannot conform to 'NSObjectProtocol'. Inherit from AnyObject instead.",
          line: 1, column: 22)
      ])
  }

  @Test func `a protocol that only some modules may use`() {
    expectExpansion(
      "@_spi(Tools) @Proxied public protocol P: AnyObject {\n}",
      is: """
        @_spi(Tools) public protocol P: AnyObject {
        }

        /// A proxy for `P`, with a slot for each requirement.
        @_spi(Tools)
        nonisolated public final class PProxy: DelegateMacros::ProtocolProxy<any P>, P, DelegateMacros::NamedSlots {
          public func slots(named name: Swift::String) -> [DelegateMacros::AnyProxySlot] {
            []
          }
        }
        """)
  }

  @Test func `two variadic parameters`() {
    let declaration = "protocol P: AnyObject {\n  func put(_ x: Int..., y: String...)\n}"
    expectExpansion(
      "@Proxied " + declaration, is: declaration,
      diagnostics: [
        DiagnosticSpec(
          message: """
            A proxy can forward only one variadic parameter. Write '[String]', or mark it @Unproxied if an extension of the \
            protocol implements it.
            """, line: 2, column: 25,
          fixIts: [FixItSpec(message: "Write '[String]'"), FixItSpec(message: "Mark it '@Unproxied'")])
      ],
      applying: ["Write '[String]'"],
      fixed: "@Proxied protocol P: AnyObject {\n  func put(_ x: Int..., y: [String])\n}")
  }
}
#endif
