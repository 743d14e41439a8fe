import Delegates
import Streams

// Protocols with every kind of requirement, and their proxies.

protocol Named: AnyObject {
  func name(_ index: Int) -> String
}

struct Refused: Error, Equatable {
  let code: Int
}

/// A protocol with inherited, throwing, and asynchronous requirements, with properties, and with a default.
protocol Session: Named {
  var title: String { get set }
  var limit: Int { get }
  func open(_ path: String) throws -> Int
  func check(_ code: Int) throws(Refused) -> Int
  func load(_ path: String, retries: Int) async throws -> String
  func close()
  func adjust(_ value: inout Int)
  func visit(_ body: () -> Void)
  func remember(_ body: @escaping () -> Void)
  subscript(_ index: Int) -> String { get }
  func isOptional(_ value: Int) -> String
}

extension Session {
  func isOptional(_ value: Int) -> String { "default \(value)" }
}

final class SessionProxy: ProtocolProxy<any Session>, Session {
  let nameOfIndex = ProxyMethod<String, Int>()
  func name(_ index: Int) -> String { call(nameOfIndex, index) { $0.name(index) } }

  let titleProperty = ProxyProperty<String>()
  var title: String {
    get { call(titleProperty.getter, ()) { $0.title } }
    set { call(titleProperty.setter, newValue) { $0.title = newValue } }
  }

  let limitProperty = ProxyMethod<Int>()
  var limit: Int { call(limitProperty, (), default: 10) { $0.limit } }

  let opening = ThrowingProxyMethod<Int, String>()
  func open(_ path: String) throws -> Int { try call(opening, path) { try $0.open(path) } }

  let checking = ProxySlot<Refused, Int, Int>()
  func check(_ code: Int) throws(Refused) -> Int {
    try call(checking, code) { (session) throws(Refused) in try session.check(code) }
  }

  let loading = AsyncThrowingProxyMethod<String, String, Int>()
  func load(_ path: String, retries: Int) async throws -> String {
    try await call(loading, (path, retries)) { try await $0.load(path, retries: retries) }
  }

  let closing = ProxyMethod<Void>()
  func close() { call(closing, ()) { $0.close() } }

  let adjusting = ProxyMethod<Void, Int>()
  func adjust(_ value: inout Int) { call(adjusting, value) { $0.adjust(&value) } }

  let visiting = ProxyMethod<Void>()
  func visit(_ body: () -> Void) { call(visiting, ()) { $0.visit(body) } }

  let remembering = ProxyMethod<Void, () -> Void>()
  func remember(_ body: @escaping () -> Void) { call(remembering, body) { $0.remember(body) } }

  let subscripting = ProxyMethod<String, Int>()
  subscript(_ index: Int) -> String { call(subscripting, index) { $0[index] } }

  let optional = ProxyMethod<String, Int>()
  func isOptional(_ value: Int) -> String {
    call(optional, value, default: "default of the proxy") { $0.isOptional(value) }
  }
}

/// An implementation that leaves `isOptional` to the default of the protocol.
final class RealSession: Session {
  var title = "real"
  var limit = 3
  var log: [String] = []
  func name(_ index: Int) -> String { "name \(index)" }
  func open(_ path: String) throws -> Int {
    if path.isEmpty { throw Refused(code: 1) }
    return path.count
  }
  func check(_ code: Int) throws(Refused) -> Int {
    if code < 0 { throw Refused(code: code) }
    return code
  }
  func load(_ path: String, retries: Int) async throws -> String {
    await Task.yield()
    if retries == 0 { throw Refused(code: 2) }
    return path + "!"
  }
  func close() { log.append("close") }
  func adjust(_ value: inout Int) { value += 1 }
  func visit(_ body: () -> Void) { body() }
  func remember(_ body: @escaping () -> Void) { body() }
  subscript(_ index: Int) -> String { "item \(index)" }
}

@MainActor protocol Screen: AnyObject {
  func show(_ text: String) -> Bool
  nonisolated func note(_ text: String)
}

nonisolated final class ScreenProxy: ProtocolProxy<any Screen>, Screen {
  let showing = ProxyMethod<Bool, String>()
  @MainActor func show(_ text: String) -> Bool { call(showing, text, default: false) { $0.show(text) } }

  let noting = ProxyMethod<Void, String>()
  nonisolated func note(_ text: String) { call(noting, text) { $0.note(text) } }
}

/// A protocol with a primary associated type, as another module declares it.
protocol Table<Row>: AnyObject {
  associatedtype Row
  func select(_ row: Row) -> Bool
}

final class TableProxy<Row>: ProtocolProxy<any Table<Row>>, Table {
  let selecting = ProxyMethod<Bool, Row>()
  func select(_ row: Row) -> Bool { call(selecting, row, default: true) { $0.select(row) } }
}
