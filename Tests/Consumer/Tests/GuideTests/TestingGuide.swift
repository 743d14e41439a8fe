// The code of Docs/Guides/Testing.md, word for word. A test of the snippets compares the two.

import Headwater
import StreamsTesting
import Testing

// The code under test.
@MainActor final class Search {
  let text = Property("")
  let results: Stream<String>

  init(find: @escaping (String) -> Stream<String>) {
    results = text.filter { !$0.isEmpty }
      .debounce(for: .milliseconds(300))
      .flatMap(.latest) { find($0) }
  }
}

@MainActor @Suite(.noLiveResources) struct SearchTests {
  @Test func `elements and the end are kept`() {
    let recorder = Stream.sequence(1...3).map { $0 * 2 }.record()
    #expect(recorder.elements == [2, 4, 6])
    #expect(recorder.isCompleted)
  }

  @Test func `it searches after 300 ms without typing`() {
    let scheduler = VirtualScheduler()
    let search = Search { .just("found \($0)") }
    let recorder = search.results.record(on: scheduler)
    search.text.value = "s"
    scheduler.advance(by: .milliseconds(200))
    search.text.value = "sw"
    scheduler.advance(by: .milliseconds(300))
    #expect(recorder.elements == ["found sw"])
    #expect(recorder.elementTimes == [.milliseconds(500)])
  }

  @Test func `a late answer is dropped`() {
    let scheduler = VirtualScheduler()
    let typed = scheduler.hot("       a----b--------")
    let found = scheduler.cold("        ------x")
    let recorder = typed.debounce(for: .seconds(2)).flatMap(.latest) { _ in found }.record(on: scheduler)
    scheduler.advance(by: .seconds(20))
    recorder.expect("                -------------x")
    found.expectSubscriptions("      --^----!", "-------^")
  }

  @Test func `a timer of the main loop`() async throws {
    let tick = try await Stream.timer("tick", after: .milliseconds(1)).value
    #expect(tick == "tick")
  }

  @Test func `an echo server on the main loop`() async throws {
    let bag = DisposeBag()
    defer { bag.dispose() }
    let listener = try TCPListener(on: .loopback(port: 0))
    listener.dispose(in: bag)
    listener.connections.flatMap(.merge) { $0.bytes.pipe(to: $0) }.observe { _ in }.dispose(in: bag)

    let connection = try await Operation.connect(to: listener.address).value
    connection.write("hello")
    connection.finish()
    var answer = ""
    for try await bytes in connection.bytes.values() { answer += String(bytes) }
    #expect(answer == "hello")
  }

  @Test func `a mistake is reported`() {
    let reports = captureDiagnostics {
      _ = Operation<Int, TestError>.failed("lost").observeNext { _ in }
    }
    #expect(reports.count == 1)
    #expect(reports.first?.contains("has failed") == true)
  }
}

@Suite(.noLiveResources) struct LoopTests {
  @Test func `a loop of the test's own, on a thread of its own`() async throws {
    let ticks = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var ticks: [Int] = []
      let subscription = Stream.interval(.milliseconds(1)).take(3).observeNext { ticks.append($0) }
      loop.run()
      subscription.dispose()
      return ticks
    }
    #expect(ticks == [0, 1, 2])
  }
}
