import EventLoops
import FileWatching
import Streams
import Testing

@testable import headwatch

/// The parsing of the command line.
@Suite struct OptionsTests {
  @Test(arguments: [
    ("0", Duration.zero), ("50ms", .milliseconds(50)), ("1s", .seconds(1)), ("1.5s", .milliseconds(1500)),
    ("2m", .seconds(120)), ("2min", .seconds(120)), ("1h", .seconds(3600)), ("250us", .microseconds(250)),
  ])
  func `durations have a unit`(_ text: String, _ expected: Duration) throws {
    #expect(try abs((DurationArgument.parse(text) - expected) / .nanoseconds(1)) < 1)
  }

  @Test(arguments: ["", "5", "ms", "-1s", "1x", "1 s", "s1", "1e3s", "infs", "99999999h", "+1s", "1.2.3s"])
  func `other durations are refused`(_ text: String) {
    #expect(throws: (any Error).self) { try DurationArgument.parse(text) }
  }

  @Test func `durations are described`() {
    #expect(DurationArgument.describe(.milliseconds(12)) == "12 ms")
    #expect(DurationArgument.describe(.milliseconds(2345)) == "2.3 s")
    #expect(DurationArgument.describe(.seconds(245)) == "4 min 5 s")
  }

  @Test func `defaults`() throws {
    let options = try Options.parse([])
    #expect(try options.roots() == ["."])
    #expect(options.debounce == .milliseconds(50))
    #expect(options.stopTimeout == .seconds(10))
    #expect(options.stopSignal == .terminate)
    #expect(options.onBusy == .restart)
    #expect(try options.filter([]).kinds.contains(.attributes))
    #expect(!options.watching.ignoreRules.usesGit)
    let running = try Options.parse(["--", "make"])
    #expect(try !running.filter([]).kinds.contains(.attributes))
    #expect(running.watching.ignoreRules.usesGit)
    #expect(try !Options.parse(["--no-gitignore", "--", "make"]).watching.ignoreRules.usesGit)
  }

  @Test func `options are read`() throws {
    let options = try Options.parse([
      "src", "-e", "swift,.md", "--ext=c", "--ignore", "*.o", "--on-busy", "queue", "-sSIGINT", "docs", "--postpone",
      "--stop-timeout", "1s", "-cqd", "0", "--kinds", "created", "--env", "A=b=c", "--", "make", "--json", "--", "x",
    ])
    #expect(try options.roots() == ["src", "docs"])
    #expect(try options.filter([]).extensions.map { String(decoding: $0, as: UTF8.self) } == ["swift", "md", "c"])
    #expect(options.onBusy == .queue)
    #expect(options.stopSignal == .interrupt)
    #expect(options.postpone && options.clear && options.quiet && !options.json)
    #expect(options.debounce == .zero)
    #expect(options.stopTimeout == .seconds(1))
    #expect(try options.filter([]).kinds == [.created])
    #expect(options.environment.map { [$0.name, $0.value] } == [["A", "b=c"]])
    #expect(options.commands == [["make", "--json", "--", "x"]])
  }

  @Test func `commands are separated unless they are literal`() throws {
    #expect(try Options.parse(["--", "a", "b", "--then", "c"]).commands == [["a", "b"], ["c"]])
    #expect(try Options.parse(["--literal", "--", "a", "--then", "c"]).commands == [["a", "--then", "c"]])
  }

  @Test(arguments: [
    ["--json", "--print0"], ["--ignore", "[a"], ["--on-busy", "wait"], ["-s", "NOSUCH"], ["--debounce", "50"],
    ["--nosuch"], ["--kinds", "changed"], [""], ["--ext"], ["-e"], ["--json=1"], ["-x"], ["--env", "=b"],
    ["--json", "--", "make"], ["--", ""], ["--", "a", "--then"], ["--", "a", "{}", "{+}"], ["--stdin", "lines"],
    ["--completions", "csh"], ["--postpone"], ["-c"], ["--signal", "HUP", "src"],
  ])
  func `contradictions and nonsense are refused`(_ arguments: [String]) {
    #expect(throws: UsageError.self) { try Options.parse(arguments) }
  }

  @Test(arguments: [
    ("--igonre", "--ignore"), ("--ignore-files", "--ignore-file"), ("--recursive", "--no-recursive"),
    ("--debouce", "--debounce"), ("--halp", "--help"), ("--onbusy", "--on-busy"),
  ])
  func `the nearest option is suggested`(_ wrong: String, _ right: String) {
    #expect(throws: UsageError("There is no option '\(wrong)'. Did you mean '\(right)'?")) {
      try Options.parse([wrong])
    }
  }

  @Test func `names are unique and described`() {
    let names = Options.specifications.flatMap(\.names)
    #expect(Set(names).count == names.count)
    #expect(Options.specifications.allSatisfy { $0.summary.hasSuffix(".") && $0.names.contains { $0.hasPrefix("--") } })
  }
}
