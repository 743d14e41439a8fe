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

@Proxied protocol Selfie: AnyObject {
  func selfie(_ selfie: any Selfie, self row: Int)
}

@Proxied protocol SendableSelfie: Sendable {
  func taskSelf(_ task: Int) -> Int
}

#if compiler(>=6.3)
extension Namesakes.Quota {
  func limit(_ user: Int) -> Namesakes.LimitDefault { Namesakes.LimitDefault(value: user) }
}

/// Types and parameters with the names that the generated code uses.
enum Namesakes {
  struct ProtocolProxy {}
  struct SendableProxy {}
  struct NamedSlots {}
  struct AnyProxySlot {}
  struct ProxyMethod {}
  struct ProxyProperty {}
  struct AsyncThrowingProxyMethod {}
  struct SendableProxyMethod {}
  struct Forwarding {}
  struct InOut {}
  struct MethodName {}
  struct Swift {}
  struct LimitDefault: Equatable {
    var value = 3
  }

  /// The class that calls the implementation of the extension is not called like a type of a requirement.
  @Proxied protocol Quota: AnyObject {
    @Defaulted func limit(_ user: Int) -> LimitDefault
    func apply(_ limits: LimitDefault)
  }

  @Proxied protocol Door: AnyObject {
    var width: Double { get set }
    func open(_ spreading: Int...)
    func close(withoutActuallyEscaping: () -> Int) -> Int
    func turn(_ angle: inout Int)
    func lock(_ turns: Int)
    @MainActor func paint(_ text: String) async throws
  }

  @Proxied protocol SendableDoor: Sendable {
    func knock(_ count: Int) -> Bool
  }

  final class House {
    @Intercepted func enter(_ withoutActuallyEscaping: () -> Int) -> Int { withoutActuallyEscaping() + 1 }
  }
}
#endif

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

  @Test func `a method whose slot would be called self`() {
    var calls: [Int] = []
    let proxy = SelfieProxy(selfSlot: { calls.append($1) })
    proxy.selfie(proxy, self: 1)
    #expect(calls == [1])
    #expect(SendableSelfieProxy(selfSlot: { $0 + 1 }).taskSelf(3) == 4)
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

  #if compiler(>=6.3)
  @Test func `types and parameters of the user have the names that the generated code uses`() {
    var calls: [String] = []
    let proxy = Namesakes.DoorProxy(
      setWidth: { calls.append("\($0)") }, open: { calls.append("\($0)") }, close: { $0() + 1 },
      turn: { $0.value += 1 }, lock: { calls.append("lock \($0)") })
    let locked = proxy.slot(for: #method(Namesakes.DoorProxy.lock(_:))).stream.record()
    proxy.width = 2
    proxy.open(1, 2)
    var angle = 3
    proxy.turn(&angle)
    proxy.lock(4)
    #expect(calls == ["2.0", "[1, 2]", "lock 4"] && angle == 4 && proxy.close(withoutActuallyEscaping: { 5 }) == 6)
    #expect(locked.elements.count == 1)
    #expect(Namesakes.SendableDoorProxy(knock: { $0 > 1 }).knock(2))
    let house = Namesakes.House()
    #expect(house.enter({ 7 }) == 8)
    locked.dispose()
    #expect(Namesakes.QuotaProxy().limit(1) == Namesakes.LimitDefault(value: 1))
  }
  #endif

  @Test func `a method that is called like the slot of a subscript has another slot`() {
    #expect(
      slotNames("subscript(row: Int) -> Int { get }", "func subscriptGetter(_ x: Int) -> Int")
        == ["subscriptInt", "subscriptGetterInt"])
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
