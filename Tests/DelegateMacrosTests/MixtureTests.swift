#if Macros
import DelegateMacros
import Delegates
import Streams
import StreamsTesting
import Testing

/// Requirements that mix kinds of parameters, and names with backticks.
@Proxied
protocol Mixture: AnyObject {
  func `subscript`(_ number: Int) -> Int
  func `await`(_ number: Int) -> Int
  func fetch(_ number: Int, `for` key: Int) -> Int
  func `default`() -> Int
  func add(_ total: inout Int, _ numbers: Int...)
  func note(_ text: @autoclosure () -> String, _ words: String...) -> Int
  func check(_ value: @autoclosure () throws -> Int) throws -> Int
  func count(_ value: @autoclosure () throws -> Int, _ last: Int) -> Int
}

private final class RealMixture: Mixture {
  func `subscript`(_ number: Int) -> Int { number + 1 }
  func `await`(_ number: Int) -> Int { number + 2 }
  func fetch(_ number: Int, `for` key: Int) -> Int { number * key }
  func `default`() -> Int { 7 }
  func add(_ total: inout Int, _ numbers: Int...) { total += numbers.reduce(0, +) }
  func note(_ text: @autoclosure () -> String, _ words: String...) -> Int { text().count + words.count }
  func check(_ value: @autoclosure () throws -> Int) throws -> Int { try value() }
  func count(_ value: @autoclosure () throws -> Int, _ last: Int) -> Int { ((try? value()) ?? 0) + last }
}

@Suite("Mixtures", .noLiveResources)
struct MixtureTests {
  @Test func `names with backticks have slots, which #method finds with and without backticks`() {
    let (real, proxy, bag) = (RealMixture(), MixtureProxy(), DisposeBag())
    proxy.forwardTo = real
    var log: [String] = []
    proxy.subscriptSlot.stream.observeNext { log.append("subscript \($0)") }.dispose(in: bag)
    proxy.stream(#method((any Mixture).fetch(_:for:))).observeNext { log.append("\($0) for \($1)") }.dispose(in: bag)
    proxy.stream(#method((any Mixture).`fetch`(_:for:))).observeNext { _ in log.append("fetch") }.dispose(in: bag)
    proxy.stream(#method((any Mixture).default)).observeNext { log.append("default") }.dispose(in: bag)
    let delegate: any Mixture = proxy
    #expect(delegate.subscript(1) == 2)
    #expect(delegate.`await`(1) == 3)
    #expect(delegate.fetch(2, for: 3) == 6)
    #expect(delegate.default() == 7)
    #expect(log == ["subscript 1", "2 for 3", "fetch", "default"])
    proxy.awaitSlot.replaceAnswer { $0 * 10 }
    proxy.awaitSlot.policy = .handler
    #expect(delegate.`await`(1) == 10)
  }

  @Test func `a variadic parameter beside an inout one and an autoclosure, and an autoclosure that throws`() throws {
    let (real, proxy) = (RealMixture(), MixtureProxy())
    proxy.forwardTo = real
    let delegate: any Mixture = proxy
    var total = 1
    delegate.add(&total, 2, 3)
    #expect(total == 6)
    #expect(delegate.note("four", "a", "b") == 6)
    #expect(try delegate.check(5) == 5)
    func fail() throws -> Int { throw TestError("no value") }
    #expect(throws: TestError("no value")) { try delegate.check(fail()) }
    #expect(delegate.count(try fail(), 1) == 1)
    #expect(delegate.count(2, 1) == 3)
  }
}
#endif
