import Foundation
import StreamsTesting
import Testing

/// The example `processes` as a program.
@Suite("processes, the program") struct ProcessesProgramTests {
  @Test func `once prints one table and ends`() async throws {
    let run = try await Run.example("processes", ["--once", "--sort", "pid"])
    #expect(run.exitCode == 0)
    #expect(run.lines.first?.split(separator: " ") == ["PID", "S", "TIME", "MEMORY", "NAME"])
    let pids = run.lines.dropFirst().compactMap { $0.split(separator: " ").first.flatMap { Int32($0) } }
    #expect(pids.count == run.lines.count - 1)
    #expect(pids == pids.sorted())
    #expect(pids.contains(getpid()))
  }

  @Test func `a wrong option is said to be one`() async throws {
    #expect(try await Run.example("processes", ["--sort", "name"]).exitCode == 64)
    #expect(try await Run.example("processes", ["--interval", "0"]).exitCode == 64)
  }

  @Test(arguments: [["--once"], []]) func `a full disk is said, and ends it`(_ arguments: [String]) async throws {
    try await onOwnThread {
      let run = try Child(onFullDisk: "processes", arguments)
      #expect(try run.end() == 1)
      #expect(run.errors == "processes: cannot write: No space left on device\n")
    }
  }

  @Test func `it tells of a process that comes and goes, and ends by a signal`() async throws {
    try await onOwnThread {
      let run = try LiveRun("processes", ["sleep", "--interval", "0.02"])
      #expect(run.read { $0.contains("NAME\n") })
      let sleep = Process()
      sleep.executableURL = URL(fileURLWithPath: "/bin/sleep")
      sleep.arguments = ["1000"]
      try sleep.run()
      let pid = "\(sleep.processIdentifier)"
      func tells(_ sign: Character) -> (String) -> Bool {
        { output in
          output.split(separator: "\n").contains {
            $0.first == sign && $0.dropFirst().split(separator: " ").first.map(String.init) == pid
          }
        }
      }
      #expect(run.read(until: tells("+")))
      // The threads that run tests block signals, and children inherit that. SIGKILL cannot be blocked.
      kill(sleep.processIdentifier, SIGKILL)
      sleep.waitUntilExit()
      #expect(run.read(until: tells("-")))
      #expect(run.end(by: SIGINT) == 0)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `the terminal is put back`(_ signal: Int32) async throws {
    try await onOwnThread {
      let run = try LiveRun("processes", ["--interval", "0.02"], inTerminal: true)
      #expect(run.read { $0.contains("NAME") })
      #expect(run.output.hasPrefix("\u{1b}[?1049h\u{1b}[?25l"))
      #expect(run.end(by: signal) == 0)
      #expect(run.output.hasSuffix("\u{1b}[?25h\u{1b}[?1049l"))
    }
  }
}
