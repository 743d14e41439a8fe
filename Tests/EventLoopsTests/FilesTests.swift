import Foundation
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

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
