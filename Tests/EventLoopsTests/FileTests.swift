import Glibc
import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

@Suite("File", .noLiveResources, .timeLimit(.minutes(15)))
struct FileTests {
  @Test func `what is written is read again, at the position and at offsets`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let file = try await Files.open(
        scratch("a"), for: .readingAndWriting, options: [.create, .exclusive], permissions: 0o600
      ).value
      try await file.write("hello ").value
      try await file.write("world").value
      try await file.write("J", at: 0).value
      #expect(try await file.read(100, at: 0).value == "Jello world")
      #expect(try await file.read(3, at: 6).value == "wor")
      #expect(try await file.read(3).value.isEmpty)
      #expect(try await file.read(0, at: 0).value.isEmpty)
      try await file.write("").value
      let status = try await file.status().value
      #expect(status.size == 11 && status.kind == .file && status.permissions == 0o600 && status.links == 1)
      try await file.truncate(to: 4).value
      #expect(try await file.read(100, at: 0).value == "Jell")
      try await file.sync().value
      try await file.syncContent().value
      try await file.setPermissions(0o640).value
      #expect(try await file.status().value.permissions.description == "rw-r-----")
      let moment = Timestamp(sinceEpoch: .seconds(1_000_000) + .milliseconds(250))
      try await file.setTimes(accessed: moment, modified: moment + .seconds(1)).value
      let times = try await file.status().value
      #expect(times.accessed == moment && times.modified - moment == .seconds(1) && times.modified > moment)
      try await file.setOwner(getuid(), group: nil).value
      #expect(scratch.open == [scratch("a")])
      try await file.close().value
      #expect(scratch.open == [])
      try await file.close().value
      #expect(file.isDisposed)
    }
  }

  @Test func `reads and writes at the position take turns, in the order in which they were asked for`() async throws {
    let scratch = Scratch()
    let content = try await onLoop { _ in
      let file = try await Files.open(scratch("a"), for: .readingAndWriting, options: .create).value
      let done = PushStream<Void>()
      for number in 0..<200 {
        _ = file.write(Bytes("\(number),".utf8)).observe(
          next: { _ in }, termination: { _ in if number == 199 { done.next() } })
      }
      _ = await done.firstValue()
      let text = try await file.read(10_000, at: 0).value
      file.dispose()
      return String(text)
    }
    #expect(content == (0..<200).map { "\($0)," }.joined())
  }

  @Test func `a call that waits for its turn is not made when it has been disposed of`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let file = try await Files.open(scratch("a"), for: .readingAndWriting, options: .create).value
      let first = file.write("a").observe { _ in Issue.record("a disposed write has delivered") }
      let second = file.write("b").observe { _ in Issue.record("a disposed write has delivered") }
      second.dispose()
      first.dispose()
      try await file.write("c").value
      let text = String(try await file.read(10, at: 0).value)
      // The first write may have been made before it was disposed.
      #expect(["c", "ac"].contains(text), "\(text)")
      file.dispose()
    }
  }

  @Test(arguments: [false, true])
  func `closing waits for the writes that wait for their turn, and they are written`(_ disposes: Bool) async throws {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var events: [String] = []
      _ = Files.open(scratch("a"), for: .readingAndWriting, options: .create).observeNext { file in
        for number in 0..<3 {
          _ = file.write("abc").observe(
            next: { events.append("\(number)") },
            termination: { if let error = $0.failure { events.append(error.name) } })
        }
        _ = file.read(1).observe(
          next: { events.append("read \($0.count)") },
          termination: { if let error = $0.failure { events.append(error.name) } })
        // A write that is disposed while it waits does not hold up the others.
        file.write("dropped").observe { _ in events.append("dropped") }.dispose()
        if disposes {
          _ = file.onClosed { _ in events.append("closed") }
          file.dispose()
        } else {
          _ = file.close().observeNext { events.append("closed") }
        }
        _ = file.write("late").observeFailed { events.append("late \($0.name)") }
      }
      loop.run()
      #expect(events == ["late EBADF", "0", "1", "2", "read 0", "closed"])
      var buffer = [UInt8](repeating: 0, count: 100)
      #expect(readFile(scratch("a"), &buffer) == 9 && scratch.open == [])
    }
  }

  @Test(arguments: [false, true])
  func `a file is closed after the function that opened it has returned, unless something keeps it`(takesOver: Bool)
    async throws
  {
    let scratch = Scratch()
    try await onLoop { _ in
      FileHandleTests.write("text", to: scratch("a"))
      FileHandleTests.write("text", to: scratch("b"))
      func open(_ path: String) async throws -> File {
        takesOver
          ? File(takingOver: Glibc.open(path, O_RDONLY), path: path) : try await Files.open(path, for: .reading).value
      }
      func peek(_ path: String) async throws -> Bytes { try await open(path).read(1).value }
      let kept = try await open(scratch("b"))
      #expect(try await peek(scratch("a")) == "t")
      await untilTrue { scratch.open == [scratch("b")] }
      #expect(scratch.open == [scratch("b")])
      #expect(try await kept.read(1).value == "t")
      try await kept.close().value
    }
  }

  @Test func `closing waits for what is under way; what comes later fails`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let file = try await Files.open(scratch("a"), for: .readingAndWriting, options: .create).value
      var events: [String] = []
      for index in 0..<8 {
        _ = file.write("12345678", at: Int64(index) * 8).observe { event in
          if case .next = event {
            events.append("written")
          } else if let error = event.error {
            events.append(error.name)
          }
        }
      }
      let turn = file.write("x").observe { _ in }
      file.dispose()
      file.dispose()
      #expect(
        await failure { _ = try await file.status().value }
          == UVError(code: -EBADF, call: "uv_fs_fstat", path: scratch("a")))
      #expect(await failure { _ = try await file.read(1).value }?.name == "EBADF")
      try await file.close().value
      #expect(events == Array(repeating: "written", count: 8))
      #expect(turn.isDisposed)
      #expect(scratch.open == [])
    }
  }

  @Test func `disposal inside of an own callback, of the subscription and of the file`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let file = try await Files.open(scratch("a"), for: .readingAndWriting, options: .create).value
      let bag = DisposeBag()
      file.dispose(in: bag)
      let ended = PushStream<Void>()
      file.write("abc").observe { event in
        if case .next = event {
          bag.dispose()
          ended.next()
        } else {
          Issue.record("a disposed subscription has delivered")
        }
      }.dispose(in: bag)
      _ = await ended.firstValue()
      try await file.close().value
      #expect(scratch.open == [])
    }
  }

  @Test func `errors are typed: the call, the path and the system's word`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let missing = scratch("missing")
      #expect(
        await failure { _ = try await Files.open(missing).value }
          == UVError(code: -ENOENT, call: "uv_fs_open", path: missing))
      #expect(
        await failure { _ = try await Files.open(missing).value }?.description
          == "uv_fs_open \(missing): no such file or directory (ENOENT)")
      #expect(await failure { _ = try await Files.open("a\0b").value }?.name == "EINVAL")
      let file = try await Files.open("/proc/self/stat").value
      #expect(
        await failure { try await file.write("x").value }
          == UVError(code: -EBADF, call: "uv_fs_write", path: "/proc/self/stat"))
      file.dispose()
      let full = try await Files.open("/dev/full", for: .writing).value
      #expect(
        await failure { try await full.write("x").value }
          == UVError(code: -ENOSPC, call: "uv_fs_write", path: "/dev/full"))
      full.dispose()
      let directory = try await Files.open("/", options: .directory).value
      #expect(await failure { _ = try await directory.read(1).value }?.name == "EISDIR")
      directory.dispose()
    }
  }

  // Runs in its own process, because a stack overflow would end it. The stack must not grow with the number of pending writes.
  @Test func `many thousand writes that wait when the loop is shut down fail, each once, in order`() async {
    await #expect(processExitsWith: .success) {
      let scratch = Scratch()
      let count = Effort.isSanitized ? 10_000 : 100_000
      let told = try await withLoop { loop, bag in
        var told: [Int] = []
        Files.open(scratch("turns"), for: .writing, options: .create).observeNext { file in
          for number in 0..<count {
            file.write("x").observe(
              next: { _ in },
              termination: { end in
                precondition(end.failure?.name == "ECANCELED")
                told.append(number)
              }
            ).dispose(in: bag)
          }
          loop.stop()
        }.dispose(in: bag)
        loop.run()
        loop.shutdown()
        return told
      }
      // The first write already has a thread, and the shutdown waits for it.
      precondition(told.count == count && told.sorted() == Array(0..<count))
      precondition(told.filter { $0 > 0 } == Array(1..<count))
    }
  }

  @Test func `an open file that is read again and again keeps nothing of those who have read it`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let file = try await Files.open(scratch("a"), for: .readingAndWriting, options: .create).value
      for _ in 0..<10 {
        for try await _ in file.reading(from: 0).values() {}
        let writer = FileWriter(file, at: 0)
        writer.write("line")
        writer.finish()
        for try await _ in writer.readiness.values() {}
      }
      #expect(file.waitingForClose == 0)
      file.dispose()
      try await file.close().value
    }
  }

  @Test func `sendfile copies within the system`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let source = try await Files.open(scratch("a"), for: .readingAndWriting, options: .create).value
      let target = try await Files.open(scratch("b"), for: .readingAndWriting, options: .create).value
      try await source.write(Bytes(repeating: 7, count: 100_000)).value
      // A signal to the thread of the pool cuts a call short.
      var sent: Int64 = 0
      while sent < 80_000 {
        let count = try await source.send(90_000 - Int(sent), from: 20_000 + sent, to: target).value
        try #require(count > 0)
        sent += Int64(count)
      }
      #expect(sent == 80_000)
      #expect(try await source.send(1, from: 100_000, to: target).value == 0)
      #expect(try await target.status().value.size == 80_000)
      target.dispose()
      #expect(await failure { _ = try await source.send(1, from: 0, to: target).value }?.name == "EBADF")
      source.dispose()
      try await source.close().value
      try await target.close().value
      #expect(scratch.open == [])
    }
  }

  @Test func `offsets and counts below 0 fail with EINVAL, and nothing is read or written`() async throws {
    let scratch = Scratch()
    FileStreamTests.write("hello", to: scratch("a"))
    try await onLoop { _ in
      let file = try await Files.open(scratch("a"), for: .readingAndWriting).value
      let invalid = UVError(code: -EINVAL, call: "uv_fs_read", path: scratch("a"))
      #expect(await failure { try await file.write("XX", at: -5).value }?.code == .invalidArgument)
      #expect(await failure { _ = try await file.read(3, at: -1).value } == invalid)
      #expect(await failure { _ = try await file.reading(from: -5).value } == invalid)
      #expect(await failure { _ = try await file.reading(count: -3).value } == invalid)
      #expect(await failure { _ = try await Operation.reading(scratch("a"), from: -5, count: 3).value } == invalid)
      #expect(await failure { _ = try await Operation.reading(scratch("a"), count: -3).value } == invalid)
      let target = try await Files.open(scratch("b"), for: .writing, options: .create).value
      for (count, offset) in [(-1, 0), (1, -1)] as [(Int, Int64)] {
        let error = await failure { _ = try await file.send(count, from: offset, to: target).value }
        #expect(error == UVError(code: -EINVAL, call: "uv_fs_sendfile", path: scratch("a")))
      }
      let writer = FileWriter(file, at: -5)
      writer.write("XX")
      #expect(await failure { _ = try await writer.readiness.firstValue() }?.code == .invalidArgument)
      // The file position is unchanged.
      #expect(try await file.read(10).value == "hello")
      file.dispose()
      target.dispose()
      try await file.close().value
      try await target.close().value
    }
    #expect(scratch.open == [])
  }
}
