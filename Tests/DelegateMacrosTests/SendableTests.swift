#if Macros
import DelegateMacros
import Dispatch
import Streams
import StreamsTesting
import TestSupport
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private struct Unknown: Error, Equatable {}

@Proxied private protocol ChannelDelegate: AnyObject, Sendable {
  func channel(_ channel: String, didReceive bytes: Int)
  func channelDidEnd()
  @Slot(default: false) func channel(_ channel: String, mayRetry attempt: Int) -> Bool
  @Defaulted func priority(of name: String) -> Int
  @Defaulted func user(for name: String) async -> String
  func check(_ name: String) throws(Unknown) -> Int
  func token(for name: String, _ attempt: Int) async throws -> String
  var limit: Int { get set }
  @Slot("item") subscript(_ index: Int) -> String { get }
}

extension ChannelDelegate {
  func priority(of name: String) -> Int { name.count + limit }
  func user(for name: String) async -> String { "nobody for \(name)" }
}

@Proxied private protocol AccountDelegate: AnyObject, Sendable {
  func session() async -> Int
  func renew() async throws(Unknown) -> Int
  @Slot(default: 3) func retries() async -> Int
  var name: String { get async }
  func close() async
}

/// The proxy that `@Proxied` generates for a protocol that inherits from `Sendable`.
@Suite(.noLiveResources) struct SendableTests {
  @Test func `every kind of requirement is answered on any thread`() async throws {
    let proxy = ChannelDelegateProxy(
      check: { name throws(Unknown) in
        if name == "bad" { throw Unknown() }
        return 1
      }, token: { name, attempt in "\(name) \(attempt)" },
      limit: { 3 }, getItem: { "item \($0)" })
    try await onOwnThread {
      let delegate: any ChannelDelegate = proxy
      delegate.channelDidEnd()
      #expect(!delegate.channel("a", mayRetry: 1))
      // The default asks the proxy for the limit.
      #expect(delegate.priority(of: "four") == 7)
      #expect(throws: Unknown()) { try delegate.check("bad") }
      #expect(delegate[4] == "item 4")
      delegate.limit = 9
    }
    #expect(await proxy.user(for: "me") == "nobody for me")
    #expect(try await proxy.token(for: "a", 2) == "a 2")
    #expect(throws: SlotOccupied(slot: "ChannelDelegateProxy.check")) { try proxy.check.answer { _ in 2 } }
    let second = ChannelDelegateProxy(
      user: { "user of \($0)" }, setLimit: { #expect($0 == 9) })
    proxy.forwardTo = second
    proxy.limit = 9
    #expect(await proxy.user(for: "me") == "user of me")
  }

  @Test func `asynchronous requirements without arguments`() async throws {
    let proxy = AccountDelegateProxy(session: { 1 }, renew: { () throws(Unknown) in throw Unknown() })
    #expect(await proxy.session() == 1)
    await #expect(throws: Unknown()) { try await proxy.renew() }
    #expect(await proxy.retries() == 3)
    let forwardee = AccountDelegateProxy(name: { "forwarded" })
    proxy.forwardTo = forwardee
    #expect(await proxy.name == "forwarded")
  }

  @Test func `a forwardee that another one removes does not receive the call that is under way`() async throws {
    let received = Lock<[String]>([])
    let places = Lock<[any Disposable]>([])
    func removing(_ name: String) -> @Sendable () -> Void {
      {
        received.withLock { $0.append(name) }
        for place in places.withLock({ $0 }) { place.dispose() }
      }
    }
    let (proxy, account) = (ChannelDelegateProxy(), AccountDelegateProxy())
    let (first, second) = (
      ChannelDelegateProxy(channelDidEnd: removing("first")), ChannelDelegateProxy(channelDidEnd: removing("second"))
    )
    let (third, fourth) = (
      AccountDelegateProxy(close: removing("third")), AccountDelegateProxy(close: removing("fourth"))
    )
    proxy.addForwardee(first)
    account.addForwardee(third)
    places.withLock { $0 = [proxy.addForwardee(second), account.addForwardee(fourth)] }
    proxy.channelDidEnd()
    await account.close()
    #expect(received.withLock { $0 } == ["first", "third"])
    places.withLock { $0 = [] }
  }

  @Test @MainActor func `calls come home`() async throws {
    let proxy = ChannelDelegateProxy()
    var received: [String] = []
    let bag = DisposeBag()
    await withCheckedContinuation { done in
      proxy.didReceive.stream(capacity: 100, whenFull: .dropNewest).observeNext { name, bytes in
        received.append("\(name) \(bytes)")
        if bytes == 3 { done.resume() }
      }.dispose(in: bag)
      DispatchQueue.global().async { for number in 1...3 { proxy.channel("a", didReceive: number) } }
    }
    #expect(received == ["a 1", "a 2", "a 3"])
  }

  @Test func `the class that is generated`() {
    expectExpansion(
      """
      @Proxied
      public protocol TransferDelegate: AnyObject, Sendable {
        func transfer(_ transfer: Transfer, shouldRetry attempt: Int) -> Bool
        func load(_ name: String) async throws -> Int
        var limit: Int { get set }
      }
      """,
      is: """
        public protocol TransferDelegate: AnyObject, Sendable {
          func transfer(_ transfer: Transfer, shouldRetry attempt: Int) -> Bool
          func load(_ name: String) async throws -> Int
          var limit: Int { get set }
        }

        /// A proxy for `TransferDelegate`, with a slot for each requirement.
        nonisolated public final class TransferDelegateProxy: DelegateMacros::SendableProxy, TransferDelegate {
          /// The forwardees.
          public let forwarding = DelegateMacros::Forwarding<any TransferDelegate>()

          /// The slot of `transfer(_:shouldRetry:)`.
          public let shouldRetry = DelegateMacros::SendableProxyMethod<Bool, Transfer, Int>("shouldRetry")
          public func transfer(_ transfer: Transfer, shouldRetry attempt: Int) -> Bool {
            self.call(self.shouldRetry, (transfer, attempt)) { $0.transfer(transfer, shouldRetry: attempt) }
          }

          /// The slot of `load(_:)`.
          public let load = DelegateMacros::SendableAsyncThrowingProxyMethod<Int, String>("load")
          public func load(_ name: String) async throws -> Int {
            try await self.call(self.load, (name)) { try await $0.load($1) }
          }

          /// The slots of `limit`.
          public let limitSlot = DelegateMacros::SendableProxyProperty<Int>("limitSlot")
          public var limit: Int {
            get { self.call(self.limitSlot.getter, ()) { $0.limit } }
            set { self.call(self.limitSlot.setter, (newValue)) { $0.limit = newValue } }
          }

          /// Creates a proxy that answers with the given closures.
          public init(
            shouldRetry: (@Sendable (Transfer, Int) -> Bool)? = nil,
            load: (@Sendable (String) async throws -> Int)? = nil,
            limit: (@Sendable () -> Int)? = nil,
            setLimit: (@Sendable (Int) -> Void)? = nil
          ) {
            if let shouldRetry { self.shouldRetry.replaceAnswer { (argument0, argument1) -> Bool in shouldRetry(argument0, argument1) } }
            if let load { self.load.replaceAnswer { (argument0) async throws -> Int in try await load(argument0) } }
            if let limit { self.limitSlot.getter.replaceAnswer { () -> Int in limit() } }
            if let setLimit { self.limitSlot.setter.replaceAnswer { (argument0) -> Void in setLimit(argument0) } }
          }
        }
        """)
  }

  @Test func `arguments that cannot go to another thread`() {
    let source =
      "protocol P: AnyObject, Sendable {\n  func each(_ body: (Int) -> Void)\n  func change(_ value: inout Int)\n}"
    expectExpansion(
      "@Proxied \(source)", is: source,
      diagnostics: [
        DiagnosticSpec(
          message: """
            The arguments of a Sendable protocol reach other threads, but a closure that does not escape is valid only during the call. Make \
            it @escaping @Sendable.
            """, line: 2, column: 3),
        DiagnosticSpec(
          message: """
            The arguments of a Sendable protocol reach other threads, but an inout argument can change only during the call. \
            Return the new value.
            """, line: 3, column: 3),
      ])
  }
}
#endif
