import Delegates
import EventLoops
import ReadlineStreams
import Streams
import StreamsTesting
import Testing

extension ReadlineTests {
  @Suite("At a terminal") struct TerminalTests {
    /// Types `keys`, and returns the first `count` lines and the output of the terminal.
    static func type(
      _ keys: String, lines count: Int, completing: @escaping @Sendable (Completion) -> [String] = { _ in [] }
    ) async throws -> (lines: [String], screen: String) {
      try await onLoop { loop in
        let terminal = try Terminal()
        let editor = LineEditor(input: terminal.descriptor, output: terminal.descriptor)
        let bag = DisposeBag()
        var lines: [String] = []
        try editor.completions.answer { completing($0) }.dispose(in: bag)
        editor.lines(prompt: "? ").take(count).observe(
          next: { lines.append($0) }, termination: { _ in bag.dispose() }
        ).dispose(in: bag)
        terminal.type(keys)
        loop.run()
        return (lines, terminal.screen)
      }
    }

    @Test func `lines are edited, and the prompt and what is typed are shown`() async throws {
      // ^A moves to the beginning, and ^K deletes to the end.
      let (lines, screen) = try await Self.type("wrong\u{1}\u{b}right\u{1}all \nnext\n", lines: 2)
      #expect(lines == ["all right", "next"])
      #expect(screen.hasPrefix("? "))
      #expect(screen.contains("right"))
      #expect(screen.contains("next"))
    }

    @Test func `completions are answered: one replaces the word, several as far as they agree`() async throws {
      let requests = Confirmed<Completion>()
      let (lines, _) = try await Self.type("say hel\t\nsay y\tx\nsay z\t\n", lines: 3) { request in
        requests.append(request)
        return ["hello", "yesterday", "yes", "yeti"].filter { $0.hasPrefix(request.word) }
      }
      #expect(lines == ["say hello ", "say yex", "say z"])
      #expect(requests.all.first == Completion(word: "hel", line: "say hel", offset: 4))
      #expect(requests.all.map(\.word).contains("z"))
    }

    @Test func `what completions hand over is freed by readline: hundreds of them leave nothing for the leak checker`()
      async throws
    {
      let rounds = 100
      let (lines, _) = try await Self.type(String(repeating: "w\t\n", count: rounds), lines: rounds) { request in
        (0..<10).map { "\(request.word)ord-\($0)-\(String(repeating: "x", count: 100))" }
      }
      #expect(lines == Array(repeating: "word-", count: rounds))
    }

    @Test func `disposal puts the terminal back, and a late completion is nobody's`() async throws {
      try await onLoop { loop in
        let terminal = try Terminal()
        #expect(terminal.isCooked)
        let editor = LineEditor(input: terminal.descriptor, output: terminal.descriptor)
        for _ in 0..<3 {
          let recorder = editor.lines().record()
          #expect(!terminal.isCooked)
          recorder.dispose()
          #expect(terminal.isCooked)
          loop.run()
        }
      }
    }

    @Test func `a text is shown above the line that is being typed, which is not lost`() async throws {
      let (lines, screen) = try await onLoop { loop in
        let terminal = try Terminal()
        let editor = LineEditor(input: terminal.descriptor, output: terminal.descriptor)
        let bag = DisposeBag()
        var lines: [String] = []
        try editor.completions.answer { request in
          // Readline calls this in the middle of a line.
          Stream.just(()).delay(for: .milliseconds(1)).observeNext {
            editor.show("*** news")
            terminal.type("f\n")
          }.dispose(in: bag)
          return []
        }.dispose(in: bag)
        editor.lines(prompt: "? ").take(1).observe(
          next: { lines.append($0) }, termination: { _ in bag.dispose() }
        ).dispose(in: bag)
        terminal.type("hal\t")
        loop.run()
        return (lines, terminal.screen)
      }
      #expect(lines == ["half"])
      let news = try #require(screen.firstRange(of: "*** news\r\n"))
      #expect(screen[news.upperBound...].hasPrefix("? hal"))
    }
  }
}

/// The arguments with which a `Sendable` closure was called.
final class Confirmed<Element: Sendable>: Sendable {
  private let elements = Lock<[Element]>([])

  func append(_ element: Element) { elements.withLock { $0.append(element) } }

  var all: [Element] { elements.withLock { $0 } }
}
