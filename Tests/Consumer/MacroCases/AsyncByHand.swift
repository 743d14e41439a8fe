import Delegates
import Streams

// Proxies for asynchronous requirements, written by hand.

nonisolated final class HandBox {
  var value = 0
}

nonisolated struct HandFailure: Error {}

protocol HandDelegate: AnyObject {
  func token(for user: String) async throws -> String
  func close() async
  func size(of path: String) async -> Int
  func keep(_ box: HandBox) async
  func move(_ box: HandBox, to other: HandBox) async throws -> HandBox
  func check(_ box: HandBox) async throws(HandFailure) -> HandBox
}

nonisolated final class HandDelegateProxy: ProtocolProxy<any HandDelegate>, HandDelegate {
  let token = AsyncThrowingProxyMethod<String, String>()
  func token(for user: String) async throws -> String {
    try await call(token, user) { try await $0.token(for: user) }
  }

  let closing = AsyncProxyMethod<Void>()
  func close() async { await call(closing, ()) { await $0.close() } }

  let size = AsyncProxyMethod<Int, String>()
  func size(of path: String) async -> Int { await call(size, path, default: 0) { await $0.size(of: path) } }

  let keeping = AsyncProxyMethod<Void, HandBox>()
  func keep(_ box: HandBox) async { await call(keeping, box) { await $0.keep($1) } }

  let moving = AsyncThrowingProxyMethod<HandBox, HandBox, HandBox>()
  func move(_ box: HandBox, to other: HandBox) async throws -> HandBox {
    try await call(moving, (box, other)) { try await $0.move($1.0, to: $1.1) }
  }

  let checking = AsyncProxySlot<HandFailure, HandBox, HandBox>()
  func check(_ box: HandBox) async throws(HandFailure) -> HandBox {
    try await call(checking, box) { (delegate, box) async throws(HandFailure) in try await delegate.check(box) }
  }
}

@MainActor protocol HandScreenDelegate: AnyObject {
  func show(_ text: String) -> Bool
  func load(_ box: HandBox) async throws -> HandBox
  nonisolated func note(_ text: String)
  nonisolated func store(_ box: HandBox) async
  var title: String { get set }
  var box: HandBox { get async }
}

nonisolated final class HandScreenDelegateProxy: ProtocolProxy<any HandScreenDelegate>, HandScreenDelegate {
  let showing = ProxyMethod<Bool, String>()
  @MainActor func show(_ text: String) -> Bool { call(showing, text, default: false) { $0.show(text) } }

  let loading = AsyncThrowingProxyMethod<HandBox, HandBox>()
  @MainActor func load(_ box: HandBox) async throws -> HandBox {
    try await call(loading, box) { try await $0.load($1) }
  }

  let noting = ProxyMethod<Void, String>()
  nonisolated func note(_ text: String) { call(noting, text) { $0.note(text) } }

  let storing = AsyncProxyMethod<Void, HandBox>()
  nonisolated func store(_ box: HandBox) async { await call(storing, box) { await $0.store($1) } }

  let titleProperty = ProxyProperty<String>()
  @MainActor var title: String {
    get { call(titleProperty.getter, ()) { $0.title } }
    set { call(titleProperty.setter, newValue) { $0.title = newValue } }
  }

  let boxSlot = AsyncProxyMethod<HandBox>()
  @MainActor var box: HandBox { get async { await call(boxSlot, ()) { await $0.box } } }
}
