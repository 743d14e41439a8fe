import Foundation
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@_silgen_name("setfsuid") private func setfsuid(_ user: UInt32) -> Int32

@Suite("Files", .noLiveResources, .timeLimit(.minutes(15)))
struct FilesTests {
  @Test func `directories are made, listed and removed`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      try await Files.makeDirectory(scratch("d"), permissions: 0o700).value
      #expect(try await Files.status(of: scratch("d")).value.permissions == 0o700)
      let file = try await Files.open(scratch("d/file"), for: .writing, options: .create).value
      try await file.close().value
      try await Files.makeDirectory(scratch("d/directory")).value
      try await Files.makeSymbolicLink(scratch("d/link"), to: "file").value
      #expect(mkfifo(scratch("d/pipe"), 0o600) == 0)
      let entries = try await Files.entries(of: scratch("d")).value
      #expect(entries.map(\.name) == ["directory", "file", "link", "pipe"])
      #expect(entries.map(\.kind) == [.directory, .file, .symbolicLink, .pipe])
      #expect(
        await failure { try await Files.removeDirectory(scratch("d")).value }
          == UVError(code: -ENOTEMPTY, call: "uv_fs_rmdir", path: scratch("d")))
      for name in ["file", "link", "pipe"] { try await Files.remove(scratch("d/\(name)")).value }
      try await Files.removeDirectory(scratch("d/directory")).value
      #expect(try await Files.entries(of: scratch("d")).value == [])
      try await Files.removeDirectory(scratch("d")).value
      #expect(await failure { _ = try await Files.entries(of: scratch("d")).value }?.call == "uv_fs_scandir")
    }
  }

  @Test func `links lead somewhere, and have a status of their own`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let file = try await Files.open(scratch("file"), for: .writing, options: .create).value
      try await file.write("12345").value
      file.dispose()
      try await Files.makeLink(scratch("second"), to: scratch("file")).value
      try await Files.makeSymbolicLink(scratch("link"), to: "./file").value
      #expect(try await Files.destination(ofLink: scratch("link")).value == "./file")
      #expect(try await Files.realPath(of: scratch("link")).value == scratch("file"))
      let status = try await Files.status(of: scratch("link")).value
      #expect(status.size == 5 && status.links == 2)
      #expect(try await Files.status(of: scratch("second")).value.inode == status.inode)
      #expect(try await Files.status(ofLink: scratch("link")).value.kind == .symbolicLink)
      let moment = Timestamp(sinceEpoch: .seconds(1000))
      try await Files.setTimes(ofLink: scratch("link"), accessed: moment, modified: moment).value
      #expect(try await Files.status(ofLink: scratch("link")).value.modified == moment)
      #expect(try await Files.status(of: scratch("link")).value.modified > moment)
      try await Files.setTimes(of: scratch("file"), accessed: moment, modified: moment).value
      #expect(try await Files.status(of: scratch("file")).value.accessed == moment)
      try await Files.setOwner(ofLink: scratch("link"), getuid(), group: getgid()).value
      try await Files.setOwner(of: scratch("link"), nil, group: nil).value
      #expect(await failure { _ = try await Files.destination(ofLink: scratch("file")).value }?.name == "EINVAL")
      #expect(await failure { _ = try await Files.realPath(of: scratch("no")).value }?.name == "ENOENT")
    }
  }

  @Test func `files are copied, renamed, and asked for access`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let file = try await Files.open(scratch("a"), for: .writing, options: .create, permissions: 0o640).value
      try await file.write("content").value
      try await file.close().value
      try await Files.copy(scratch("a"), to: scratch("b")).value
      #expect(try await Files.status(of: scratch("b")).value.size == 7)
      #expect(
        await failure { try await Files.copy(scratch("a"), to: scratch("b"), options: .exclusive).value }
          == UVError(errno: EEXIST, call: "copy", path: "\(scratch("a")) -> \(scratch("b"))"))
      try await Files.copy(scratch("a"), to: scratch("b"), options: .clone).value
      try await Files.rename(scratch("b"), to: scratch("c")).value
      #expect(await failure { try await Files.checkAccess(to: scratch("b")).value }?.name == "ENOENT")
      try await Files.checkAccess(to: scratch("c"), for: [.read, .write]).value
      #expect(await failure { try await Files.checkAccess(to: scratch("c"), for: .execute).value }?.name == "EACCES")
      try await Files.setPermissions(0o700, of: scratch("c")).value
      try await Files.checkAccess(to: scratch("c"), for: .execute).value
      #expect(
        await failure { try await Files.rename(scratch("no"), to: scratch("x")).value }?.path
          == "\(scratch("no")) -> \(scratch("x"))")
    }
  }

  #if os(Linux)
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

  @Test func `a write to a FIFO whose reader has left fails`() async throws {
    let scratch = Scratch()
    #expect(mkfifo(scratch("fifo"), 0o600) == 0)
    try await onLoop { _ in
      // Opens both ends, so that the other opening does not wait.
      let ends = open(scratch("fifo"), O_RDWR | O_CLOEXEC)
      let file = try await Files.open(scratch("fifo"), for: .writing).value
      close(ends)
      // A process that another test starts has the descriptor for a moment.
      var end: UVError?
      while end == nil { end = await failure { try await file.write("text").value } }
      #expect(end?.name == "EPIPE")
      try await file.close().value
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
  #endif

  @Test func `temporary files and directories have names of their own`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let file = try await Files.makeTemporaryFile(scratch("f-XXXXXX")).value
      let path = try #require(file.path)
      #expect(path.hasPrefix(scratch("f-")) && !path.hasSuffix("XXXXXX"))
      #expect(try await file.status().value.permissions == 0o600)
      try await file.close().value
      let directory = try await Files.makeTemporaryDirectory(scratch("d-XXXXXX")).value
      #expect(directory.hasPrefix(scratch("d-")))
      #expect(try await Files.status(of: directory).value.kind == .directory)
      #expect(await failure { _ = try await Files.makeTemporaryFile(scratch("f")).value }?.name == "EINVAL")
    }
  }

  @Test func `a file system tells its room`() async throws {
    try await onLoop { _ in
      let status = try await Files.fileSystemStatus(at: "/").value
      #expect(status.blockSize > 0 && status.blocks >= status.freeBlocks && status.size >= status.availableSize)
      #expect(await failure { _ = try await Files.fileSystemStatus(at: "/no/such").value }?.call == "uv_fs_statfs")
    }
  }

  @Test func `a directory as a stream has every name, in memory that does not grow, and waits while it is paused`()
    async throws
  {
    let scratch = Scratch()
    for index in 0..<1000 { close(open(scratch("\(index)"), O_CREAT | O_WRONLY, 0o600)) }
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var names: Set<String> = []
      var isCompleted = false
      var subscription: Subscription?
      subscription = Operation.entries(of: scratch.path).observe(
        next: { entry in
          #expect(entry.kind == .file)
          names.insert(entry.name)
          if names.count == 200 { subscription?.pause() }
        }, termination: { end in isCompleted = end == .completed })
      // While the stream is paused, the loop has nothing to do.
      loop.run()
      #expect(names.count == 200 && !isCompleted)
      subscription?.resume()
      loop.run()
      #expect(names == Set((0..<1000).map(String.init)) && isCompleted)
      #expect(scratch.open == [])
      guardian.dispose()
    }
  }

  @Test func `a directory stream that ends early closes its directory`() async throws {
    let scratch = Scratch()
    for index in 0..<300 { close(open(scratch("\(index)"), O_CREAT | O_WRONLY, 0o600)) }
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      for count in [1, 128, 129] {
        var seen = 0
        _ = Operation.entries(of: scratch.path).take(count).observeNext { _ in seen += 1 }
        loop.run()
        #expect(seen == count)
        #expect(scratch.open == [])
      }
      for _ in 0..<20 { Operation.entries(of: scratch.path).observe { _ in }.dispose() }
      loop.run()
      #expect(scratch.open == [])
      var error: UVError?
      _ = Operation.entries(of: scratch("no")).observeFailed { error = $0 }
      loop.run()
      #expect(error == UVError(code: -ENOENT, call: "uv_fs_opendir", path: scratch("no")))
    }
    try await onOwnThread {
      let loop = Loop()
      var errors: [String] = []
      let subscription = Operation.entries(of: scratch.path).observeFailed { errors.append($0.name) }
      loop.shutdown()
      #expect(errors == ["ECANCELED"] && subscription.isDisposed)
      #expect(scratch.open == [])
    }
  }
}
