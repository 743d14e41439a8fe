#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Attributes and types of one protocol that contradict each other.
@Suite struct MarkTests {
  @Test(arguments: [
    (
      #"@Slot("a") @Slot(default: 3)"#, 14,
      #"A requirement has one slot. Write the name and the default in one @Slot("…", default: …)."#
    ),
    ("@Unproxied @Defaulted", 14, "A requirement that is @Unproxied has no slot. Remove @Defaulted or @Unproxied."),
    (#"@Slot("a") @Unproxied"#, 3, "A requirement that is @Unproxied has no slot. Remove @Slot or @Unproxied."),
  ])
  func `attributes that contradict each other`(_ attributes: String, _ column: Int, _ message: String) {
    expectExpansion(
      "@Proxied protocol P: AnyObject {\n  \(attributes) func count() -> Int\n}",
      is: "protocol P: AnyObject {\n  func count() -> Int\n}",
      diagnostics: [DiagnosticSpec(message: message, line: 2, column: column)])
  }

  @Test func `attributes that go together`() {
    #expect(members(for: #"@Defaulted @Slot("a") func count() -> Int"#).contains("let a = "))
  }

  @Test(arguments: [
    ("Key == String", "protocol P<Key>: AnyObject where Key == String {\n  associatedtype Key\n}", 1, 43),
    ("Int == Self.Key", "protocol P<Key>: AnyObject where Int == Self.Key {\n  associatedtype Key\n}", 1, 43),
    ("Key == Int", "protocol P<Key>: AnyObject {\n  associatedtype Key where Key == Int\n}", 2, 28),
  ])
  func `an associated type that the protocol fixes`(_ text: String, _ declaration: String, _ line: Int, _ column: Int) {
    expectExpansion(
      "@Proxied " + declaration, is: declaration,
      diagnostics: [
        DiagnosticSpec(
          message: """
            A generic parameter cannot be one type, but '\(text)' fixes 'Key'. Write the type in the requirements, and remove \
            the associated type.
            """, line: line, column: column)
      ])
  }
}
#endif
