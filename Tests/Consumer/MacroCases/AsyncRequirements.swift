import DelegateMacros

// Asynchronous requirements, with arguments and results that are not Sendable.

nonisolated final class SessionBox {
  var value = 0
}

nonisolated struct SessionFailure: Error {}

@Proxied protocol SessionDelegate: AnyObject {
  func token(for user: String, attempt: Int) async throws -> String
  func move(_ box: SessionBox, to other: SessionBox) async throws -> SessionBox
  func keep(_ box: SessionBox) async
  func check(_ box: SessionBox) async throws(SessionFailure) -> SessionBox
  func place(_ pair: (SessionBox, Int)) async -> (SessionBox, Int)
  func adjust(_ box: inout Int) async
  func each(_ body: @escaping (Int) async -> Void) async -> Int
  func close() async
  @Slot(default: 0) func size(of path: String) async -> Int
  @Defaulted func open(_ box: SessionBox, _ count: Int) async throws -> SessionBox
  @Defaulted func flush(_ box: SessionBox) async throws(SessionFailure)
  @Defaulted var last: SessionBox { get async }
  var name: String { get async throws }
  var box: SessionBox { get async }
  subscript(index: Int) -> SessionBox { get async throws(SessionFailure) }
}

extension SessionDelegate {
  func open(_ box: SessionBox, _ count: Int) async throws -> SessionBox { box }
  func flush(_ box: SessionBox) async throws(SessionFailure) {}
  var last: SessionBox { get async { SessionBox() } }
}

func makeSessionDelegate(_ log: @escaping (String) -> Void) -> SessionDelegateProxy {
  let proxy = SessionDelegateProxy(
    token: { user, attempt in
      await Task.yield()
      return "\(user) \(attempt)"
    }, move: { _, other in other }, close: { log("closed") })
  proxy.size.replaceAnswer { path in path.count }
  proxy.token.replaceAnswer { call in "\(call.0) \(call.1)" }
  return proxy
}

nonisolated final class SessionForwardee: SessionDelegate {
  func token(for user: String, attempt: Int) async throws -> String { "\(user) \(attempt)" }
  func move(_ box: SessionBox, to other: SessionBox) async throws -> SessionBox { other }
  func keep(_ box: SessionBox) async { box.value += 1 }
  func check(_ box: SessionBox) async throws(SessionFailure) -> SessionBox { box }
  func place(_ pair: (SessionBox, Int)) async -> (SessionBox, Int) { (pair.0, pair.1 + 1) }
  func adjust(_ box: inout Int) async { box += 1 }
  func each(_ body: @escaping (Int) async -> Void) async -> Int {
    await body(1)
    return 1
  }
  func close() async {}
  func size(of path: String) async -> Int { path.count }
  var name: String { get async throws { "name" } }
  var box: SessionBox { get async { SessionBox() } }
  subscript(index: Int) -> SessionBox { get async throws(SessionFailure) { SessionBox() } }
}

func useSessionDelegate() async throws -> [String] {
  var lines: [String] = []
  let (proxy, forwardee) = (SessionDelegateProxy(), SessionForwardee())
  proxy.forwardTo = forwardee
  let box = try await proxy.move(SessionBox(), to: SessionBox())
  await proxy.keep(box)
  lines.append("\(try await proxy.token(for: "a", attempt: 2)) \(try await proxy.check(box).value)")
  lines.append("\(await proxy.place((box, 1)).1) \(await proxy.each { _ in })")
  var number = 1
  await proxy.adjust(&number)
  await proxy.close()
  lines.append("\(number) \(await proxy.size(of: "abc")) \(try await proxy.open(box, 1).value)")
  try await proxy.flush(box)
  lines.append("\(await proxy.last.value) \(try await proxy.name) \(await proxy.box.value) \(try await proxy[1].value)")
  return lines
}
