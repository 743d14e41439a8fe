import Allocations
import Dispatch
import Foundation
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

private let isSanitized = ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] != nil
/// The number of bytes to transfer. It is smaller under a sanitizer, which is slow and uses more memory.
private let total = isSanitized ? 32 << 20 : 1 << 30

/// The resident memory of this process, in bytes.
private func resident() -> Int {
  let descriptor = open("/proc/self/statm", O_RDONLY)
  defer { close(descriptor) }
  let text = String(Bytes(unsafeUninitializedCapacity: 200) { max(0, read(descriptor, $0.baseAddress, $0.count)) })
  guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }), pages > 0 else {
    fatalError("The resident memory cannot be read: \(text)")
  }
  return pages * 4096
}

/// Reads `descriptor` to its end, more slowly than any writer.
/// Returns the number of bytes, the growth of resident memory meanwhile, and the most memory that was allocated beyond
/// `before`. Memory that the system pages out is not resident, but still allocated.
private func readSlowly(_ descriptor: Int32, _ before: Int) -> (count: Int, growth: Int, allocated: Int) {
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  defer { buffer.deallocate() }
  var count = 0
  var first = 0
  var most = 0
  var mostAllocated = 0
  var reads = 0
  while true {
    let length = read(descriptor, buffer.baseAddress, buffer.count)
    if length <= 0 { break }
    count += length
    reads += 1
    // The reader is slower than the loop, which then has to wait.
    if !isSanitized || reads % 8 == 0 { usleep(150) }
    mostAllocated = max(mostAllocated, allocated_bytes() - before)
    if reads % 256 == 0 {
      let now = resident()
      if first == 0, count > total / 32 { first = now }
      if first > 0 { most = max(most, now - first) }
    }
  }
  close(descriptor)
  return (count, most, mostAllocated)
}

/// Fills a socket from its own thread, as fast as the socket accepts bytes.
private func fill(_ descriptor: Int32) {
  // Initialized here, and then used only by the other thread.
  nonisolated(unsafe) let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
  bytes.initializeMemory(as: UInt8.self, repeating: 65, count: 1 << 20)
  Thread.detachNewThread {
    var left = total
    while left > 0 {
      let count = write(descriptor, bytes, min(left, 1 << 20))
      if count <= 0 { break }
      left -= count
    }
    close(descriptor)
    bytes.deallocate()
  }
}

/// Runs the loop until `descriptor` has been read slowly to its end. Traps unless all bytes were received and memory stayed
/// flat.
private func checkSlowReader(_ descriptor: Int32, _ loop: Loop) throws {
  let problems = Inlet<String>(capacity: 3, whenFull: .dropNewest)
  let before = allocated_bytes()
  Thread.detachNewThread {
    let (count, growth, allocated) = readSlowly(descriptor, before)
    if count != total { problems.send("\(count) of \(total) bytes have come") }
    if growth > 8 << 20, !isSanitized { problems.send("memory has grown by \(growth) bytes") }
    if allocated > 8 << 20 { problems.send("\(allocated) bytes more were allocated") }
    problems.finish()
  }
  // The loop finishes before the reader. The timer keeps it running until the reader has reported.
  let waiting = try TimerHandle(on: loop)
  waiting.start(after: .seconds(600)) { fatalError("the reader has not come to an end") }
  let subscription = problems.stream.observe(next: { fatalError($0) }, termination: { _ in loop.stop() })
  loop.run()
  waiting.dispose()
  subscription.dispose()
}

@Suite("Backpressure")
struct BackpressureTests {
  @Test func `a fast producer, a slow reader and a gigabyte between two sockets: memory stays flat`() async {
    await #expect(processExitsWith: .success) {
      try await withLoop { loop, bag in
        var source: TCPHandle?
        var sink: TCPHandle?
        let producer = try plainPeer({ source = $0 }, on: loop)
        let reader = try plainPeer({ sink = $0 }, on: loop)
        var moved = 0
        source!.bytes.pipe(to: sink!).observe(
          next: { moved = $0 }, termination: { end in precondition(end == .completed, "\(end)") }
        ).dispose(in: bag)
        fill(producer)
        try checkSlowReader(reader, loop)
        precondition(moved == total)
      }
    }
  }

  @Test func `the same through four operators, with lines of a process into a socket`() async {
    await #expect(processExitsWith: .success) {
      try await withLoop { loop, bag in
        var command = ProcessCommand("head", ["-c", "\(total)", "/dev/zero"])
        command.output = .pipe
        let process = try ProcessHandle(command)
        var sink: TCPHandle?
        let reader = try plainPeer({ sink = $0 }, on: loop)
        var seen = 0
        process.output!.bytes
          .map { $0.rebased }.filter { !$0.isEmpty }.doOn(next: { seen += $0.count }).map { $0 }
          .pipe(to: sink!).observe { _ in }.dispose(in: bag)
        try checkSlowReader(reader, loop)
        precondition(seen == total)
      }
    }
  }

  @Test func `the same from a file into a socket`() async {
    await #expect(processExitsWith: .success) {
      // A sparse file: it has the size, but takes no space.
      let scratch = Scratch()
      let path = scratch("zeros")
      let descriptor = open(path, O_CREAT | O_RDWR, 0o600)
      precondition(descriptor >= 0 && ftruncate(descriptor, off_t(total)) == 0)
      close(descriptor)
      defer { withExtendedLifetime(scratch) {} }
      try await withLoop { loop, bag in
        var sink: TCPHandle?
        let reader = try plainPeer({ sink = $0 }, on: loop)
        var moved = 0
        Streams.Operation.reading(path).pipe(to: sink!).observeNext { moved = $0 }.dispose(in: bag)
        try checkSlowReader(reader, loop)
        precondition(moved == total)
      }
    }
  }

  @Test func `a stream of values with await: reading stops while the consumer is behind`() async throws {
    let queue = Queue(label: "values")
    defer { queue.shutdown() }
    actor Consumer {
      nonisolated let queue: Queue
      nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
      init(_ queue: Queue) { self.queue = queue }
      func run() async throws -> (Int, Int) {
        let (near, far) = try await pair()
        // More than the system buffers.
        far.write(Bytes(repeating: 1, count: 40_000_000))
        far.finish()
        let (left, right) = try await pair()
        var echo = right.bytes.values().makeAsyncIterator()
        var count = 0
        var waiting = 0
        for try await bytes in near.bytes.values() {
          if count == 0 {
            // While these come back, the loop could also read the others, which it should not do.
            for _ in 0..<100 {
              left.write("x")
              _ = try await echo.next()
            }
            waiting = far.queuedBytes
          }
          count += bytes.count
        }
        for handle in [near, far, left, right] { handle.dispose() }
        return (count, waiting)
      }
      func pair() async throws -> (TCPHandle, TCPHandle) {
        let listener = try TCPListener(on: .loopback(port: 0))
        defer { listener.dispose() }
        var accepted = listener.connections.values().makeAsyncIterator()
        let far = try await Operation.connect(to: listener.address).value
        let near = try await accepted.next()!
        return (near, far)
      }
    }
    let (count, waiting) = try await Consumer(queue).run()
    #expect(count == 40_000_000 && waiting > 10_000_000)
  }

  @Test
  func `pipe(to:) ends with the first failure of either side, once, and leaves the sink open where the source fails`()
    async throws
  {
    let log = try await withLoop { loop, bag in
      var log: [String] = []
      let (near, far) = try connectedPair(loop)
      let source = PushOperation<Bytes, UVError>()
      source.pipe(to: near).observe { log.append("\($0)") }.dispose(in: bag)
      source.next("some")
      source.failed(UVError(code: -5, call: "source"))
      near.write(" more")
      near.finish()
      var text = ""
      far.bytes.observe(next: { text += String($0) }, termination: { _ in far.finish() }).dispose(in: bag)
      near.bytes.observe { _ in }.dispose(in: bag)
      loop.run()
      log.append(text)
      // A sink that has already ended.
      Stream.just("x" as Bytes).pipe(to: near).observe { log.append("\($0)") }.dispose(in: bag)
      // A sink that ends during the transfer, and stops its source.
      let (left, right) = try connectedPair(loop)
      let endless = PushStream<Bytes>()
      endless.pipe(to: left).observe { log.append("\($0)") }.dispose(in: bag)
      #expect(endless.observerCount == 1)
      left.dispose()
      right.dispose()
      loop.run()
      #expect(endless.observerCount == 0)
      return log
    }
    #expect(
      log == [
        "failed(source: i/o error (EIO))", "some more", "failed(pipe: broken pipe (EPIPE))",
        "failed(write \(log.last?.split(separator: " ").dropFirst().first?.dropLast() ?? ""): operation canceled (ECANCELED))",
      ])
  }
}
