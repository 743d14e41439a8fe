import ArgumentParser
import EventLoops
import FileWatching
import Streams
import Testing

@testable import headwatch

/// What the command line means.
@Suite struct OptionsTests {
  @Test(arguments: [
    ("0", Duration.zero), ("50ms", .milliseconds(50)), ("1s", .seconds(1)), ("1.5s", .milliseconds(1500)),
    ("2m", .seconds(120)), ("2min", .seconds(120)), ("1h", .seconds(3600)), ("250us", .microseconds(250)),
  ])
  func durationsHaveAUnit(_ text: String, _ expected: Duration) throws {
    #expect(try abs((DurationArgument.parse(text) - expected) / .nanoseconds(1)) < 1)
  }

  @Test(arguments: ["", "5", "ms", "-1s", "1x", "1 s", "s1", "1e3s", "infs", "99999999h", "+1s", "1.2.3s"])
  func otherDurationsAreRefused(_ text: String) {
    #expect(throws: (any Error).self) { try DurationArgument.parse(text) }
  }

  @Test func durationsAreDescribed() {
    #expect(DurationArgument.describe(.milliseconds(12)) == "12 ms")
    #expect(DurationArgument.describe(.milliseconds(2345)) == "2.3 s")
    #expect(DurationArgument.describe(.seconds(245)) == "4 min 5 s")
  }

  @Test func defaults() throws {
    let options = try Options.parse([])
    #expect(options.roots == ["."])
    #expect(options.debounce == .milliseconds(50))
    #expect(options.stopTimeout == .seconds(10))
    #expect(options.stopSignal == .terminate)
    #expect(options.onBusy == .restart)
    #expect(options.filter(forCommand: false).kinds.contains(.attributes))
    #expect(!options.filter(forCommand: true).kinds.contains(.attributes))
  }

  @Test func optionsAreRead() throws {
    let options = try Options.parse([
      "src", "-e", "swift,.md", "--ext", "c", "--ignore", "*.o", "--on-busy", "queue", "-s", "SIGINT", "docs",
      "--postpone",
      "--stop-timeout", "1s", "-d", "0", "--kinds", "created",
    ])
    #expect(options.roots == ["src", "docs"])
    #expect(
      options.filter(forCommand: true).extensions.map { String(decoding: $0, as: UTF8.self) } == [
        "swift", "md", "c",
      ])
    #expect(options.onBusy == .queue)
    #expect(options.stopSignal == .interrupt)
    #expect(options.postpone)
    #expect(options.debounce == .zero)
    #expect(options.filter(forCommand: true).kinds == [.created])
  }

  @Test(arguments: [
    ["--json", "--print0"], ["--ignore", "[a"], ["--on-busy", "wait"], ["-s", "NOSUCH"], ["--debounce", "50"],
    ["--nosuch"],
    ["--kinds", "changed"], [""],
  ])
  func contradictionsAndNonsenseAreRefused(_ arguments: [String]) {
    #expect(throws: (any Error).self) { try Options.parse(arguments) }
  }

  @Test func printingOptionsAreRefusedWithACommand() throws {
    let options = try Options.parse(["--json"])
    #expect(throws: (any Error).self) { try options.validate(with: ["make"]) }
    #expect(throws: Never.self) { try options.validate(with: []) }
    #expect(throws: (any Error).self) { try Options.parse([]).validate(with: [""]) }
  }
}
