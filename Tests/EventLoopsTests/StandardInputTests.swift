import Foundation
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Standard input, and descriptors that the system cannot watch.
@Suite(.noLiveResources)
struct StandardInputTests {
  /// The output of the probe when a shell sets its standard input with `redirection`.
  private func lines(_ redirection: String) async throws -> String {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("loop-probe").path
    return try await onLoop { _ in
      let shell = ProcessCommand("sh", ["-c", redirection.replacingOccurrences(of: "PROBE", with: program)])
      return String(try await Operation.output(of: shell).value.output)
    }
  }

  @Test(
    arguments: [
      ("printf 'one\\ntwo\\n' | PROBE standard-input", "one\ntwo\nend\nreturned\n"),
      ("PROBE standard-input < /dev/null", "end\nreturned\n"),
      ("PROBE standard-input < /proc/self/cmdline > /dev/null && echo read", "read\n"),
      ("PROBE standard-input <&-", "failed: read /dev/stdin: bad file descriptor (EBADF)\nreturned\n"),
    ])
  func `is read, whatever it is`(_ redirection: String, _ output: String) async throws {
    #expect(try await lines(redirection) == output)
  }

  @Test func `Who reads a pipe after it can wait for more`() async throws {
    // The pipe is empty when cat begins. If reading did not block, cat would read nothing and end with an error.
    let output = try await lines(
      """
      d=$(mktemp -d); mkfifo $d/go
      (echo one; cat $d/go; echo two) | (PROBE first-line; (echo now > $d/go)& cat)
      rm -r $d
      """)
    #expect(output == "one\nreturned\nnow\ntwo\n")
  }

  @Test func `a pipe stays in blocking mode for others while it is read`() async throws {
    // The probe has the pipe twice when it reads it.
    let output = try await lines(
      """
      d=$(mktemp -d); mkfifo $d/go
      (cat $d/go; echo one) | (
        exec 3<&0; pipe=$(readlink /proc/self/fd/3)
        PROBE standard-input <&3 3<&- &
        until [ "$(ls -l /proc/$!/fd | grep -cF "$pipe")" -ge 2 ]; do sleep 0.01; done
        flags=$(sed -n 's/flags:[[:space:]]*//p' /proc/$!/fdinfo/0)
        [ $(($flags & 04000)) -eq 0 ] && echo blocking
        echo >$d/go; wait
      )
      rm -r $d
      """)
    #expect(output == "blocking\n\none\nend\nreturned\n")
  }

  @Test func `A file is written through a PipeHandle, and reading it fails`() async throws {
    let scratch = Scratch()
    FileStreamTests.write("old", to: scratch("a"))
    try await onLoop { _ in
      let pipe = try PipeHandle(descriptor: Foundation.open(scratch("a"), O_RDWR | O_CLOEXEC))
      var ends: [String] = []
      pipe.bytes.observe(next: { _ in }, termination: { ends.append($0.failure?.name ?? "end") }).dispose()
      #expect(ends == ["EPERM"])
      pipe.write("new")
      _ = try await pipe.finishing().firstValue()
      pipe.dispose()
    }
    #expect(try String(contentsOfFile: scratch("a"), encoding: .utf8) == "new")
  }
}
