import Dispatch
import Foundation
import Streams
import StreamsTesting
import TestSupport
import Testing

import struct Streams.Operation

@testable import EventLoops

@Suite("File writers that are released", .noLiveResources, .timeLimit(.minutes(15)))
struct FileWriterTests {
  private static func content(_ path: String) -> Bytes {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = readFile(path, &buffer)
    return Bytes(Array(buffer.prefix(count)))
  }

  @Test(arguments: ["", "missing"])
  func `a copy whose source fails closes the file that it writes`(_ source: String) async throws {
    let scratch = Scratch()
    try await withLoop { loop, _ in
      var failures: [String] = []
      for number in 0..<10 {
        // With an empty name, the source is the directory.
        let copy = Operation.reading(scratch(source)).pipe(to: FileWriter(scratch("copy\(number)")))
        _ = copy.observeFailed { failures.append($0.name) }
      }
      loop.run()
      #expect(failures == Array(repeating: source.isEmpty ? "EISDIR" : "ENOENT", count: 10))
      #expect(scratch.open == [])
    }
  }

  @Test func `copies whose tasks are cancelled close both files`() async throws {
    let scratch = Scratch()
    FileStreamTests.write(FileStreamTests.pattern(8 << 20), to: scratch("a"))
    try await onLoop { actor in
      for number in 0..<10 {
        let started = PushStream<Void>()
        let copy = Task {
          _ = actor
          let writer = FileWriter(scratch("copy\(number)"))
          let source = Operation.reading(scratch("a"), chunkSize: 4096).doOn(next: { _ in started.next() })
          return try await source.pipe(to: writer).value
        }
        _ = await started.firstValue()
        copy.cancel()
        _ = try? await copy.value
      }
    }
    #expect(scratch.open == [])
  }

  @Test func `a copy that is disposed writes what the writer has accepted, then closes the file`() async throws {
    let scratch = Scratch()
    let content = FileStreamTests.pattern(1 << 20)
    FileStreamTests.write(content, to: scratch("a"))
    try await withLoop { loop, _ in
      var chunks = 0
      var subscription: Subscription?
      let source = Operation.reading(scratch("a"), chunkSize: 16_384).doOn(next: { _ in
        chunks += 1
        if chunks == 4 { subscription?.dispose() }
      })
      subscription = source.pipe(to: FileWriter(scratch("b"))).observe { Issue.record("\($0)") }
      loop.run()
      #expect(chunks == 4 && scratch.open == [])
      #expect(Self.content(scratch("b")) == content.prefix(3 * 16_384))
    }
  }

  @Test(arguments: [false, true])
  func `one that is released writes its queue and closes its file; readiness completes`(_ isIdle: Bool) async throws {
    let scratch = Scratch()
    try await withLoop { loop, bag in
      var events: [String] = []
      var writer: FileWriter? = FileWriter(scratch("a"))
      writer?.readiness.observe { events.append("\($0)") }.dispose(in: bag)
      for number in 0..<1000 { writer?.write("\(number),") }
      if isIdle {
        loop.run()
        #expect(scratch.open == [scratch("a")] && writer?.queuedBytes == 0)
      }
      writer = nil
      #expect(events == [])
      loop.run()
      #expect(events == ["completed"] && scratch.open == [])
      #expect(String(Self.content(scratch("a"))) == (0..<1000).map { "\($0)," }.joined())
    }
  }

  @Test func `one of an open file leaves the file open, and nothing of itself in it`() async throws {
    let scratch = Scratch()
    try await withLoop { loop, bag in
      var events: [String] = []
      var file: File?
      _ = Files.open(scratch("a"), for: .writing, options: .create).observeNext { opened in
        file = opened
        let writer = FileWriter(opened)
        writer.readiness.observe { events.append("\($0)") }.dispose(in: bag)
        writer.write("abc")
      }
      loop.run()
      // A posted job does not keep a loop running, but a deadline does.
      loop.scheduler.schedule(after: .zero) {}.dispose(in: bag)
      loop.run()
      #expect(events == ["completed"] && file?.isDisposed == false && file?.waitingForClose == 0)
      #expect(Self.content(scratch("a")) == "abc")
      file?.dispose()
      loop.run()
    }
  }

  @Test func `one that is released on another thread closes its file on its own`() async throws {
    let scratch = Scratch()
    try await withLoop { loop, bag in
      // This thread gives it up before the other thread takes it.
      nonisolated(unsafe) var writer: FileWriter? = FileWriter(scratch("a"))
      writer?.readiness.observe(
        next: { _ in },
        termination: { end in
          #expect(end == .completed)
          loop.stop()
        }
      ).dispose(in: bag)
      writer?.write("abc")
      loop.run()
      let guardian = deadline(loop)
      guardian.keepsLoopAlive = true
      DispatchQueue.global().async { writer = nil }
      loop.run()
      guardian.dispose()
      #expect(scratch.open == [])
    }
  }

  @Test func `a queue of many pieces takes time in proportion to its length`() async throws {
    func seconds(_ count: Int) async throws -> Double {
      try await withLoop { loop, _ in
        let writer = FileWriter("/dev/null", options: [])
        let start = Self.processorTime
        for _ in 0..<count { writer.write("piece") }
        writer.finish()
        loop.run()
        #expect(writer.isDisposed)
        return Self.processorTime - start
      }
    }
    _ = try await seconds(1000)
    let count = Effort.isSanitized ? 5_000 : 50_000
    let (short, long) = (try await seconds(count), try await seconds(16 * count))
    // 16 times as many writes. Moving the whole queue for each batch would take several hundred times as long.
    #expect(long < 48 * short, "\(short) s, \(long) s")
  }

  /// The processor time of this thread, in seconds. Other threads and processes do not count.
  private static var processorTime: Double {
    let text = try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8)
    return Double(text?.split(separator: " ").first ?? "").map { $0 / 1e9 } ?? .nan
  }
}
