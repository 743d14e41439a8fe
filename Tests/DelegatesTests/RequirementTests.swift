import Delegates
import Properties
import Streams
import StreamsTesting
import Testing

/// Each kind of requirement, called through its slot.
@Suite(.noLiveResources) struct RequirementTests {
  let proxy = SessionProxy()
  let real = RealSession()
  let bag = DisposeBag()

  @Test func `an inherited requirement`() throws {
    try proxy.nameOfIndex.answer { "answer \($0)" }
    #expect((proxy as any Named).name(3) == "answer 3")
    #expect(proxy.name(4) == "answer 4")
  }

  @Test func `a property is fed, observed and forwarded`() throws {
    let title = Property("fed")
    var set: [String] = []
    proxy.titleProperty.stream.observeNext { set.append($0) }.dispose(in: bag)
    let feeding = try proxy.titleProperty.feed(title)
    #expect(proxy.title == "fed")
    proxy.title = "new"
    #expect(title.value == "new")
    #expect(throws: SlotOccupied.self) { try proxy.titleProperty.feed(title) }
    feeding.dispose()
    proxy.forwardTo = real
    #expect(proxy.title == "real")
    proxy.title = "newer"
    #expect(real.title == "newer")
    #expect(set == ["new", "newer"])
    #expect(proxy.limit == 3)
    proxy.forwardTo = nil
    #expect(proxy.limit == 10)
  }

  @Test func `a method that throws`() throws {
    var outcomes: [String] = []
    var calls = 0
    proxy.opening.outcomes.observeNext { path, outcome in outcomes.append("\(path): \((try? outcome.get()) ?? -1)") }
      .dispose(in: bag)
    proxy.opening.stream.observeNext { _ in calls += 1 }.dispose(in: bag)
    proxy.forwardTo = real
    #expect(try proxy.open("abc") == 3)
    #expect(throws: Refused(code: 1)) { try proxy.open("") }
    let handler = try proxy.opening.answer { _ in throw Refused(code: 9) }
    #expect(throws: Refused(code: 9)) { try proxy.open("abc") }
    handler.dispose()
    #expect(try proxy.open("ab") == 2)
    #expect(outcomes == ["abc: 3", ": -1", "abc: -1", "ab: 2"])
    #expect(calls == 4)
  }

  @Test func `a method with a typed error`() {
    proxy.forwardTo = real
    #expect(outcome(-5) == .failure(Refused(code: -5)))
    #expect(outcome(5) == .success(5))
    proxy.checking.replaceAnswer { code throws(Refused) in throw Refused(code: code * 2) }
    #expect(outcome(4) == .failure(Refused(code: 8)))
  }

  private func outcome(_ code: Int) -> Result<Int, Refused> {
    do throws(Refused) { return .success(try proxy.check(code)) } catch { return .failure(error) }
  }

  @Test func `an asynchronous method`() async throws {
    var seen: [String] = []
    proxy.loading.willInvoke.observeNext { path, retries in seen.append("will \(path) \(retries)") }.dispose(in: bag)
    proxy.loading.results.observeNext { _, _, result in seen.append(result) }.dispose(in: bag)
    proxy.loading.stream.observeNext { path, _ in seen.append("did \(path)") }.dispose(in: bag)
    var outcomes: [String?] = []
    proxy.loading.outcomes.observeNext { _, _, outcome in outcomes.append(try? outcome.get()) }.dispose(in: bag)
    var count = 0
    proxy.loading.trigger.observeNext { count += 1 }.dispose(in: bag)
    proxy.forwardTo = real
    #expect(try await proxy.load("a", retries: 1) == "a!")
    await #expect(throws: Refused(code: 2)) { try await proxy.load("b", retries: 0) }
    try proxy.loading.answer { path, retries in
      await Task.yield()
      return "\(path) \(retries)"
    }
    #expect(throws: SlotOccupied.self) { try proxy.loading.answer { _, _ in "" } }
    #expect(try await proxy.load("c", retries: 7) == "c 7")
    #expect(seen == ["will a 1", "a!", "did a", "will b 0", "did b", "will c 7", "c 7", "did c"])
    #expect(outcomes == ["a!", nil, "c 7"])
    #expect(count == 3)
  }

  @Test func `an asynchronous method is fed, and has the dispatch form`() async throws {
    let suffix = Property("?")
    let feeding = try proxy.loading.feed(suffix) { suffix, call in call.0 + suffix }
    #expect(try await proxy.load("a", retries: 1) == "a?")
    suffix.value = "!"
    #expect(try await proxy.load("a", retries: 1) == "a!")
    #expect(throws: SlotOccupied.self) {
      _ = try proxy.loading.stream { (_: PushStream<Int>, _) in "" }
    }
    feeding.dispose()
    var seen: [Int] = []
    let retries = try proxy.loading.stream { push, call in
      await Task.yield()
      push.next(call.1)
      return "\(call.1)"
    }
    let subscription = retries.observeNext { seen.append($0) }
    #expect(try await proxy.load("a", retries: 3) == "3")
    #expect(seen == [3])
    subscription.dispose()
  }

  @Test func `each handler of an asynchronous method may be replaced`() async throws {
    let first = try proxy.loading.stream { (_: PushStream<Int>, _) in "first" }.record()
    let second = proxy.loading.replaceStream { (_: PushStream<Int>, _) in "second" }.record()
    #expect(first.isCompleted && !second.isCompleted)
    #expect(try await proxy.load("a", retries: 1) == "second")
    proxy.loading.replaceFeed(Property("fed")) { value, call in "\(value) \(call.0)" }
    #expect(second.isCompleted)
    #expect(try await proxy.load("a", retries: 1) == "fed a")
  }

  @Test func `methods without arguments, with inout, with closures, and subscripts`() throws {
    var closed = 0
    var adjusted: [Int] = []
    proxy.closing.stream.observeNext { closed += 1 }.dispose(in: bag)
    proxy.adjusting.stream.observeNext { adjusted.append($0) }.dispose(in: bag)
    proxy.close()
    proxy.forwardTo = real
    proxy.close()
    #expect(closed == 2)
    #expect(real.log == ["close"])
    var value = 4
    proxy.adjust(&value)
    #expect(value == 5)
    var visits = 0
    proxy.visit { visits += 1 }
    proxy.remember { visits += 1 }
    #expect(visits == 2)
    #expect(proxy[3] == "item 3")
    try proxy.subscripting.answer { "answer \($0)" }
    #expect(proxy[3] == "answer 3")
    try proxy.closing.answer { closed += 10 }
    proxy.close()
    #expect(closed == 13)
    #expect(adjusted.count == 1)
  }

  @Test func `what a protocol extension does by default goes on working`() throws {
    proxy.forwardTo = real
    #expect(proxy.isOptional(1) == "default 1")
    proxy.forwardTo = nil
    #expect(proxy.isOptional(1) == "default of the proxy")
    try proxy.optional.answer { "answer \($0)" }
    #expect(proxy.isOptional(1) == "answer 1")
  }

  @Test func `a protocol with an associated type`() throws {
    let proxy = TableProxy<Int>()
    try proxy.selecting.answer { $0 > 3 }
    let table: any Table<Int> = proxy
    #expect(table.select(4))
    #expect(!table.select(3))
  }

  @Test func `slots know their names and their order`() {
    #expect(
      proxy.slots.map(\.name).prefix(4) == [
        "SessionProxy.nameOfIndex", "SessionProxy.titleProperty.get", "SessionProxy.titleProperty.set",
        "SessionProxy.limitProperty",
      ])
    #expect(proxy.slots.count == 13)
  }
}

/// A protocol that is isolated to the main actor.
@Suite(.noLiveResources) struct MainActorRequirementTests {
  @Test @MainActor func `a protocol of the main actor`() throws {
    let proxy = ScreenProxy()
    let bag = DisposeBag()
    var shown: [String] = []
    proxy.showing.stream.observeNext { shown.append($0) }.dispose(in: bag)
    proxy.noting.stream.observeNext { shown.append($0) }.dispose(in: bag)
    #expect(!proxy.show("a"))
    try proxy.showing.answer { $0 == "b" }
    #expect(proxy.show("b"))
    (proxy as any Screen).note("c")
    #expect(shown == ["a", "b", "c"])
    bag.dispose()
  }
}
