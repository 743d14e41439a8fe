import Foundation
import Testing

/// The built program when it polls, because the system does not report changes.
@Suite(.serialized, .timeLimit(.minutes(15))) struct PollingTests {
  @Test(arguments: ["--poll=5ms", "--poll"]) func `polling on request`(_ option: String) async throws {
    let scratch = Scratch()
    let program = try Program([option], in: scratch)
    try await program.waitUntilWatching(scratch)
    #expect(scratch.watches(of: program.pid) == 0)
    scratch.run("mkdir -p a/b; touch a/b/c; rm -r a; printf x >end")
    try await program.wait(for: "the end") { program.lines.contains { $0.hasSuffix(" end") } }
    // Polling reports a rename as a removal and a creation.
    scratch.run("mv end moved")
    try await program.wait(for: "the rename") {
      Set(["removed   end", "created   moved"]).isSubset(of: program.lines)
    }
    #expect(program.errorText.isEmpty)
  }

  @Test func `at the limit the rest is polled`() async throws {
    let scratch = Scratch()
    scratch.run("for i in $(seq 30); do mkdir -p d$i; done")
    // A user namespace has its own limits. If the test may not create one, it ends here.
    scratch.run("unshare -Ur sh -c 'echo 20 >/proc/sys/user/max_inotify_watches' && touch ../outside/possible")
    guard FileManager.default.fileExists(atPath: "\(scratch.outside)/possible") else { return }
    let program = try Program(
      ["-Ur", "sh", "-c", "echo 20 >/proc/sys/user/max_inotify_watches && exec \"$0\" \"$@\"", Program.path],
      in: scratch, running: "unshare")
    try await program.waitUntilWatching(scratch)
    scratch.run("for i in $(seq 30); do touch d$i/file; done")
    let expected = Set((1...30).map { "created   d\($0)/file" })
    try await program.wait(for: "all files") { expected.isSubset(of: program.lines) }
    #expect(
      program.errorText.hasPrefix(
        "headwatch: the limit on inotify watches has been reached (fs.inotify.max_user_watches is "))
    #expect(program.errorText.contains(" directories are polled. "))
    #expect(program.errorText.contains("Raise it with: sudo sysctl fs.inotify.max_user_watches="))
    #expect(program.errorText.split(separator: "\n").count == 1)
    scratch.run("rm -r d1; mkdir new; touch new/file; mv d30 moved; echo x >moved/file")
    try await program.wait(for: "the rest") {
      Set(["removed   d1/", "created   new/file"]).isSubset(of: program.lines) && program.text.contains("moved/")
    }
  }

  @Test func `a directory that is made again below a polled one is found, although no watch is free`() async throws {
    let scratch = Scratch()
    scratch.run(
      """
      unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_inotify_watches' && touch ../outside/possible
      mkfifo ../outside/limits
      """)
    guard FileManager.default.fileExists(atPath: "\(scratch.outside)/possible") else { return }
    // Sets the limit of the namespace to each number that it reads from the FIFO. `<>` opens the FIFO once, for reading
    // and writing, so `read` finds no end between two writers, and no number is lost.
    let script = """
      set_limit() { echo $1 >/proc/sys/user/max_inotify_watches; touch ../outside/limit$1; }
      set_limit 0
      (while read number && [ $number != end ]; do set_limit $number; done) <>../outside/limits >/dev/null 2>&1 &
      exec "$0" "$@"
      """
    func setLimit(_ number: Int) {
      scratch.run(
        """
        rm -f ../outside/limit\(number); echo \(number) >../outside/limits
        until [ -e ../outside/limit\(number) ]; do sleep 0.01; done
        """)
    }
    let program = try Program(["-Ur", "sh", "-c", script, Program.path], in: scratch, running: "unshare")
    defer { scratch.run("timeout 10 sh -c 'echo end >../outside/limits'") }
    try await program.waitUntilWatching(scratch)
    setLimit(100)
    scratch.run("mkdir d; touch d/old")
    try await program.wait(for: "the directory") { program.lines.contains("created   d/old") }
    setLimit(0)
    scratch.run("rm -r d; mkdir d")
    try await program.wait(for: "the new directory") { program.lines.count { $0 == "created   d/" } == 2 }
    scratch.run("touch d/new")
    try await program.wait(for: "the new file") { program.lines.contains("created   d/new") }
  }

  @Test func `at the limit the ends of links are polled`() async throws {
    let scratch = Scratch()
    scratch.run(
      """
      for i in $(seq 30); do mkdir ../outside/d$i; echo >../outside/d$i/file; ln -s ../outside/d$i/file l$i; done
      unshare -Ur sh -c 'echo 20 >/proc/sys/user/max_inotify_watches' && touch ../outside/possible
      """)
    guard FileManager.default.fileExists(atPath: "\(scratch.outside)/possible") else { return }
    let program = try Program(
      [
        "-Ur", "sh", "-c", "echo 20 >/proc/sys/user/max_inotify_watches && exec \"$0\" \"$@\"", Program.path,
        "--follow",
      ],
      in: scratch, running: "unshare")
    try await program.waitUntilWatching(scratch)
    #expect(program.errorText.contains("the limit on inotify watches has been reached"))
    let all = Set((1...30).map { "modified  l\($0)" })
    for script in [
      "echo more >>FILE", "rm FILE", "echo back >FILE", "echo new >../outside/new; mv ../outside/new FILE",
    ] {
      let before = program.lines.count
      scratch.run(
        "for i in $(seq 30); do \(script.replacingOccurrences(of: "FILE", with: "../outside/d$i/file")); done")
      try await program.wait(for: "all links after \(script)") { all.isSubset(of: program.lines[before...]) }
    }
    scratch.run("rm l1; ln -s ../outside/d2/file l30x; rm l30; mv l30x l30; touch end")
    try await program.wait(for: "the end") { program.lines.contains("created   end") }
    let before = program.lines.count
    scratch.run("for i in 1 2 30; do echo end >>../outside/d$i/file; done")
    try await program.wait(for: "the links that are left") {
      Set(["modified  l2", "modified  l30"]).isSubset(of: program.lines[before...])
    }
    #expect(!program.lines[before...].contains("modified  l1"))
  }

  @Test func `a file system in user space is polled by itself`() async throws {
    let scratch = Scratch()
    scratch.run("mkdir mounted; bindfs ../outside mounted && touch ../outside/possible")
    guard FileManager.default.fileExists(atPath: "\(scratch.path)/mounted/possible") else { return }
    defer { scratch.run("fusermount -u mounted || umount mounted") }
    let program = try Program([], in: scratch)
    try await program.waitUntilWatching(scratch)
    #expect(
      program.errorText
        == "headwatch: ./mounted is polled, because its file system (FUSE) does not report all changes\n")
    // This change bypasses the mount, so no event reports it.
    scratch.run("touch ../outside/remote")
    try await program.wait(for: "the file") { program.lines.contains("created   mounted/remote") }
    program.send(SIGTERM)
    _ = try await program.exitCode()
  }
}
