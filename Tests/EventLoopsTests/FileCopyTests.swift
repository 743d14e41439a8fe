#if os(Linux)
import Foundation
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@_silgen_name("setfsuid") private func setfsuid(_ user: UInt32) -> Int32

@Suite("Copies of files", .noLiveResources, .timeLimit(.minutes(15)))
struct FileCopyTests {
  @Test func `a copy ends where the file ends, whatever size is reported`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      // Reported as empty, and as 4096 bytes.
      for path in ["/proc/version", "/sys/kernel/uevent_seqnum"] {
        try #require(try await Files.status(of: path).value.size == (path.hasPrefix("/proc") ? 0 : 4096))
        try await Files.copy(path, to: scratch("copy")).value
        #expect(
          try String(contentsOfFile: scratch("copy"), encoding: .utf8).hasPrefix(path.hasPrefix("/proc") ? "Linux" : "")
        )
        #expect(try await (1...64).contains(Files.status(of: scratch("copy")).value.size) == path.hasPrefix("/sys"))
      }
    }
  }

  @Test func `a copy replaces the content of its target, with the permissions`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      var bytes = [UInt8](repeating: 0, count: 1_000_003)
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 >> 3) }
      try Data(bytes).write(to: URL(fileURLWithPath: scratch("a")))
      try await Files.setPermissions(0o2750, of: scratch("a")).value
      try Data(repeating: 1, count: 2_000_000).write(to: URL(fileURLWithPath: scratch("b")))
      try await Files.makeSymbolicLink(scratch("link"), to: scratch("b")).value
      for options in [[], .clone] as [CopyOptions] {
        try await Files.copy(scratch("a"), to: scratch("link"), options: options).value
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch("b"))) == Data(bytes))
        #expect(try await Files.status(of: scratch("b")).value.permissions == 0o2750)
        try Data(repeating: 1, count: 2_000_000).write(to: URL(fileURLWithPath: scratch("b")))
      }
      do {
        try await Files.copy(scratch("a"), to: scratch("b"), options: .cloneOrFail).value
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch("b"))) == Data(bytes))
      } catch {
        // The file system has no clones.
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch("b"))).count == 2_000_000)
      }
      try await Files.copy(scratch("a"), to: scratch("a")).value
      #expect(try Data(contentsOf: URL(fileURLWithPath: scratch("a"))) == Data(bytes))
    }
  }

  @Test func `what cannot be copied leaves no target, and a device stays`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      try Data("content".utf8).write(to: URL(fileURLWithPath: scratch("a")))
      let names = "\(scratch("a")) -> \(scratch("full"))"
      try await Files.makeSymbolicLink(scratch("full"), to: "/dev/full").value
      #expect(
        await failure { try await Files.copy(scratch("a"), to: scratch("full")).value }
          == UVError(errno: ENOSPC, call: "copy", path: names))
      #expect(try await Files.status(ofLink: scratch("full")).value.kind == .symbolicLink)
      #expect(await failure { try await Files.copy(scratch(""), to: scratch("b")).value }?.name == "EISDIR")
      #expect(await failure { try await Files.copy(scratch("no"), to: scratch("b")).value }?.name == "ENOENT")
      #expect(await failure { try await Files.copy("a\0b", to: scratch("b")).value }?.name == "EINVAL")
      #expect(await failure { _ = try await Files.status(of: scratch("b")).value }?.name == "ENOENT")
    }
  }

  @Test(arguments: [false, true]) func `a copy without an end stops when it is disposed, or when its loop shuts down`(
    _ shutsDown: Bool
  ) async throws {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      #expect(symlink(scratch("b"), scratch("link")) == 0)
      let copy = Files.copy("/dev/zero", to: scratch("link")).record()
      while access(scratch("b"), F_OK) != 0 { _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1))) }
      if shutsDown {
        loop.shutdown()
        #expect(copy.failure?.name == "ECANCELED")
      } else {
        copy.dispose()
        loop.run()
        #expect(copy.events.isEmpty)
        loop.shutdown()
      }
      #expect(access(scratch("b"), F_OK) != 0)
      // The path is a link to it.
      var status = stat()
      #expect(lstat(scratch("link"), &status) == 0)
    }
  }

  @Test func `a copy that fails leaves nothing behind a link`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      #expect(FileManager.default.createFile(atPath: scratch("a"), contents: Data("a".utf8)))
      #expect(symlink(scratch("b"), scratch("link")) == 0)
      // /proc cannot be cloned.
      #expect(
        await failure { try await Files.copy("/proc/version", to: scratch("link"), options: .cloneOrFail).value } != nil
      )
      #expect(access(scratch("b"), F_OK) != 0)
      try await Files.copy(scratch("a"), to: scratch("link")).value
      #expect(FileManager.default.contents(atPath: scratch("b")) == Data("a".utf8))
    }
  }

  @Test func `a copy to a FIFO fails when the reader leaves`() async throws {
    let scratch = Scratch()
    #expect(mkfifo(scratch("fifo"), 0o600) == 0)
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let reader = open(scratch("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      let copy = Files.copy("/dev/zero", to: scratch("fifo")).record()
      _ = try loop.run(until: Operation.poll(reader, for: .readable))
      close(reader)
      // Returns when the copy has ended.
      loop.run()
      #expect(copy.failure?.name == "EPIPE")
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func `a copy over the file of another user fails, and changes nothing`() throws {
    let scratch = Scratch()
    for name in ["a", "b"] {
      #expect(FileManager.default.createFile(atPath: scratch(name), contents: Data(name.utf8)))
    }
    #expect(chmod(scratch("b"), 0o666) == 0 && chmod(scratch.path, 0o777) == 0)
    _ = setfsuid(65_534)
    defer { _ = setfsuid(0) }
    #expect(throws: UVError(errno: EPERM, call: "copy", path: "\(scratch("a")) -> \(scratch("b"))")) {
      try FileCopy(scratch("a"), scratch("b"), []).run()
    }
    #expect(FileManager.default.contents(atPath: scratch("b")) == Data("b".utf8))
  }

  @Test(arguments: [false, true]) func `a disposed copy does not touch what is at its path afterwards`(
    _ isReplaced: Bool
  ) async throws {
    let scratch = Scratch()
    let write: @Sendable (String) -> Void = { text in
      #expect(FileManager.default.createFile(atPath: scratch("b"), contents: Data(text.utf8)))
    }
    try await onOwnThread {
      let loop = Loop()
      for round in 0..<20 {
        let copy = Files.copy("/dev/zero", to: scratch("b")).record()
        while access(scratch("b"), F_OK) != 0 { _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1))) }
        if isReplaced {
          #expect(rename(scratch("b"), scratch("moved")) == 0)
          write("another file \(round)")
        }
        copy.dispose()
        if !isReplaced {
          #expect(access(scratch("b"), F_OK) != 0)
          write("another file \(round)")
        }
        // Returns when the thread of the pool has ended.
        loop.run()
        #expect(FileManager.default.contents(atPath: scratch("b")) == Data("another file \(round)".utf8))
        #expect(remove(scratch("b")) == 0)
      }
      loop.shutdown()
    }
  }

  @Test func `a stopped copy is removed from where it is, if the program has changed its directory`() async {
    await #expect(processExitsWith: .success) {
      try await onOwnThread {
        let scratch = Scratch()
        #expect(chdir(scratch.path) == 0)
        let loop = Loop()
        let copy = Files.copy("/dev/zero", to: "b").record()
        while access("b", F_OK) != 0 { _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1))) }
        #expect(chdir("/") == 0)
        copy.dispose()
        #expect(access(scratch("b"), F_OK) != 0)
        loop.shutdown()
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func `a copy by a user keeps the permission to run as that user`() throws {
    let scratch = Scratch()
    #expect(FileManager.default.createFile(atPath: scratch("a"), contents: Data("a".utf8)))
    #expect(chown(scratch("a"), 65_534, 65_534) == 0 && chmod(scratch("a"), 0o4751) == 0)
    #expect(chmod(scratch.path, 0o777) == 0)
    _ = setfsuid(65_534)
    defer { _ = setfsuid(0) }
    try FileCopy(scratch("a"), scratch("b"), []).run()
    var status = stat()
    #expect(stat(scratch("b"), &status) == 0 && status.st_mode & 0o7777 == 0o4751)
  }
}
#endif
