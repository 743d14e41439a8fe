import Foundation
import Headwater
import StreamsTesting
import Testing

@testable import supervise

/// The example `supervise`, with real commands that end, fail, ignore signals, and leave processes behind.
@Suite("supervise") struct SuperviseTests {
  @Test func `lines get the names of their commands`() async throws {
    try await onOwnThread {
      let run = try Child(
        "supervise",
        ["first: echo one; echo two >&2; printf 'no end'", "echo from the shell", "x_1: printf 'a\r\nb\n'"])
      #expect(try run.end() == 0)
      #expect(
        run.lines.sorted() == [
          "echo  | from the shell", "first | no end", "first | one", "x_1   | a", "x_1   | b",
        ])
      #expect(run.errors.contains("first | two\n"))
      #expect(run.errors.contains("first * has ended with 0\n"))
    }
  }

  @Test func `what fails is started again, later and later, until it has failed for good`() async throws {
    try await onOwnThread {
      let run = try Child(
        "supervise",
        [
          "--delay", "0.01", "--max-delay", "0.03", "--healthy", "1000", "--tries", "3", "bad: echo run; exit 3",
          "ok: sleep 1000",
        ])
      #expect(try run.end() == 3)
      #expect(run.lines == Array(repeating: "bad | run", count: 4))
      let ends = run.errors.split(separator: "\n").filter { $0.hasPrefix("bad * has ended") }
      #expect(
        ends == [
          "bad * has ended with 3, starts again in 0.01 seconds",
          "bad * has ended with 3, starts again in 0.02 seconds",
          "bad * has ended with 3, starts again in 0.03 seconds", "bad * has ended with 3",
        ])
      // The other command has been stopped.
      #expect(run.errors.contains("ok  * was ended by SIGTERM\n"))
    }
  }

  @Test func `a sound run makes it begin anew`() async throws {
    try await onOwnThread {
      // Every run is long enough to reset the count, so the command never fails for good.
      let run = try Child("supervise", ["--delay", "0", "--healthy", "0", "--tries", "1", "a: echo again; exit 3"])
      try run.wait(for: "five runs") { $0.lines.count { $0 == "a | again" } >= 5 }
      #expect(try run.end(by: SIGTERM) == 0)
    }
  }

  @Test(arguments: [("always", "exit 0"), ("failed", "exit 7")])
  func `it goes on until a signal stops it`(_ restart: String, _ command: String) async throws {
    try await onOwnThread {
      let run = try Child("supervise", ["--restart", restart, "--delay", "0", "a: echo again; \(command)"])
      try run.wait(for: "five runs") { $0.lines.count { $0 == "a | again" } >= 5 }
      #expect(try run.end(by: SIGTERM) == 0)
    }
  }

  @Test(arguments: [
    ("never", "exit 7", 7), ("never", "kill -USR1 $$", 138), ("failed", "exit 0", 0), ("never", "nosuch", 127),
  ])
  func `the code of what has ended for good is passed on`(_ restart: String, _ command: String, _ code: Int32)
    async throws
  {
    try await onOwnThread {
      // The grace is not waited for, because no command runs.
      let run = try Child("supervise", ["--restart", restart, "--grace", "1000", "a: \(command)"])
      #expect(try run.end() == code)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal asks all to end, with what they have started, and waits for them`(_ signal: Int32) async throws {
    try await onOwnThread {
      let run = try Child(
        "supervise",
        [
          "polite: trap 'echo closing; exit 5' TERM; echo ready; while :; do sleep 0.01; done",
          "family: sh -c 'echo child $$; exec sleep 1000' & wait",
        ])
      try run.wait(forOutput: "polite | ready\n")
      try run.wait(forOutput: "family | child ")
      let child = try #require(run.lines.compactMap { $0.split(separator: "child ").last.flatMap { Int32($0) } }.first)
      #expect(try run.end(by: signal) == 0)
      #expect(run.output.contains("polite | closing\n"))
      #expect(!Self.isAlive(child))
    }
  }

  @Test func `what does not end in time is killed`() async throws {
    try await onOwnThread {
      let run = try Child(
        "supervise", ["--grace", "0.01", "deaf: trap '' TERM; echo ready; while :; do sleep 0.01; done"])
      try run.wait(forOutput: "deaf | ready\n")
      #expect(try run.end(by: SIGTERM) == 137)
      #expect(run.errors.contains("deaf * was ended by SIGKILL\n"))
    }
  }

  @Test func `a child that outlives its command is waited for, and killed if it does not end in time`() async throws {
    try await onOwnThread {
      for (grace, handler) in [("0.01", "''"), ("1000", "'sleep 0.1; echo closed; exit'")] {
        let child = "trap \(handler) TERM; echo child $$; while :; do sleep 0.01; done"
        let run = try Child(
          "supervise", ["--grace", grace, "a: sh -c \"\(child.replacing("$", with: "\\$"))\" & wait"])
        try run.wait(forOutput: "a | child ")
        let left = try #require(run.lines.last.flatMap { $0.split(separator: " ").last }.flatMap { Int32($0) })
        // A busy machine may take more than 0.01 seconds to end the command itself.
        let code = try run.end(by: SIGTERM)
        #expect(code == (run.errors.contains("a * was ended by SIGKILL\n") ? 137 : 0))
        #expect(!Self.isAlive(left))
        #expect(run.output.contains("a | closed") == (grace == "1000"))
      }
    }
  }

  @Test func `a command that has ended in time has succeeded, although its child is killed`() async throws {
    try await onOwnThread {
      let run = try Child(
        "supervise",
        [
          "--grace", "1000", "a: sh -c \"trap '' TERM; echo ready; while :; do sleep 0.01; done\" & wait",
        ])
      try run.wait(forOutput: "a | ready\n")
      run.signal(SIGTERM)
      try run.wait(forErrors: "a * was ended by SIGTERM\n")
      #expect(try run.end(by: SIGTERM) == 0)
    }
  }

  @Test func `a second signal kills at once`() async throws {
    try await onOwnThread {
      let run = try Child(
        "supervise", ["--grace", "1000", "deaf: trap 'echo no' TERM; echo ready; while :; do sleep 0.01; done"])
      try run.wait(forOutput: "deaf | ready\n")
      run.signal(SIGTERM)
      try run.wait(forOutput: "deaf | no\n")
      #expect(try run.end(by: SIGINT) == 137)
    }
  }

  @Test func `what a command leaves behind ends with it, and is not waited for`() async throws {
    try await onOwnThread {
      let run = try Child("supervise", ["a: sleep 1000 & echo $!"])
      #expect(try run.end() == 0)
      let left = try #require(run.lines.first.flatMap { Int32($0.dropFirst(4)) })
      #expect(!Self.isAlive(left))
      // A process that has left the group keeps the pipes, and continues to run.
      let other = try Child("supervise", ["a: setsid sh -c 'echo $$; exec sleep 1000' & sleep 1000"])
      try other.wait(forOutput: "\n")
      let escaped = try #require(other.lines.first.flatMap { Int32($0.dropFirst(4)) })
      defer { kill(escaped, SIGKILL) }
      #expect(try other.end(by: SIGTERM) == 0)
      #expect(Self.isAlive(escaped))
    }
  }

  @Test func `a line without an end comes in pieces`() async throws {
    try await onOwnThread {
      let run = try Child("supervise", ["a: head -c 1000000 /dev/zero | tr '\\0' x; echo; echo after"])
      #expect(try run.end() == 0)
      #expect(run.lines.last == "a | after")
      let pieces = run.lines.dropLast().map { $0.dropFirst(4) }
      #expect(pieces.map(\.count) == Array(repeating: 65_536, count: 15) + [1_000_000 - 15 * 65_536])
      #expect(pieces.allSatisfy { $0.utf8.allSatisfy { $0 == UInt8(ascii: "x") } })
    }
  }

  @Test func `much output is passed on whole`() async throws {
    try await onOwnThread {
      let run = try Child("supervise", ["a: seq 100000"])
      #expect(try run.end() == 0)
      #expect(run.lines.count == 100_000)
      #expect(run.lines.last == "a | 100000")
    }
  }

  @Test(arguments: [
    [], ["--restart", "often", "true"], ["--delay=-1", "true"], ["--delay", "5", "--max-delay", "1", "true"],
  ])
  func `wrong arguments are said to be`(_ arguments: [String]) async throws {
    let code = try await onOwnThread { try Child("supervise", arguments).end() }
    #expect(code == 64)
  }

  @Test func `the policy says how long to wait`() {
    let policy = RestartPolicy(
      restart: .failed, delay: .seconds(1), maxDelay: .seconds(10), healthy: .seconds(5), tries: 6)
    let delays = (1...7).map { policy.delay(after: .exited(1), count: $0) }
    #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(10), .seconds(10), nil])
    #expect(policy.delay(after: .exited(0), count: 1) == nil)
    #expect(policy.delay(after: .signalled(.kill), count: 1) == .seconds(1))
  }

  /// Returns whether a process runs. A zombie does not.
  private static func isAlive(_ pid: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .isoLatin1),
      let end = text.lastIndex(of: ")")
    else { return false }
    return !["Z", "X"].contains(text[text.index(after: end)...].split(separator: " ").first.map(String.init))
  }
}
