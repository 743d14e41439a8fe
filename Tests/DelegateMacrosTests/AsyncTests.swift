#if Macros
import DelegateMacros
import Streams
import StreamsTesting
import Testing

@Proxied protocol SessionDelegate: AnyObject {
  func token(for user: String, attempt: Int) async throws -> String
  func close() async
  @Slot(default: 0) func size(of path: String) async -> Int
  func check(_ text: String) async throws(ParseError) -> Int
  var name: String { get async throws }
  subscript(index: Int) -> String { get async }
  func each(_ body: @escaping (Int) async -> Void) async -> Int
}

/// Asynchronous requirements.
@Suite(.noLiveResources) @MainActor struct AsyncTests {
  final class Delegate: SessionDelegate {
    var isClosed = false
    func token(for user: String, attempt: Int) async throws -> String {
      if attempt > 1 { throw ParseError(line: attempt) }
      await Task.yield()
      return "token of \(user)"
    }
    func close() async { isClosed = true }
    func size(of path: String) async -> Int { path.count }
    func check(_ text: String) async throws(ParseError) -> Int {
      if text.isEmpty { throw ParseError(line: 7) }
      return text.count
    }
    var name: String { get async throws { "delegate" } }
    subscript(index: Int) -> String { get async { "\(index)" } }
    func each(_ body: @escaping (Int) async -> Void) async -> Int {
      await body(1)
      return 1
    }
  }

  @Test func `calls are forwarded and observed`() async throws {
    let proxy = SessionDelegateProxy()
    let delegate = Delegate()
    proxy.forwardTo = delegate
    let bag = DisposeBag()
    var log: [String] = []
    proxy.token.results.observeNext { user, attempt, token in log.append("\(user) \(attempt) \(token)") }.dispose(
      in: bag)
    proxy.stream(#method((any SessionDelegate).close)).observeNext { log.append("closed") }.dispose(in: bag)
    #expect(try await proxy.token(for: "a", attempt: 1) == "token of a")
    await #expect(throws: ParseError(line: 2)) { try await proxy.token(for: "a", attempt: 2) }
    await proxy.close()
    #expect(delegate.isClosed)
    #expect(await proxy.size(of: "abc") == 3)
    #expect(try await proxy.name == "delegate")
    #expect(await proxy[4] == "4")
    #expect(await proxy.each { log.append("body \($0)") } == 1)
    #expect(log == ["a 1 token of a", "closed", "body 1"])
    do throws(ParseError) {
      _ = try await proxy.check("")
      Issue.record("It does not throw")
    } catch {
      #expect(error.line == 7)
    }
  }

  @Test func `a proxy is made of asynchronous closures`() async throws {
    var isClosed = false
    let proxy = SessionDelegateProxy(
      token: { user, attempt in
        await Task.yield()
        return "\(user) \(attempt)"
      }, close: { isClosed = true }, check: { (text) throws(ParseError) in text.count })
    #expect(try await proxy.token(for: "a", attempt: 2) == "a 2")
    #expect(try await proxy.check("ab") == 2)
    #expect(await proxy.size(of: "abc") == 0)
    await proxy.close()
    #expect(isClosed)
  }
}
#endif
