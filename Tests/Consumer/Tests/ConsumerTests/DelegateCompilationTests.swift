import Foundation
import Testing

/// Code with delegates that must compile in Swift 6 mode, and code that must not.
@Suite("Compilation of delegates")
struct DelegateCompilationTests {
  static let model = """
    import Headwater
    protocol Watcher: AnyObject {
      func didRead(_ bytes: Int)
      func mayGoOn(_ bytes: Int, _ text: String) -> Bool
    }
    final class Source { weak var watcher: (any Watcher)? }
    ATTRIBUTES final class WatcherProxy: ProtocolProxy<any Watcher>, Watcher {
      let didReading = ProxyMethod<Void, Int>()
      func didRead(_ bytes: Int) { call(didReading, bytes) { $0.didRead(bytes) } }
      let going = ProxyMethod<Bool, Int, String>()
      func mayGoOn(_ bytes: Int, _ text: String) -> Bool { call(going, (bytes, text)) { $0.mayGoOn(bytes, text) } }
    }
    """

  static func source(_ statement: String, attributes: String = "") -> String {
    """
    \(model.replacing("ATTRIBUTES ", with: attributes))
    @MainActor func test(_ source: Source) throws {
      let proxy = WatcherProxy.install(on: source, at: \\.watcher)
      \(statement)
    }
    """
  }

  @Test(arguments: [
    ("try proxy.going.answer { bytes, text in text.isEmpty }", "try proxy.going.answer { bytes, text in bytes }"),
    (
      "_ = proxy.going.results.observeNext { (bytes: Int, text: String, answer: Bool) in }",
      "_ = proxy.going.results.observeNext { (bytes: Int, answer: Bool) in }"
    ),
    (
      "_ = try proxy.going.stream { (push: PushStream<Int>, bytes, text) in push.next(bytes); return true }",
      "_ = try proxy.going.stream { (push: PushStream<Int>, bytes, text) in push.next(text); return true }"
    ),
    (
      "try proxy.going.feed(Property(1)) { most, bytes, _ in bytes < most }",
      "try proxy.going.feed(Property(\"\")) { most, bytes, _ in bytes < most }"
    ),
    ("try proxy.didReading.answer { _ in }", "proxy.didReading.answer { _ in }"),
    (
      "proxy.didReading.replaceAnswer { print($0) }",
      "proxy.didReading.replaceAnswer { (text: String) in print(text) }"
    ),
  ])
  func `what fits the requirement compiles, what does not is refused`(_ right: String, _ wrong: String) async throws {
    let accepted = try await Compiler.check(Self.source(right))
    #expect(accepted.accepts, "\(accepted.output)")
    #expect(try await !Compiler.check(Self.source(wrong)).accepts)
  }

  @Test(arguments: ["@MainActor ", "nonisolated "])
  func `a proxy serves the main actor or any domain`(_ attributes: String) async throws {
    let source = Self.source("_ = proxy.didReading.stream.observeNext { print($0) }", attributes: attributes)
    let protocolOfMain = source.replacing("protocol Watcher", with: "@MainActor protocol Watcher")
    let result = try await Compiler.check(attributes == "@MainActor " ? protocolOfMain : source)
    #expect(result.accepts, "\(result.output)")
  }

  @Test(arguments: ["proxy", "proxy.going", "proxy.didReading.stream"])
  func `a proxy and its slots stay in their domain`(_ value: String) async throws {
    let result = try await Compiler.check(
      Self.source("let value = \(value)\n  let run: @Sendable () -> Void = { _ = value }\n  run()"))
    #expect(!result.accepts)
    #expect(result.output.contains("non-Sendable") || result.output.contains("data race"), "\(result.output)")
  }

  @Test(arguments: [
    "_ = Lifetime.of(object)", "_ = ticks.take(duringLifetimeOf: object)",
  ])
  func `an object that cannot tell how long it lives is refused, with what to add`(_ statement: String) async throws {
    func source(_ conformance: String) -> String {
      """
      import Headwater
      final class Model\(conformance.isEmpty ? "" : ": LifetimeProviding") {
        \(conformance)
      }
      func test(_ object: Model, _ ticks: Stream<Int>) { \(statement) }
      """
    }
    let refused = try await Compiler.check(source(""))
    #expect(!refused.accepts)
    #expect(
      refused.output.contains("keep a Lifetime.Token in it and conform to LifetimeProviding"), "\(refused.output)")
    let token = "private let token = Lifetime.Token()\n  var lifetime: Lifetime { Lifetime(token) }"
    let result = try await Compiler.check(source(token))
    #expect(result.accepts, "\(result.output)")
  }
}
