#if Macros
import DelegateMacros
import Streams
import StreamsTesting
import Testing

typealias Handler = (Int) -> Void
typealias Getter = () -> Int

/// Functions as parameters and values: aliases, autoclosures that throw, and functions that stay where their caller is.
@Proxied protocol FunctionTypes: AnyObject {
  typealias Change = (Int) -> Void
  func keep(_ handler: @escaping Handler)
  func measure(_ value: @autoclosure Getter) -> Int
  func change(_ change: @escaping Self.Change) -> Self.Change
  @Defaulted func guess(_ value: @autoclosure () throws -> Int) -> Int
  func mix(_ value: @autoclosure () throws -> Int, _ rest: Int...) -> Int
  func later(_ value: @autoclosure @escaping () async throws -> Int) async -> Int
  func log(_ numbers: Int...) -> Int
  func log(_ words: String...) -> Int
  func run(_ work: nonisolated(nonsending) @escaping () async -> Int) async -> Int
  var work: (nonisolated(nonsending) () async -> Int)? { get set }
}

extension FunctionTypes {
  func guess(_ value: @autoclosure () throws -> Int) -> Int { mix(try value(), 1, 2) }
}

private final class RealFunctions: FunctionTypes {
  func keep(_ handler: @escaping Handler) { handler(7) }
  func measure(_ value: @autoclosure Getter) -> Int { value() + 1 }
  func change(_ change: @escaping Change) -> Change { change }
  func mix(_ value: @autoclosure () throws -> Int, _ rest: Int...) -> Int { ((try? value()) ?? 0) + rest.count }
  func later(_ value: @autoclosure @escaping () async throws -> Int) async -> Int { (try? await value()) ?? 0 }
  func log(_ numbers: Int...) -> Int { numbers.reduce(0, +) }
  func log(_ words: String...) -> Int { words.count }
  func run(_ work: nonisolated(nonsending) @escaping () async -> Int) async -> Int { await work() + 1 }
  var work: (nonisolated(nonsending) () async -> Int)?
}

private final class FunctionDocument {
  @Intercepted func measure(_ value: @autoclosure Getter) -> Int { value() }
  @Intercepted func join(_ text: consuming String, _ numbers: consuming [Int]) -> Int {
    text.append("!")
    numbers.append(1)
    return text.count + numbers.count
  }
  @Intercepted func end(_ text: consuming String) -> String {
    text += "!"
    return text
  }
  @Intercepted func sum(_ numbers: consuming [Int], _ last: Int) async -> [Int] {
    numbers.append(last)
    return numbers
  }
  @Intercepted func add(_ _intercepted: Int) async -> Int { _intercepted + 1 }
}

@Suite(.noLiveResources) struct FunctionTypeTests {
  private let real = RealFunctions()
  private let proxy = FunctionTypesProxy()
  private var delegate: any FunctionTypes { proxy }

  init() { proxy.forwardTo = real }

  private func fail() throws -> Int { throw TestError("no value") }

  @Test func `an alias of a function type, escaping and as an autoclosure`() {
    var got: [Int] = []
    delegate.keep { got.append($0) }
    delegate.change { got.append($0) }(8)
    #expect(delegate.measure(2) == 3)
    var kept: Handler?
    let made = FunctionTypesProxy(keep: { kept = $0 })
    made.keep { got.append($0) }
    kept?(9)
    #expect(got == [7, 8, 9])
    #expect(FunctionDocument().measure(4) == 4)
  }

  @Test func `an autoclosure that throws, in a method that does not`() async {
    // A forwardee answers before a default does, so a proxy without one is asked.
    let made = FunctionTypesProxy(mix: { value, rest in ((try? value()) ?? 0) + rest.count })
    #expect(made.guess(5) == 7)
    #expect(made.guess(try fail()) == 2)
    #expect(delegate.mix(try fail(), 1, 2, 3) == 3)
    #expect(await delegate.later(4) == 4)
    #expect(await delegate.later(try fail()) == 0)
  }

  @Test func `variadic overloads`() {
    let bag = DisposeBag()
    var log: [String] = []
    proxy.logInt.stream.observeNext { log.append("\($0)") }.dispose(in: bag)
    proxy.logString.stream.observeNext { log.append("\($0)") }.dispose(in: bag)
    #expect(delegate.log(1, 2) == 3)
    #expect(delegate.log("a") == 1)
    #expect(log == ["[1, 2]", #"["a"]"#])
  }

  @Test func `a function that stays where its caller is`() async {
    #expect(await delegate.run { 4 } == 5)
    delegate.work = { 6 }
    #expect(await delegate.work?() == 6)
    let made = FunctionTypesProxy(run: { await $0() }, work: { { 7 } })
    #expect(await made.run { 8 } == 8)
    #expect(await made.work?() == 7)
  }

  @Test func `an intercepted method with consuming parameters, and with one called like what is generated`() async {
    let (document, bag) = (FunctionDocument(), DisposeBag())
    var log: [String] = []
    document.joinSlot.results.observeNext { log.append("\($0) \($1) \($2)") }.dispose(in: bag)
    #expect(document.join("a", [2]) == 4)
    #expect(log == ["a [2] 4"])
    #expect(await document.add(1) == 2)
    #expect(document.end("b") == "b!")
    #expect(await document.sum([3], 4) == [3, 4])
  }
}
#endif
