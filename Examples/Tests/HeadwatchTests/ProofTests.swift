import Foundation
import Testing

/// The built program under difficult conditions: floods of events, many writers, removed roots, and unreadable
/// directories.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ProofTests {
  @Test func `what the kernel drops is announced and found`() async throws {
    let scratch = Scratch()
    scratch.run("mkdir flood gone; touch gone/file")
    let program = try Program([], in: scratch)
    try await program.waitUntilWatching(scratch)
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let count = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines))) + 1_000
    // While the program is suspended, it does not read the queue.
    program.send(SIGSTOP)
    for index in 0..<count { scratch.write("flood/file\(index)", "") }
    scratch.run("rm -r gone; mkdir -p new/deep; touch new/deep/file")
    program.send(SIGCONT)
    let expected = Set(["removed   gone/", "created   new/deep/file", "created   flood/file\(count - 1)"])
    try await program.wait(for: "what was dropped") { expected.isSubset(of: program.lines) }
    scratch.write("end", "")
    try await program.wait(for: "the end") { program.lines.contains("created   end") }
    #expect(program.lines.contains { $0.hasPrefix("overflow") })
    let created = program.lines.filter { $0.hasPrefix("created   flood/") }
    #expect(created.count == count)
    #expect(Set(created).count == count)
  }

  /// No path is missing, and no path is stale.
  @Test func `the lines tell the tree that ten writers leave`() async throws {
    let scratch = Scratch()
    let program = try Program([], in: scratch)
    try await program.waitUntilWatching(scratch)
    let path = scratch.path
    let end = ContinuousClock.now + .seconds(2)
    await withTaskGroup { group in
      for index in 0..<10 {
        group.addTask {
          var random = SplitMix(state: UInt64(index))
          func name(_ depth: Int) -> String {
            (0..<depth).reduce(path) { path, _ in "\(path)/\(["a", "b", "c"][random.below(3)])" }
          }
          while ContinuousClock.now < end {
            let depth = random.below(4) + 1
            let path = name(depth)
            switch random.below(8) {
            case 0...2: mkdir(path, 0o755)
            case 3: close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
            case 4: unlink(path)
            case 5: rmdir(path)
            // The depth stays the same, because the tree would otherwise grow deeper and deeper.
            default: rename(path, name(depth))
            }
            await Task.yield()
          }
        }
      }
    }
    scratch.write("end", "")
    try await program.wait(for: "the end") { program.lines.contains("created   end") }
    // Corrections after the first file are printed before the second one.
    scratch.write("end2", "")
    try await program.wait(for: "the end") { program.lines.contains("created   end2") }
    let known = Self.replay(program.lines)
    let real = Set(try FileManager.default.subpathsOfDirectory(atPath: path))
    #expect(known == real, "missing: \(real.subtracting(known)), stale: \(known.subtracting(real))")
  }

  /// Returns the paths that exist according to the lines.
  private static func replay(_ lines: [String]) -> Set<String> {
    var known: Set<String> = []
    func below(_ path: String) -> [String] { known.filter { $0 == path || $0.hasPrefix(path + "/") } }
    for line in lines {
      let words = line.split(separator: " ").map { $0.hasSuffix("/") ? String($0.dropLast()) : String($0) }
      guard words.count > 1 else { continue }
      switch words[0] {
      case "created": known.insert(words[1])
      case "removed": known.subtract(below(words[1]))
      case "renamed" where words.count == 4:
        known.subtract(below(words[3]))
        for path in below(words[1]) {
          known.remove(path)
          known.insert(words[3] + path.dropFirst(words[1].count))
        }
      default: break
      }
    }
    return known
  }

  @Test func `a root that goes is awaited`() async throws {
    let scratch = Scratch()
    scratch.run("mkdir -p parent/root; touch file")
    let program = try Program(["parent/root", "file"], in: scratch)
    var number = 0
    try await program.wait(for: "the watch to stand") {
      number += 1
      scratch.write("parent/root/probe\(number)", "")
      return program.text.contains("probe")
    }
    scratch.run("rm -r parent file")
    try await program.wait(for: "the end of both") {
      Set(["removed   parent/root/", "removed   file"]).isSubset(of: program.lines)
    }
    scratch.run("mkdir -p parent/root/deep; touch parent/root/deep/new file")
    let expected = Set(["created   parent/root/", "created   parent/root/deep/new", "created   file"])
    try await program.wait(for: "both again") { expected.isSubset(of: program.lines) }
    scratch.run("touch parent/root/deep/last")
    try await program.wait(for: "what happens there") { program.lines.contains("created   parent/root/deep/last") }
  }

  @Test(.enabled(if: !Program.isSanitized))
  func `a directory whose disk reports an error is named once, and watched when it can be read again`() async throws {
    let scratch = Scratch()
    scratch.run("mkdir -p sound broken/deep; touch ../outside/failing")
    let source = """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      ssize_t getdents64(int file, void *buffer, size_t size) {
        char link[64], path[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length < 0 ? 0 : length] = 0;
        if (length > 7 && !strcmp(path + length - 7, "/broken") && access(getenv("FAILING_WHILE"), F_OK) == 0) {
          errno = EIO;
          return -1;
        }
        return syscall(SYS_getdents64, file, buffer, size);
      }
      """
    try Data(source.utf8).write(to: URL(fileURLWithPath: "\(scratch.outside)/failing.c"))
    scratch.run("clang -shared -fPIC -o ../outside/failing.so ../outside/failing.c")
    let program = try Program(
      [], in: scratch,
      environment: [
        "LD_PRELOAD": "\(scratch.outside)/failing.so", "FAILING_WHILE": "\(scratch.outside)/failing",
      ])
    try await program.waitUntilWatching(scratch)
    #expect(program.errorText == "headwatch: ./broken is left out: i/o error\n")
    scratch.run("rm ../outside/failing")
    var number = 0
    try await program.wait(for: "the directory to be watched") {
      number += 1
      scratch.write("broken/deep/probe\(number)", "")
      return program.text.contains("broken/deep/probe")
    }
    #expect(!program.text.contains("removed"))
    #expect(program.errorText == "headwatch: ./broken is left out: i/o error\n")
  }

  @Test func `a directory that may not be read is named once and skipped`() async throws {
    let scratch = Scratch()
    scratch.run("chmod 755 .. .; mkdir -p open shut/deep; chmod 777 open; chmod 700 shut")
    // The superuser can read every directory, so the program then runs as another user.
    let isSuperuser = geteuid() == 0
    if isSuperuser {
      scratch.run("setpriv --reuid=65534 --clear-groups '\(Program.path)' --version && touch ../outside/possible")
      guard FileManager.default.fileExists(atPath: "\(scratch.outside)/possible") else { return }
    } else {
      scratch.run("chmod 000 shut")
    }
    defer { scratch.run("chmod 700 shut") }
    let program =
      isSuperuser
      ? try Program(["--reuid=65534", "--clear-groups", Program.path], in: scratch, running: "setpriv")
      : try Program([], in: scratch)
    var number = 0
    try await program.wait(for: "the watch to stand") {
      number += 1
      scratch.write("open/probe\(number)", "")
      return program.text.contains("probe")
    }
    #expect(program.errorText == "headwatch: ./shut is left out: permission denied\n")
    // The message is not repeated when the directory is scanned again.
    scratch.run("mv shut open/shut; mv open/shut shut; touch open/last")
    try await program.wait(for: "what follows") { program.text.contains("open/last") }
    #expect(program.errorText.components(separatedBy: "./shut is left out").count == 2, "\(program.errorText)")
  }

  @Test func `a file of rules may come later`() async throws {
    let scratch = Scratch()
    let program = try Program(["--ignore-file", "../outside/later/rules"], in: scratch)
    try await program.waitUntilWatching(scratch)
    scratch.run("mkdir ../outside/later; echo '*.o' >../outside/later/rules")
    // No event reports that the program has read the rules.
    var number = 0
    try await program.wait(for: "the rules to hold", every: .milliseconds(20)) {
      number += 1
      scratch.run("touch \(number).o \(number).c")
      return program.lines.contains { $0.hasSuffix(".c") } && !program.lines.suffix(4).contains { $0.hasSuffix(".o") }
    }
  }

  @Test func `without instances it says which limit to raise`() async throws {
    let scratch = Scratch()
    scratch.run("unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_inotify_instances' && touch ../outside/possible")
    guard FileManager.default.fileExists(atPath: "\(scratch.outside)/possible") else { return }
    let program = try Program(
      ["-Ur", "sh", "-c", "echo 0 >/proc/sys/user/max_inotify_instances && exec \"$0\" \"$@\"", Program.path],
      in: scratch, running: "unshare")
    #expect(try await program.exitCode() == 1)
    #expect(program.errorText.hasPrefix("headwatch: cannot start watching: "))
    #expect(program.errorText.contains("sudo sysctl fs.inotify.max_user_instances="))
  }
}

/// A random number generator with a seed.
private struct SplitMix {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) % UInt64(bound))
  }
}
