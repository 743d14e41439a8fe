import Streams
import Testing

@testable import StreamsTesting

/// Marbles as input and as expectations, and their messages if an expectation is not met.
@Suite(.noLiveResources)
struct MarbleTests {
  let scheduler = VirtualScheduler()

  // MARK: Reading

  private func entries(_ line: String) throws -> [String] {
    try MarbleDiagram(line, frame: .seconds(1)).entries.map { "\($0.mark) \($0.time.components.seconds)" }
  }

  @Test func `each sign takes a frame`() throws {
    #expect(try entries("") == [])
    #expect(try entries("---") == [])
    #expect(try entries("a-b|") == ["element(\"a\") 0", "element(\"b\") 2", "completed 3"])
    #expect(try entries("--#") == ["failed 2"])
  }

  @Test func `a group comes at once and takes as long as it is written`() throws {
    #expect(
      try entries("-(ab)c(d|)")
        == ["element(\"a\") 1", "element(\"b\") 1", "element(\"c\") 5", "element(\"d\") 6", "completed 6"])
  }

  @Test func `spaces align, and times pass`() throws {
    #expect(try entries("a  -  b") == ["element(\"a\") 0", "element(\"b\") 2"])
    #expect(try entries("a 2m b") == ["element(\"a\") 0", "element(\"b\") 121"])
    #expect(try entries("1s 1") == ["element(\"1\") 1"])
    #expect(try entries("a1s") == ["element(\"a\") 0", "element(\"1\") 1", "element(\"s\") 2"])
    let half = try MarbleDiagram("500ms a", frame: .milliseconds(1)).entries
    #expect(half == [.init(time: .milliseconds(500), mark: .element("a"))])
  }

  @Test func `fractions of a time are exact`() throws {
    let entries = try MarbleDiagram("1.1s a 0.25ms b 1.5m c", frame: .zero).entries
    let times: [Duration] = [.milliseconds(1_100), .microseconds(1_100_250), .microseconds(91_100_250)]
    #expect(entries.map(\.time) == times)
  }

  @Test func `a caret is time zero`() throws {
    #expect(try entries("a-^-b") == ["element(\"a\") -2", "observed 0", "element(\"b\") 2"])
  }

  @Test(arguments: ["(a", "a)", "((a))", "(a-b)", "a—b", "a,b"])
  func `what cannot be read says why`(_ line: String) {
    #expect(throws: MarbleDiagram.Malformed.self) { try MarbleDiagram(line, frame: .seconds(1)) }
  }

  // MARK: Input

  @Test func `a cold source plays for each observer`() {
    let source = scheduler.cold("-a-b|")
    let first = source.record(on: scheduler)
    scheduler.advance(by: .seconds(2))
    let second = source.record(on: scheduler)
    scheduler.run()
    first.expect("-a-b|")
    second.expect("---a-b|")
    source.expectSubscriptions("^---!", "--^---!")
  }

  @Test func `a hot source plays once`() {
    let source = scheduler.hot("a-^-b-c#", error: "broken")
    scheduler.advance(by: .seconds(3))
    let late = source.record(on: scheduler)
    scheduler.run()
    late.expect("----c#", failure: "broken")
    source.expectSubscriptions("---^-!")
    #expect(source.record().events == [.failed("broken")])
  }

  @Test func `values tell what letters mean`() {
    let numbers = scheduler.cold("a(bc)|", ["a": 1, "b": 2, "c": 3])
    let recorder = numbers.map { $0 * 10 }.record(on: scheduler)
    scheduler.run()
    recorder.expect("a(bc)|", ["a": 10, "b": 20, "c": 30])
    #expect(recorder.marbles() == "[10]([20][30])|")
    #expect(recorder.marbles { String($0 / 10) } == "1(23)|")
  }

  @Test func `operators that wait`() {
    let keys = scheduler.cold("ab-c----d|")
    let settled = keys.debounce(for: .seconds(2)).record(on: scheduler)
    scheduler.run()
    settled.expect("-----c---(d|)")
  }

  @Test func `disposal is seen in the subscriptions`() {
    let letters = scheduler.cold("-a-b-c|")
    let stop = scheduler.hot("----x")
    let recorder = letters.take(until: stop).record(on: scheduler)
    scheduler.run()
    recorder.expect("-a-b|")
    letters.expectSubscriptions("^---!")
  }

  @Test func `a frame may be anything`() {
    let source = scheduler.cold("-a|", frame: .milliseconds(10))
    let recorder = source.record(on: scheduler)
    scheduler.run()
    recorder.expect("-a|", frame: .milliseconds(10))
    #expect(recorder.terminationTime == .milliseconds(20))
  }

  // MARK: Expectations that are not met

  @Test(arguments: [
    ("-a-b", "-a-b", "    ^ expected nothing more, but | at 4.0 seconds came"),
    ("-a-c|", "-a-c|", "   ^ expected c at 3.0 seconds, but b at 3.0 seconds came"),
    ("--ab|", "--ab|", " ^ expected a at 2.0 seconds, but a at 1.0 seconds came"),
    ("-a-b#", "-a-b#", "    ^ expected # at 4.0 seconds, but | at 4.0 seconds came"),
    ("(ab)|", "(ab)|", "^ expected a at 0.0 seconds, but a at 1.0 seconds came"),
    (" -a-b - c|", "-a-b-c|", "    ^ expected c at 5.0 seconds, but | at 4.0 seconds came"),
    ("", "", "^ expected nothing more, but a at 1.0 seconds came"),
    ("-a 60s b|", "-a 60s b|", "  ^ expected b at 62.0 seconds, but b at 3.0 seconds came"),
  ])
  func `another line than what came is an issue with both lines below each other`(
    _ line: String, _ written: String, _ pointer: String
  ) {
    let recorder = scheduler.cold("-a-b|").record(on: scheduler)
    scheduler.run()
    withKnownIssue {
      recorder.expect(line)
    } matching: {
      $0.comments.map(\.rawValue) == [
        """
        Other events have come than the marbles tell.
        expected: \(written)
        came:     -a-b|
                  \(pointer)
        """
      ]
    }
  }

  @Test(arguments: ["-a 41s b|", "a 1500ms (bc) 2m #", "-----a", ""])
  func `the line of what came can be read again`(_ line: String) {
    let frame = Duration.milliseconds(10)
    let recorder = scheduler.cold(line, frame: frame).record(on: scheduler)
    scheduler.run()
    #expect(recorder.marbles(frame: frame).count < 40)
    recorder.expect(recorder.marbles(frame: frame), frame: frame)
  }

  @Test func `another error, an unknown letter and a broken line are issues`() {
    let recorder = scheduler.cold("#", error: "this").record(on: scheduler)
    recorder.expect("#")
    recorder.expect("#", failure: "this")
    withKnownIssue { recorder.expect("#", failure: "that") }
    withKnownIssue {
      recorder.expect("a", [:])
    } matching: {
      $0.comments.contains { $0.rawValue.contains("no value") }
    }
    withKnownIssue {
      recorder.expect("(#")
    } matching: {
      $0.comments.contains { $0.rawValue.contains("not closed") }
    }
  }

  @Test func `other subscriptions are an issue`() {
    let source = scheduler.cold("-a|")
    source.expectSubscriptions()
    let recorder = source.record(on: scheduler)
    source.expectSubscriptions("^")
    scheduler.run()
    withKnownIssue {
      source.expectSubscriptions("^-!", "--^")
    } matching: {
      $0.comments.contains { $0.rawValue.hasSuffix("expected: ^-!, --^\nobserved: ^-!") }
    }
    withKnownIssue { source.expectSubscriptions("^---!") }
    withKnownIssue { source.expectSubscriptions("---") }
    source.expectSubscriptions("^-!")
    #expect(recorder.isCompleted)
  }

  // MARK: A scheduler that must not be used

  @Test func `a failing scheduler is quiet where no clock is asked`() {
    #expect(FailingScheduler().run { Stream.just(1).map { $0 + 1 }.record().elements } == [2])
  }

  @Test func `a failing scheduler fails the test where a clock is asked`() {
    withKnownIssue {
      FailingScheduler().run { Stream.just(1).delay(for: .seconds(1)).record().dispose() }
    } matching: {
      $0.comments.contains { $0.rawValue.contains("set a timer") || $0.rawValue.contains("read the clock") }
    }
    withKnownIssue { _ = Stream.just(1).debounce(for: .seconds(1), on: FailingScheduler()).record() }
  }

  @Test func `a line that no source can play traps with the reason`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = VirtualScheduler().cold("(a")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a parenthesis is not closed"))
    let past = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = VirtualScheduler().cold("a-^-b")
    }
    let reason = String(decoding: past?.standardErrorContent ?? [], as: UTF8.self)
    #expect(reason.contains("a cold source has no past"))
  }
}
