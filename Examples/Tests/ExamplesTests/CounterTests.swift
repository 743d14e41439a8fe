import Headwater
import StreamsTesting
import Testing

@testable import counter

/// The example `counter`.
@Suite("counter", .noLiveResources) @MainActor struct CounterTests {
  @Test func `the program counts what it reads, undoes it, and quits`() async throws {
    let run = try await Run.example("counter", input: "+\n+\n-\nundo\nundo\nundo\nundo\n-\n\n?\nquit\n+\n")
    #expect(
      run.lines == [
        "count: 0", "count: 1", "count: 2", "count: 1", "count: 2", "count: 1", "count: 0", "nothing to undo",
        "count: -1", "unknown: ?; there are + - undo quit",
      ])
    #expect(run.exitCode == 0)
  }

  @Test func `the end of the input is the end`() async throws {
    let run = try await Run.example("counter", input: "+\n")
    #expect(run.lines == ["count: 0", "count: 1"])
    #expect(run.exitCode == 0)
  }

  @Test func `a full disk is said, and ends it`() async throws {
    try await onOwnThread {
      let run = try Child(onFullDisk: "counter", [])
      #expect(try run.end() == 1)
      #expect(run.errors == "counter: cannot write: No space left on device\n")
    }
  }

  @Test func `the component needs no store to be tested`() {
    var calls: [String] = []
    let counter = Counter(Store(reducer: CountState.reduce, state: CountState())) { calls.append($0) }
    counter.connection.actions = Counter.Actions(
      increase: { calls.append("increase") }, decrease: { calls.append("decrease") }, undo: { false })
    #expect(counter.enter("+"))
    #expect(counter.enter("-"))
    #expect(counter.enter("undo"))
    #expect(!counter.enter("quit"))
    #expect(calls == ["increase", "decrease", "nothing to undo"])
  }

  @Test func `the reducer is a function`() {
    #expect(CountState.reduce(.increase, CountState(count: 1)) == CountState(count: 2))
    #expect(CountState.reduce(.decrease, nil) == CountState(count: -1))
  }
}
