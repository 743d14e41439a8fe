import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("File streams", .noLiveResources, .timeLimit(.minutes(15)))
struct FileStreamTests {
  /// `count` bytes, each of which depends on its position. Repeats after a prime number of bytes, because making each is slow.
  static func pattern(_ count: Int) -> Bytes {
    let part = Bytes((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    return Bytes(joining: Array(repeating: part, count: count / part.count + 1)).prefix(count)
  }

  static func write(_ bytes: Bytes, to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    bytes.withUnsafeBytes { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  @Test(
    arguments: [
      (65_536, nil, nil), (1000, nil, nil), (1000, 500, nil), (1000, nil, 2500), (7, 100, 20), (1000, nil, 0),
    ]
      as [(Int, Int64?, Int64?)])
  func `a file is a stream of its chunks`(_ size: Int, _ offset: Int64?, _ count: Int64?) async throws {
    let scratch = Scratch()
    let content = Self.pattern(200_000)
    Self.write(content, to: scratch("a"))
    try await onLoop { _ in
      var chunks: [Bytes] = []
      for try await chunk in Operation.reading(scratch("a"), chunkSize: size, from: offset, count: count).values() {
        #expect(chunk.count <= size && !chunk.isEmpty)
        chunks.append(chunk)
      }
      let expected = content.dropFirst(Int(offset ?? 0)).prefix(count.map(Int.init) ?? .max)
      #expect(Bytes(joining: chunks) == Bytes(Array(expected)))
    }
    #expect(scratch.open == [])
  }

  @Test func `pausing stops the reading, resuming goes on; ending early closes the file`() async throws {
    let scratch = Scratch()
    Self.write(Self.pattern(100_000), to: scratch("a"))
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var count = 0
      var isCompleted = false
      var subscription: Subscription?
      subscription = Operation.reading(scratch("a"), chunkSize: 10_000).observe(
        next: { chunk in
          count += chunk.count
          if count == 30_000 { subscription?.pause() }
        }, termination: { isCompleted = $0 == .completed })
      loop.run()
      #expect(count == 30_000 && !isCompleted)
      #expect(scratch.open == [scratch("a")])
      subscription?.resume()
      loop.run()
      #expect(count == 100_000 && isCompleted)
      // The reader is paused before the file is open, while its first chunk is on the way.
      let early = Operation.reading(scratch("a")).observe { _ in Issue.record("a paused reader has delivered") }
      early.pause()
      loop.run()
      early.dispose()
      for taken in [1, 3] {
        var chunks = 0
        _ = Operation.reading(scratch("a"), chunkSize: 1000).take(taken).observeNext { _ in chunks += 1 }
        loop.run()
        #expect(chunks == taken)
      }
      for _ in 0..<20 { Operation.reading(scratch("a")).observe { _ in }.dispose() }
      loop.run()
      #expect(scratch.open == [])
      guardian.dispose()
    }
  }

  @Test func `errors come once, with the path; a loop that shuts down ends readers and writers`() async throws {
    let scratch = Scratch()
    Self.write(Self.pattern(1_000_000), to: scratch("a"))
    try await onOwnThread {
      let loop = Loop()
      var ends: [String] = []
      _ = Operation.reading(scratch("no")).observeFailed { ends.append("\($0.call) \($0.name)") }
      _ = Operation.reading(scratch.path).observeFailed { ends.append("\($0.call) \($0.name)") }
      loop.run()
      // The two are on different threads.
      #expect(ends.sorted() == ["uv_fs_open ENOENT", "uv_fs_read EISDIR"])
      ends = []
      let writer = FileWriter(scratch("b"))
      writer.write("abc")
      let full = FileWriter("/dev/full")
      full.write("abc")
      full.write("abc")
      let observers = [
        Operation.reading(scratch("a"), chunkSize: 10).observeFailed { ends.append("reader \($0.name)") },
        writer.readiness.observeFailed { ends.append("writer \($0.name)") },
        full.readiness.observeFailed {
          ends.append("full \($0.name)")
          full.write("dropped")
          loop.stop()
        },
      ]
      loop.run()
      #expect(ends == ["full ENOSPC"] && full.isDisposed && full.queuedBytes == 0)
      loop.shutdown()
      #expect(
        Set(ends) == ["full ENOSPC", "reader ECANCELED", "writer ECANCELED"]
          || ends == ["full ENOSPC", "reader ECANCELED"])
      for observer in observers { observer.dispose() }
      #expect(scratch.open == [])
    }
  }

  @Test
  func
    `a loop that shuts down ends those that wait: paused readers, idle writers, and all that use a file that is closed`()
    async throws
  {
    let scratch = Scratch()
    Self.write(Self.pattern(100_000), to: scratch("a"))
    for index in 0..<300 { Self.write("x", to: scratch("n\(index)")) }
    try await onOwnThread {
      let loop = Loop()
      var ends: [String] = []
      func paused<Element>(_ name: String, _ stream: Operation<Element, UVError>) -> Subscription {
        var subscription: Subscription?
        subscription = stream.observe(
          next: { _ in subscription?.pause() },
          termination: { end in if case .failed(let error) = end { ends.append("\(name) \(error.name)") } })
        return subscription!
      }
      let subscriptions = [
        paused("reader", .reading(scratch("a"), chunkSize: 1000)), paused("directory", .entries(of: scratch.path)),
      ]
      let writer = FileWriter(scratch("b"))
      _ = writer.readiness.observeFailed { ends.append("writer \($0.name)") }
      var borrower: FileWriter?
      var borrowed: Subscription?
      _ = Files.open(scratch("c"), for: .readingAndWriting, options: .create).observeNext { file in
        borrower = FileWriter(file)
        borrowed = borrower?.readiness.observeFailed { ends.append("borrower \($0.name)") }
      }
      loop.run()
      #expect(ends == [] && scratch.open.count == 4)
      loop.shutdown()
      #expect(Set(ends) == ["reader ECANCELED", "directory ECANCELED", "writer ECANCELED", "borrower ECANCELED"])
      #expect(
        ends.count == 4 && scratch.open == [] && subscriptions.allSatisfy { $0.isDisposed }
          && borrowed?.isDisposed == true)
    }
  }

  @Test func `a writer keeps the order, opens and closes its file, and tells when all is there`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let writer = FileWriter(scratch("a"), watermarks: Watermarks(high: 1000, low: 100))
      var content = ""
      var sawRoom = false
      let observer = writer.readiness.observeNext { sawRoom = true }
      for number in 0..<2000 {
        writer.write(Bytes("\(number)\n".utf8))
        content += "\(number)\n"
      }
      #expect(writer.isFull && writer.queuedBytes == content.utf8.count)
      writer.finish()
      writer.finish()
      writer.write("after finish")
      // `readiness` completes without an element.
      while try await writer.readiness.firstValue() != nil {}
      #expect(sawRoom && writer.isDisposed && scratch.open == [])
      #expect(try await Operation.reading(scratch("a")).map { String($0) }.value == content)
      observer.dispose()
      // A writer at an offset of an open file, which stays open.
      let file = try await Files.open(scratch("a"), for: .readingAndWriting).value
      let second = FileWriter(file, at: 2)
      second.write("XX")
      second.write("Y")
      second.finish()
      _ = try await second.readiness.firstValue()
      #expect(try await file.read(10, at: 0).value == "0\nXXY\n3\n4\n")
      #expect(!file.isDisposed)
      file.dispose()
      try await file.close().value
      // A writer that is disposed with a queue.
      let third = FileWriter(scratch("c"))
      third.write("abc")
      third.dispose()
      third.dispose()
      #expect(await failure { _ = try await third.readiness.firstValue() }?.name == "ECANCELED")
    }
    #expect(scratch.open == [])
  }

  @Test func `a file is piped into a file; what waits stays below the high mark and a chunk`() async throws {
    let scratch = Scratch()
    let content = Self.pattern(8 << 20)
    Self.write(content, to: scratch("a"))
    try await onLoop { _ in
      let writer = FileWriter(scratch("b"), watermarks: Watermarks(high: 100_000, low: 10_000))
      var most = 0
      let source = Operation.reading(scratch("a"), chunkSize: 16_384).doOn(next: { _ in
        most = max(most, writer.queuedBytes)
      })
      let copied = try await source.pipe(to: writer).value
      #expect(copied == content.count)
      #expect(most <= 100_000 + 16_384, "\(most)")
      var copy: [Bytes] = []
      for try await chunk in Operation.reading(scratch("b"), chunkSize: 1 << 20).values() { copy.append(chunk) }
      #expect(Bytes(joining: copy) == content)
    }
    #expect(scratch.open == [])
  }

  @Test func `a named pipe is read as it is written, until the writer closes`() async throws {
    let scratch = Scratch()
    #expect(mkfifo(scratch("p"), 0o600) == 0)
    try await onLoop { _ in
      let writer = FileWriter(scratch("p"), options: [])
      var text = ""
      for part in ["a", "b", "c"] { writer.write(Bytes(part.utf8)) }
      writer.finish()
      for try await chunk in Operation.reading(scratch("p")).values() { text += String(chunk) }
      #expect(text == "abc")
    }
  }
}

/// Reads a file into `buffer`, and returns the number of bytes.
func readFile(_ path: String, _ buffer: inout [UInt8]) -> Int {
  let descriptor = open(path, O_RDONLY)
  defer { close(descriptor) }
  return buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
}
