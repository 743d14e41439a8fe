#if Macros
import DelegateMacros
import Streams
import StreamsTesting
import Testing

@Proxied protocol LoaderDelegate: AnyObject {
  var limit: Int { get set }
  subscript(index: Int) -> Int { get }
  func adjust(_ value: inout Int)
  func sum(_ values: Int...) -> Int
  func check() throws(ParseError)
  func wait() async throws
  @Defaulted func loader(_ loader: String, shouldRetry attempt: Int) -> Bool
  @Defaulted func loaderDidEnd(_ loader: String)
  @Defaulted var title: String { get }
  @Defaulted func size(of values: Int...) throws -> Int
  @Defaulted func later() async -> Int
  @Slot(default: 9) @Defaulted func number() -> Int
}

extension LoaderDelegate {
  func loader(_ loader: String, shouldRetry attempt: Int) -> Bool { attempt < limit }
  func loaderDidEnd(_ loader: String) { limit += 1 }
  var title: String { "limit \(limit)" }
  func size(of values: Int...) throws -> Int {
    try check()
    var size = values.count
    adjust(&size)
    return size + sum(1, 2) + self[3]
  }
  func later() async -> Int {
    try? await wait()
    return 5
  }
  func number() -> Int { 8 }
}

/// A generated proxy falls back to the defaults of a protocol extension.
@Suite(.noLiveResources) struct DefaultTests {
  @Test func `when nobody answers the extension does, and what it calls goes through the proxy`() async throws {
    var limit = 2
    var log: [String] = []
    let proxy = LoaderDelegateProxy(
      limit: { limit }, setLimit: { limit = $0 }, getSubscript: { $0 * 10 }, adjust: { $0.value *= 2 },
      sum: { $0.reduce(0, +) }, check: { () throws(ParseError) in log.append("checked") },
      wait: { log.append("waited") })
    #expect(proxy.loader("a", shouldRetry: 1))
    #expect(!proxy.loader("a", shouldRetry: 2))
    proxy.loaderDidEnd("a")
    #expect(limit == 3)
    #expect(proxy.title == "limit 3")
    #expect(try proxy.size(of: 7, 7) == 4 + 3 + 30)
    #expect(await proxy.later() == 5)
    #expect(proxy.number() == 9)
    #expect(log == ["checked", "waited"])
  }

  @Test func `a handler and a forwardee come first, and observers hear of all calls`() throws {
    final class Delegate: LoaderDelegate {
      var limit = 0
      subscript(index: Int) -> Int { 0 }
      func adjust(_ value: inout Int) {}
      func sum(_ values: Int...) -> Int { 0 }
      func check() throws(ParseError) {}
      func wait() async throws {}
      func loader(_ loader: String, shouldRetry attempt: Int) -> Bool { true }
    }
    let proxy = LoaderDelegateProxy(limit: { 0 })
    var log: [String] = []
    let subscription = proxy.shouldRetry.results.observeNext { _, attempt, answer in log.append("\(attempt) \(answer)")
    }
    #expect(!proxy.loader("a", shouldRetry: 1))
    let delegate = Delegate()
    proxy.forwardTo = delegate
    #expect(proxy.loader("a", shouldRetry: 2))
    try proxy.shouldRetry.answer { _, _ in false }
    #expect(!proxy.loader("a", shouldRetry: 3))
    #expect(log == ["1 false", "2 true", "3 false"])
    subscription.dispose()
  }
}
#endif
