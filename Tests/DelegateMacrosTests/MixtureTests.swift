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

/// Names that are raw identifiers.
@Proxied
protocol `Raw names`: AnyObject {
  func `row was selected`(_ `the row`: Int)
  func `3 items`(_ number: Int, `at place`: String) -> Int
  func change(_ `the value`: inout Int)
  var `a value`: Int { get set }
  @Defaulted func `a "quoted" name`(_ number: Int) -> Int
}

extension `Raw names` {
  func `a "quoted" name`(_ number: Int) -> Int { number + 7 }
}

private final class RawDocument {
  @Intercepted func `save all`(`to path` path: String) -> Int { path.count }
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

  @Test func `names that are raw identifiers have slots without spaces`() {
    let (bag, document) = (DisposeBag(), RawDocument())
    let proxy = `Raw namesProxy`(_3Items: { number, _ in number + 1 }, change: { $0.value += 1 }, aValue: { 3 })
    var log: [String] = []
    proxy.rowWasSelected.stream.observeNext { log.append("row \($0)") }.dispose(in: bag)
    proxy.stream(#method((any `Raw names`).`a "quoted" name`(_:))).observeNext { log.append("quoted \($0)") }
      .dispose(in: bag)
    document.saveAllToPathSlot.stream.observeNext { log.append("save \($0)") }.dispose(in: bag)
    let delegate: any `Raw names` = proxy
    delegate.`row was selected`(1)
    var value = 1
    delegate.change(&value)
    #expect(value == 2)
    #expect(delegate.`3 items`(1, `at place`: "") == 2)
    #expect(delegate.`a value` == 3)
    #expect(delegate.`a "quoted" name`(1) == 8)
    #expect(document.`save all`(`to path`: "here") == 4)
    #expect(log == ["row 1", "quoted 1", "save here"])
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
