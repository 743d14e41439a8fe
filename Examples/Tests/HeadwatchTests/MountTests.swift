import Foundation
import Testing

/// File systems that are mounted in the watched tree while it is watched. The program and its mounts have namespaces of their own.
@Suite("Mounts")
struct MountTests {
  @Test func `a file system that is mounted in the tree is watched, until it is unmounted`() async throws {
    try await inNamespace { scratch, program, run in
      try await run("mount -t tmpfs x 'a/the mount'; mkdir 'a/the mount/deep'; touch 'a/the mount/deep/one'")
      try await program.wait(for: "the file") { program.lines.contains("created   a/the mount/deep/one") }
      #expect(program.lines.prefix(2) == ["removed   a/the mount/", "created   a/the mount/"])
      try await run("touch 'a/the mount/deep/two'")
      try await program.wait(for: "a later file") { program.lines.contains("created   a/the mount/deep/two") }
      let before = program.lines.count
      try await run("umount 'a/the mount'")
      try await program.wait(for: "the covered file") {
        program.lines[before...].contains("created   a/the mount/covered")
      }
      scratch.write("a/the mount/again", "")
      try await program.wait(for: "a file in the directory") { program.lines.contains("created   a/the mount/again") }
      #expect(program.errorText == "")
    }
  }

  @Test func `a directory that is bound to another place is watched there, too`() async throws {
    try await inNamespace { scratch, program, run in
      // Nothing is unmounted from the file system, so the kernel reports nothing to the watches.
      try await run("touch ../outside/first; mount --bind ../outside a")
      try await program.wait(for: "the file") { program.lines.contains("created   a/first") }
      try await run("umount a")
      try await program.wait(for: "the old directory") { program.lines.contains("created   a/the mount/covered") }
      let before = program.lines.count
      try await run("touch ../outside/second; touch a/seen")
      try await program.wait(for: "the file of the tree") { program.lines[before...].contains("created   a/seen") }
      #expect(!program.lines.contains { $0.contains("second") })
    }
  }

  @Test func `a file system that covers the root is watched, also after a lazy unmount`() async throws {
    try await inNamespace(watchesPath: true) { scratch, program, run in
      try await run("mount -t tmpfs x \"$PWD\"; touch \"$PWD/new\"")
      try await program.wait(for: "the file") { program.lines.contains("created   \(scratch.path)/new") }
      let before = program.lines.count
      try await run("umount -l \"$PWD\"")
      try await program.wait(for: "the old tree") {
        program.lines[before...].contains("created   \(scratch.path)/a/the mount/covered")
      }
    }
  }

  /// Runs `body` with a program that watches, and with a closure that runs a script where the program runs. Does nothing
  /// if the system allows no namespaces.
  private func inNamespace(
    watchesPath: Bool = false, _ body: (Scratch, Program, (String) async throws -> Void) async throws -> Void
  ) async throws {
    let scratch = Scratch()
    scratch.run("unshare -Urm sh -c 'mount -t tmpfs x .' && touch ../outside/possible")
    guard FileManager.default.fileExists(atPath: "\(scratch.outside)/possible") else { return }
    scratch.run("mkdir -p 'a/the mount'; touch 'a/the mount/covered'; mkfifo ../outside/scripts")
    let reader = """
      exec 3<>../outside/scripts
      (while read -t 60 -r line <&3; do eval "$line"; echo >>../outside/done; done) &
      exec "$0" "$@"
      """
    let program = try Program(
      ["-Urm", "bash", "-c", reader, Program.path] + (watchesPath ? [scratch.path] : []), in: scratch,
      running: "unshare")
    try await program.waitUntilWatching(scratch)
    var count = 0
    func run(_ script: String) async throws {
      count += 1
      scratch.run("cat >../outside/scripts <<'end'\n\(script)\nend")
      try await program.wait(for: "the script") { scratch.readOutside("done").count == count }
    }
    try await body(scratch, program, run)
    program.send(SIGTERM)
    _ = try await program.exitCode()
  }
}
