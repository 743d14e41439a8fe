import Streams
import StreamsTesting
import Testing

/// Operators with the names of the standard library: the behavior that the tables do not show.
@Suite(.noLiveResources)
struct StandardNameTests {
  private typealias Numbers = Streams.Operation<Int, TestError>

  @Test func `prefix(while:) and take(while:) end an endless source`() {
    var log: [String] = []
    Stream.sequence(1...).prefix { $0 < 3 }.observe { log.append("\($0)") }.dispose()
    Stream.sequence(1...).take { $0 < 2 }.observe { log.append("\($0)") }.dispose()
    #expect(log == ["next(1)", "next(2)", "completed", "next(1)", "completed"])
  }

  @Test func `drop(while:) asks no more after the first that stays, for each observer anew`() {
    var asked = 0
    let stream = Stream.sequence([1, 3, 2, 1]).skip {
      asked += 1
      return $0 % 2 == 1
    }
    for _ in 0..<2 {
      var elements: [Int] = []
      stream.observeNext { elements.append($0) }.dispose()
      #expect(elements == [2, 1])
    }
    #expect(asked == 6)
    #expect(events(Stream.sequence([1, 2, 3]).dropFirst()) == ["next(2)", "next(3)", "completed"])
  }

  @Test func `scan(into:) begins anew for each observer`() {
    let stream = Stream.sequence(["a", "b"]).scan(into: [String]()) { $0.append($1) }
    for _ in 0..<2 {
      #expect(events(stream.map { $0.joined() }) == ["next()", "next(a)", "next(ab)", "completed"])
    }
  }

  @Test func `switchIfEmpty observes the other stream only then`() {
    var count = 0
    let other = Numbers.deferred {
      count += 1
      return .just(9)
    }
    #expect(events(Numbers.just(1).switchIfEmpty(other)) == ["next(1)", "completed"])
    #expect(events(Numbers.failed("no").switchIfEmpty(other)) == ["failed(no)"])
    #expect(count == 0)
    #expect(events(Numbers.completed().switchIfEmpty(other)) == ["next(9)", "completed"])
  }

  @Test func `retry(when:) asks for each failure, without recursion`() {
    var left = 100_000
    let source = Numbers.deferred {
      left -= 1
      return left > 0 ? .failed("again") : .failed("enough")
    }
    #expect(events(source.retry { $0 == "again" }) == ["failed(enough)"])
    #expect(left == 0)
  }

  @Test func `retry(delays:) waits for each delay in turn, then passes the failure; each observer has them all`() {
    let scheduler = VirtualScheduler()
    let source = scheduler.cold("-a-#").toOperation().retry(delays: [.seconds(2), .seconds(4)])
    let recorders = [source.record(on: scheduler), source.record(on: scheduler)]
    scheduler.advance(by: .seconds(60))
    for recorder in recorders { recorder.expect("-a----a------a-#") }
  }

  @Test func `negate, and, or`() {
    let (a, b) = (PushStream<Bool>(), PushStream<Bool>())
    var log: [String] = []
    let bag = DisposeBag()
    a.negate().observeNext { log.append("not \($0)") }.dispose(in: bag)
    a.and(b).observeNext { log.append("and \($0)") }.dispose(in: bag)
    a.or(b).observeNext { log.append("or \($0)") }.dispose(in: bag)
    a.next(true)
    b.next(false)
    b.next(true)
    #expect(log == ["not false", "and false", "or true", "and true", "or true"])
  }

  @Test func `ignoreFailures completes without a report`() {
    let reports = captureDiagnostics {
      #expect(events(Numbers.failed("no").ignoreFailures()) == ["completed"])
    }
    #expect(reports == [])
  }

  @Test func `tryMap of an event: what is thrown is its failure`() {
    typealias Number = Event<Int, TestError>
    func half(_ number: Int) throws(TestError) -> String {
      if number % 2 == 1 { throw "odd" }
      return "\(number / 2)"
    }
    #expect(Number.next(4).tryMap(half) == .next("2"))
    #expect(Number.next(3).tryMap(half) == .failed("odd"))
    #expect(Number.failed("no").tryMap(half) == .failed("no"))
    #expect(Number.completed.tryMap(half) == .completed)
  }

  // MARK: Groups and time

  @Test func `each group gets its elements and the end; a key comes once`() {
    var log: [String] = []
    let source = PushOperation<String, TestError>()
    source.groupBy { $0.first ?? " " }.observe { event in
      guard case .next(let group) = event else { return log.append("\(event.isFailure)") }
      group.elements.observe { log.append("\(group.key): \($0.isFailure ? "failed" : "\($0)")") }.dispose(in: bag)
    }.dispose(in: bag)
    for text in ["apple", "bean", "avocado"] { source.next(text) }
    source.failed("over")
    #expect(log.prefix(3) == ["a: next(apple)", "b: next(bean)", "a: next(avocado)"])
    #expect(log.suffix(3) == ["a: failed", "b: failed", "true"])
  }

  private let bag = DisposeBag()

  @Test func `after disposal no group is added, observed groups continue, and the last observer releases the source`() {
    let source = PushStream<Int>()
    var elements: [Int] = []
    var observers: [Subscription] = []
    let groups = source.groupBy { $0 % 3 }.observeNext { group in
      observers.append(group.elements.observeNext { elements.append($0) })
    }
    source.next(1)
    source.next(2)
    groups.dispose()
    for number in [3, 4, 5] { source.next(number) }
    #expect(elements == [1, 2, 4, 5])
    observers[0].dispose()
    source.next(7)
    source.next(8)
    #expect(elements == [1, 2, 4, 5, 8])
    observers[1].dispose()
    #expect(source.observerCount == 0)
  }

  @Test func `the first group has all of its elements and its end, from sources that send at once, later, or forever`()
  {
    let hot = PushStream<Int>()
    var log: [String] = []
    func record(_ name: String) -> (Event<Int, Never>) -> Void { { log.append("\(name): \($0)") } }
    let first = hot.groupBy { $0 % 2 }.take(1).flatMap(.merge) { $0.elements }.observe(record("hot"))
    for number in [0, 2, 3, 4] { hot.next(number) }
    hot.completed()
    #expect(log == ["hot: next(0)", "hot: next(2)", "hot: next(4)", "hot: completed"])
    #expect(first.isDisposed)
    log = []
    Stream.sequence([0, 2, 3, 4]).groupBy { $0 % 2 }.first().flatMap(.merge) { $0.elements }.observe(record("cold"))
      .dispose(in: bag)
    #expect(log == ["cold: next(0)", "cold: next(2)", "cold: next(4)", "cold: completed"])
    log = []
    Stream.sequence(0...).groupBy { $0 % 2 }.first().flatMap(.merge) { $0.elements }.take(3).observe(record("endless"))
      .dispose(in: bag)
    #expect(log == ["endless: next(0)", "endless: next(2)", "endless: next(4)", "endless: completed"])
  }

  @Test func `after the stream of groups, the observers of the groups pause the source together`() {
    var log: [Int] = []
    var observers: [Subscription] = []
    var groups: Subscription?
    groups = Stream.sequence(0..<12).groupBy { $0 % 2 }.observeNext { group in
      observers.append(
        group.elements.observeNext { number in
          log.append(number)
          // The second observer pauses after the first.
          if number == 4 { observers[0].pause() }
          if number == 7 { observers[1].pause() }
        })
    }
    groups?.dispose()
    #expect(log == Array(0..<12), "the stream of groups had not returned: nothing could be disposed")
    log = []
    observers = []
    let trigger = PushStream<Void>()
    groups = trigger.flatMap(.merge) { Stream.sequence(0..<12) }.groupBy { $0 % 2 }.observeNext { group in
      if observers.count == 1 { groups?.dispose() }
      observers.append(
        group.elements.observeNext { number in
          log.append(number)
          if number == 4 { observers[0].pause() }
          if number == 7 { observers[1].pause() }
        })
    }
    trigger.next()
    #expect(log == Array(0...7))
    observers[1].resume()
    #expect(log == Array(0..<12))
    for observer in observers { observer.dispose() }
    #expect(trigger.observerCount == 0)
  }

  @Test func `what is sent while a group gives its first element comes after it, for all, in order`() {
    let source = PushStream<Int>()
    var groups: [Stream<Int>] = []
    source.groupBy { $0 % 2 }.observeNext { groups.append($0.elements) }.dispose(in: bag)
    source.next(2)
    var log: [String] = []
    groups[0].observeNext { number in
      log.append("a\(number)")
      if number == 2 {
        source.next(4)
        groups[0].observeNext { log.append("b\($0)") }.dispose(in: bag)
        source.next(6)
      }
      log.append(".")
    }.dispose(in: bag)
    source.next(8)
    #expect(log == ["a2", ".", "a4", ".", "b4", "a6", ".", "b6", "a8", ".", "b8"])
    bag.dispose()
  }

  @Test func `who observes a group after its end receives the element that it holds, and the end`() {
    let source = PushOperation<Int, TestError>()
    var groups: [Operation<Int, TestError>] = []
    source.groupBy { $0 % 2 }.observe { if case .next(let group) = $0 { groups.append(group.elements) } }.dispose(
      in: bag)
    source.next(1)
    source.failed("over")
    var log: [String] = []
    for _ in 0...1 { groups[0].observe { log.append($0.isFailure ? "failed" : "\($0)") }.dispose(in: bag) }
    #expect(log == ["next(1)", "failed", "failed"])
  }

  @Test func `a group whose source was disposed before its end sends neither its element nor an end`() {
    let source = PushStream<Int>()
    var groups: [Stream<Int>] = []
    let subscription = source.groupBy { $0 }.observeNext { groups.append($0.elements) }
    source.next(1)
    subscription.dispose()
    #expect(source.observerCount == 0)
    var log: [String] = []
    groups[0].observe { log.append("\($0)") }.dispose(in: bag)
    source.completed()
    #expect(log == [])
    bag.dispose()
  }

  @Test func `buffer(for:) emits nothing for an empty interval; a failure drops the rest`() {
    let scheduler = VirtualScheduler()
    var log: [[String]] = []
    scheduler.cold("ab---------c-d#").toOperation().buffer(for: .seconds(5), on: scheduler)
      .observe(next: { log.append($0) }, termination: { log.append(["\($0)"]) }).dispose(in: bag)
    scheduler.advance(by: .seconds(30))
    #expect(log.first == ["a", "b"])
    #expect(log.count == 2)
    #expect(log.last?.first?.hasPrefix("failed") == true)
  }

  @Test func `the first element of a group waits for its first observer, until the next one`() {
    let source = PushStream<Int>()
    var groups: [Stream<Int>] = []
    source.groupBy { $0 / 10 }.observeNext { groups.append($0.elements) }.dispose(in: bag)
    for number in [1, 11, 12] { source.next(number) }
    var log: [Int] = []
    for group in groups { group.observeNext { log.append($0) }.dispose(in: bag) }
    groups[0].observeNext { log.append($0) }.dispose(in: bag)
    #expect(log == [1])
    source.next(13)
    #expect(log == [1, 13])
  }

  @Test func `buffer(for:) disposes what it drops`() {
    final class Log { var count = 0 }
    final class Resource: Disposable {
      let log: Log
      private(set) var isDisposed = false
      init(_ log: Log) { self.log = log }
      func dispose() {
        isDisposed = true
        log.count += 1
      }
    }
    let scheduler = VirtualScheduler()
    let log = Log()
    let source = PushOperation<Resource, TestError>()
    source.buffer(for: .seconds(5), on: scheduler).observe { _ in }.dispose(in: bag)
    source.next(Resource(log))
    source.failed("over")
    #expect(log.count == 1)
  }

  private func events<Element, Failure>(_ stream: some StreamProtocol<Element, Failure>) -> [String] {
    var log: [String] = []
    stream.observe { log.append("\($0)".replacing(/TestError\((.*?)\)/) { $0.1 }) }.dispose()
    return log
  }
}
