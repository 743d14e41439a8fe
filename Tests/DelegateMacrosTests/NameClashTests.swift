#if Macros
import DelegateMacros
import SwiftSyntaxMacrosGenericTestSupport
import Streams
import StreamsTesting
import Testing

@Proxied protocol Player: AnyObject {
  var volume: Double { get set }
  func setVolume(_ volume: Double)
  func getSubscript(_ row: Int)
  subscript(row: Int) -> Int { get set }
  func isolation(_ count: Int)
  func callerIsolation(_ count: Int)
  func _isolation(_ count: Int)
}

@Proxied protocol SendablePlayer: Sendable {
  var volume: Double { get nonmutating set }
  func setVolume(_ volume: Double)
  func forwarding(_ count: Int) -> Int
  func dispose() -> Int
  var isDisposed: Bool { get }
  func slots(named name: String) -> Int
}

/// Requirements with the names of what the macro generates.
@Suite(.noLiveResources) struct NameClashTests {
  @Test func `a method that is called like the setter of a property has a closure of its own`() {
    var calls: [String] = []
    let proxy = PlayerProxy(
      setVolumeSlot: { calls.append("set \($0)") }, setVolume: { calls.append("call \($0)") },
      getSubscript: { calls.append("get \($0)") }, getSubscriptSlot: { $0 + 1 }, isolation: { calls.append("\($0)") },
      callerIsolation: { calls.append("\($0)") }, _isolation: { calls.append("\($0)") })
    proxy.volume = 1
    proxy.setVolume(2)
    proxy.getSubscript(proxy[3])
    proxy.isolation(5)
    proxy.callerIsolation(6)
    proxy._isolation(7)
    #expect(calls == ["set 1.0", "call 2.0", "get 4", "5", "6", "7"])
  }

  @Test func `a method that is called like a member of a Sendable proxy has a slot of another name`() {
    let proxy = SendablePlayerProxy(forwarding: { $0 + 1 })
    #expect(proxy.forwarding(1) == 2)
    proxy.forwardingSlot.replaceAnswer { $0 + 2 }
    #expect(proxy.forwarding(1) == 3)
  }

  @Test func `a Sendable proxy has no member that disposes it or lists its slots`() {
    let proxy = SendablePlayerProxy(dispose: { 1 }, isDisposed: { true }, slots: { $0.count })
    #expect(proxy.dispose() == 1 && proxy.isDisposed && proxy.slots(named: "ab") == 2)
  }

  @Test(arguments: [
    ("slots(named:)", "AnyObject", "func slots(named name: String) -> [AnyProxySlot]"),
    ("forwarding", "Sendable", "var forwarding: Int { get }"),
  ])
  func `a requirement that only some proxies have as a member`(
    _ name: String, _ inherited: String, _ requirement: String
  ) {
    let declaration = "protocol P: \(inherited) {\n  \(requirement)\n}"
    expectExpansion(
      "@Proxied " + declaration, is: declaration,
      diagnostics: [
        DiagnosticSpec(
          message: "Every proxy has a member named '\(name)'. Rename the requirement.", line: 2, column: 3)
      ])
    #expect(
      members(for: requirement, of: "protocol P: \(inherited == "Sendable" ? "AnyObject" : "Sendable")").contains(
        "let "))
  }
}
#endif
