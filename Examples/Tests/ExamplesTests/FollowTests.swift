import Foundation
import StreamsTesting
import Testing

/// The example `follow`, with files that grow, and are rotated, truncated, created, and replaced.
@Suite("follow") struct FollowTests {
  @Test func `the last lines come first, then what is added`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      folder.write("log", (1...30).map { "line \($0)\n" }.joined())
      let run = try Child("follow", [folder.path("log")])
      try run.wait(forOutput: "line 30\n")
      #expect(run.lines == (21...30).map { "line \($0)" })
      folder.append("log", "more\npart")
      try run.wait(forOutput: "part")
      folder.append("log", " and whole\n")
      try run.wait(forOutput: "whole\n")
      #expect(run.lines.suffix(2) == ["more", "part and whole"])
      #expect(run.errors == "")
    }
  }

  @Test(arguments: [0, 1, 2, 3, 4, 1000])
  func `as many lines as are wanted`(_ count: Int) async throws {
    try await onOwnThread {
      let folder = try Folder()
      // One line does not fit into one read, and the last line has no newline.
      let long = String(repeating: "x", count: 100_000)
      folder.write("log", "a\n\(long)\nb")
      let run = try Child("follow", ["-n", "\(count)", folder.path("log")])
      if count == 0 {
        // The program does not report that it has begun, so the test appends until something is printed.
        try run.wait(for: "what is added") {
          folder.append("log", "+")
          return $0.output.hasSuffix("+")
        }
        #expect(run.output.allSatisfy { $0 == "+" })
      } else {
        try run.wait(for: "the end of the file") { $0.output.hasSuffix("b") }
        folder.append("log", "END\n")
        try run.wait(forOutput: "END\n")
        #expect(run.lines == ["a", long, "bEND"].suffix(count))
      }
    }
  }

  @Test func `a file that is rotated is printed to its end, then the new one`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      folder.write("log", "old\n")
      let run = try Child("follow", [folder.path("log")])
      try run.wait(forOutput: "old\n")
      folder.append("log", "first\n")
      try run.wait(forOutput: "first\n")
      for round in 1...3 {
        folder.move("log", "log.\(round)")
        try run.wait(for: "the word") { $0.errors.count { $0 == "\n" } >= round * 2 - 1 }
        // The writer has not noticed the rotation yet.
        folder.append("log.\(round)", "late \(round)\n")
        folder.write("log", "new \(round)\n")
        try run.wait(forOutput: "new \(round)\n")
        folder.append("log", "more \(round)\n")
        try run.wait(forOutput: "more \(round)\n")
      }
      #expect(run.lines == ["old", "first"] + (1...3).flatMap { ["late \($0)", "new \($0)", "more \($0)"] })
      let name = folder.path("log")
      #expect(
        run.errors.split(separator: "\n")
          == (1...3).flatMap { _ in
            ["follow: \(name) is not there: waiting for it", "follow: \(name) is another file now"]
          })
    }
  }

  @Test func `a file that is replaced at once is followed, too`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      folder.write("log", "one\n")
      let run = try Child("follow", [folder.path("log")])
      try run.wait(forOutput: "one\n")
      for round in 1...3 {
        folder.write("next", "round \(round)\n")
        folder.move("next", "log")
        try run.wait(forOutput: "round \(round)\n")
      }
      #expect(run.lines == ["one", "round 1", "round 2", "round 3"])
    }
  }

  @Test func `a file that is cut off begins anew`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      folder.write("log", "a long line that is there at first\n")
      let run = try Child("follow", [folder.path("log")])
      try run.wait(forOutput: "at first\n")
      try #require(truncate(folder.path("log"), 0) == 0)
      try run.wait(forErrors: "log has been cut off\n")
      folder.append("log", "short\n")
      try run.wait(forOutput: "short\n")
      #expect(run.lines == ["a long line that is there at first", "short"])
    }
  }

  @Test func `a file that is not there yet is waited for`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      let run = try Child("follow", [folder.path("log")])
      try run.wait(forErrors: "log is not there: waiting for it\n")
      folder.write("other", "no\n")
      folder.write("log", "yes\n")
      try run.wait(forOutput: "yes\n")
      folder.append("log", "more\n")
      try run.wait(forOutput: "more\n")
      #expect(run.lines == ["yes", "more"])
    }
  }

  @Test(arguments: ["log", "one/log", "one/two//three/log"])
  func `a file in a directory that is not there yet is waited for`(_ name: String) async throws {
    try await onOwnThread {
      let folder = try Folder()
      let run = try Child("follow", [folder.path("new/" + name)])
      try run.wait(forErrors: "new/\(name) is not there: waiting for it\n")
      // The directories are made one by one, after the program has begun to wait for the first one.
      try run.wait(for: "a watch") { Self.hasWatch($0) }
      var directory = "new"
      for part in name.split(separator: "/") {
        folder.makeDirectory(directory)
        folder.write(directory + "/other", "no\n")
        directory += "/\(part)"
      }
      folder.write("new/" + name, "yes\n")
      try run.wait(forOutput: "yes\n")
      folder.append("new/" + name, "more\n")
      try run.wait(forOutput: "more\n")
      #expect(run.lines == ["yes", "more"])
      #expect(run.errors.count { $0 == "\n" } == 1)
    }
  }

  /// Whether a program watches a path with inotify.
  private static func hasWatch(_ child: Child) -> Bool {
    let folder = "/proc/\(child.pid)/fdinfo"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { name in
      (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))?.contains("inotify wd:") == true
    }
  }

  @Test(arguments: [true, false])
  func `only a regular file is followed, also if another takes its path`(_ isDirectory: Bool) async throws {
    try await onOwnThread {
      let folder = try Folder()
      let message = "follow: cannot follow \(folder.path("log")): it is not a regular file\n"
      if isDirectory { folder.makeDirectory("log") } else { try #require(mkfifo(folder.path("log"), 0o600) == 0) }
      let first = try Child("follow", [folder.path("log")])
      #expect(try first.end() == 1)
      #expect(first.errors == message)
      folder.move("log", "later")
      folder.write("log", "text\n")
      let second = try Child("follow", [folder.path("log")])
      try second.wait(forOutput: "text\n")
      folder.move("log", "log.1")
      folder.move("later", "log")
      #expect(try second.end() == 1)
      #expect(second.errors.hasSuffix(message))
    }
  }

  @Test func `several files have their names above what comes from them`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      folder.write("a", "1\n")
      folder.write("b", "2\n")
      let (a, b) = (folder.path("a"), folder.path("b"))
      let run = try Child("follow", ["-n", "1", a, b])
      try run.wait(forOutput: "2\n")
      folder.append("b", "3\n")
      try run.wait(forOutput: "3\n")
      folder.append("a", "4\n")
      try run.wait(forOutput: "4\n")
      #expect(run.output == "==> \(a) <==\n1\n\n==> \(b) <==\n2\n3\n\n==> \(a) <==\n4\n")
    }
  }

  @Test func `it waits for who reads slowly, and loses nothing`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      let text = (1...200_000).map { "line \($0)\n" }.joined()
      folder.write("log", text)
      let run = try Child("follow", ["-n", "1000000", folder.path("log")])
      folder.append("log", "END\n")
      try run.wait(for: "the end") { $0.bytes.suffix(4) == Array("END\n".utf8) }
      #expect(run.output == text + "END\n")
    }
  }

  @Test func `what cannot be followed is said, and ends it where nothing is left`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      folder.write("file", "")
      let run = try Child("follow", [folder.path("file/log")])
      #expect(try run.end() == 1)
      #expect(run.errors.hasSuffix("follow: cannot watch \(folder.path("file/log")): not a directory\n"))
      #expect(try Child("follow", []).end() == 64)
      #expect(try Child("follow", [""]).end() == 64)
      #expect(try Child("follow", ["-n", "x", "/dev/null"]).end() == 64)
    }
  }

  @Test func `a full disk is said, and ends it`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      folder.write("log", "there\n")
      let run = try Child(onFullDisk: "follow", [folder.path("log")])
      #expect(try run.end() == 1)
      #expect(run.errors == "follow: cannot write: No space left on device\n")
    }
  }

  @Test func `a signal ends it`() async throws {
    try await onOwnThread {
      let folder = try Folder()
      folder.write("log", "there\n")
      let run = try Child("follow", [folder.path("log")])
      try run.wait(forOutput: "there\n")
      #expect(try run.end(by: SIGINT) == -SIGINT)
    }
  }
}
