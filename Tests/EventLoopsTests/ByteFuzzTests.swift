import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Writers and copies of bytes, compared with models: the bytes that are received are those that were sent, in order.
@Suite("Bytes, fuzzed", .noLiveResources, .timeLimit(.minutes(60)))
struct ByteFuzzTests {
  @Test func `pipe(to:) writes everything, once, and nothing into a full sink`() {
    for seed in Effort.seeds {
      if let problem = PipeRun(seed).run() {
        Issue.record("seed \(seed): \(problem)")
        return
      }
    }
  }

  @Test func `a file is read, and written into another one, with pauses at any time`() async throws {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop, .seconds(3000))
      var next = Effort.seed
      // Each case makes dozens of system calls, so only a tenth of the usual number runs.
      let end = Effort.seed + max(1, Effort.cases / 10)
      // Several cases run at a time, because each one mostly waits for the thread pool.
      while next < end {
        let runs = (next..<min(next + 32, end)).map { FileRun($0, scratch, loop) }
        next += runs.count
        loop.run()
        for run in runs {
          if let problem = run.verdict() {
            Issue.record("seed \(run.seed): \(problem)")
            return
          }
        }
      }
      guardian.dispose()
    }
    #expect(scratch.open == [])
  }

  @Test func `a connection writes what it queues, in order, whatever the reader does`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop, .seconds(3000))
      let listener = try TCPListener(on: .loopback(port: 0), loop: loop)
      // Each case takes a connection of its own, so only a hundredth of the usual number runs.
      for seed in Effort.seed..<Effort.seed + max(1, Effort.cases / 100) {
        let run = SinkRun(seed, listener, loop)
        loop.run()
        if let problem = run.verdict() {
          Issue.record("seed \(seed): \(problem)")
          return
        }
      }
      listener.dispose()
      guardian.dispose()
    }
  }

  fileprivate static func bytes(_ count: Int, _ random: inout SeededGenerator) -> Bytes {
    Bytes((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }
}

/// A sink in memory, which writes when the test tells it to.
private final class MemorySink: ByteSink {
  private let room = PushOperation<Void, UVError>()
  private(set) var queue: [Bytes] = []
  private(set) var written: [UInt8] = []
  private(set) var isFull = false
  private(set) var isFinished = false
  private(set) var mostWhileFull = 0
  private let marks = (high: 8, low: 3)
  private var count = 0

  var readiness: Operation<Void, UVError> { room.toOperation() }

  func write(_ bytes: Bytes) {
    if isFull { mostWhileFull += 1 }
    queue.append(bytes)
    count += bytes.count
    if count >= marks.high { isFull = true }
  }

  func drain() {
    guard !queue.isEmpty else { return }
    let bytes = queue.removeFirst()
    written += Array(bytes)
    count -= bytes.count
    if isFull, count <= marks.low {
      isFull = false
      room.next()
    }
    if isFinished, queue.isEmpty { room.completed() }
  }

  func finish() {
    isFinished = true
    if queue.isEmpty { room.completed() }
  }
}

/// A source that is piped into a sink.
private final class PipeRun {
  private var random: SeededGenerator
  private let sink = MemorySink()
  private let pushed = PushStream<Bytes>()
  private let isSequence: Bool
  private var pieces: [Bytes]
  private var next = 0
  private var events: [Event<Int, UVError>] = []
  private var isDisposed = false

  init(_ seed: Int) {
    random = SeededGenerator(UInt64(seed))
    isSequence = Bool.random(using: &random)
    pieces = []
    for _ in 0..<Int.random(in: 0..<20, using: &random) {
      pieces.append(ByteFuzzTests.bytes(Int.random(in: 0..<6, using: &random), &random))
    }
  }

  func run() -> String? {
    let source: Stream<Bytes> = isSequence ? .sequence(pieces) : pushed.toStream()
    let subscription = source.pipe(to: sink).observe { [unowned self] in events.append($0) }
    for _ in 0..<Int.random(in: 0..<40, using: &random) {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<4: sink.drain()
      case 4..<7: push()
      case 7, 8: subscription.pause()
      case 9, 10: subscription.resume()
      case _ where Int.random(in: 0..<20, using: &random) == 0:
        isDisposed = true
        subscription.dispose()
      default: break
      }
    }
    subscription.resume()
    if !isSequence {
      while push() {}
      pushed.completed()
    }
    for _ in 0..<60 { sink.drain() }
    subscription.dispose()
    return verdict()
  }

  @discardableResult
  private func push() -> Bool {
    if isSequence || next == pieces.count { return false }
    pushed.next(pieces[next])
    next += 1
    return true
  }

  private func verdict() -> String? {
    let all = pieces.flatMap { Array($0) }
    if isSequence, sink.mostWhileFull > 0 { return "written into a full sink" }
    if isDisposed { return sink.written == Array(all.prefix(sink.written.count)) ? nil : "\(sink.written) of \(all)" }
    if sink.written != all { return "\(sink.written) instead of \(all)" }
    return events == [.next(all.count), .completed] && sink.isFinished ? nil : "\(events)"
  }
}

/// A file that is copied, with pauses.
private final class FileRun {
  let seed: Int
  private var random: SeededGenerator
  private let content: Bytes
  private let target: String
  private let loop: Loop
  private let bag = DisposeBag()
  private var subscription: Subscription?
  private var events: [Event<Int, UVError>] = []
  private var received: [UInt8] = []

  init(_ seed: Int, _ scratch: Scratch, _ loop: Loop) {
    self.seed = seed
    self.loop = loop
    random = SeededGenerator(UInt64(seed))
    content = ByteFuzzTests.bytes(Int.random(in: 0..<60, using: &random), &random)
    let source = scratch("s\(seed % 32)")
    target = scratch("t\(seed % 32)")
    FileStreamTests.write(content, to: source)
    let writer = FileWriter(target, watermarks: Watermarks(high: Int.random(in: 1...20, using: &random), low: 0))
    let chunks = Operation.reading(source, chunkSize: Int.random(in: 1...20, using: &random))
      .doOn(next: { [unowned self] bytes in
        received += Array(bytes)
        act()
      })
    subscription = chunks.pipe(to: writer).observe { [unowned self] in events.append($0) }
    act()
  }

  /// Pauses and resumes, immediately or in a later loop iteration.
  private func act() {
    guard let subscription else { return }
    for _ in 0..<Int.random(in: 0..<3, using: &random) {
      subscription.pause()
      if Bool.random(using: &random) {
        subscription.resume()
      } else {
        loop.scheduler.schedule(after: .microseconds(Int.random(in: 0..<200, using: &random))) {
          subscription.resume()
        }.dispose(in: bag)
      }
    }
  }

  func verdict() -> String? {
    subscription?.dispose()
    bag.dispose()
    if received != Array(content) { return "read \(received) instead of \(content)" }
    if events != [.next(content.count), .completed] { return "\(events)" }
    let copy = FileStreamTests.read(target)
    return copy == Array(content) ? nil : "written \(copy) instead of \(content)"
  }
}

/// A connection that writes, and a connection that reads with pauses.
private final class SinkRun {
  private var random: SeededGenerator
  private var sent: [UInt8] = []
  private var received: [UInt8] = []
  private var readinessEnds = 0
  private var readEnds = 0
  private let bag = DisposeBag()
  private let loop: Loop

  init(_ seed: Int, _ listener: TCPListener, _ loop: Loop) {
    self.loop = loop
    random = SeededGenerator(UInt64(seed))
    var accepting: Subscription?
    accepting = listener.connections.observeNext { [unowned self] connection in
      accepting?.dispose()
      read(connection)
    }
    Operation.connect(to: listener.address).observeNext { [unowned self] in write($0) }.dispose(in: bag)
  }

  private func write(_ connection: TCPHandle) {
    try? connection.setSendBufferSize(4_096)
    connection.watermarks = Watermarks(high: 10_000, low: 1_000)
    connection.readiness.observe(
      next: { [unowned self] in writeSome(connection) },
      termination: { [unowned self] end in
        if case .completed = end { readinessEnds += 1 }
        connection.dispose()
      }
    ).dispose(in: bag)
    connection.dispose(in: bag)
    writeSome(connection)
  }

  private func writeSome(_ connection: TCPHandle) {
    while !connection.isFull {
      if sent.count > 60_000 || Int.random(in: 0..<12, using: &random) == 0 { return connection.finish() }
      let piece = ByteFuzzTests.bytes(Int.random(in: 0..<3_000, using: &random), &random)
      sent += Array(piece)
      if Bool.random(using: &random) { connection.write(piece) } else { connection.write(copying: piece.rawSpan) }
    }
  }

  private func read(_ connection: TCPHandle) {
    try? connection.setReceiveBufferSize(4_096)
    var subscription: Subscription?
    subscription = connection.bytes.observe(
      next: { [unowned self] bytes in
        received += Array(bytes)
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
          subscription?.pause()
          if Bool.random(using: &random) {
            subscription?.resume()
          } else {
            loop.scheduler.schedule(after: .microseconds(Int.random(in: 0..<50, using: &random))) {
              subscription?.resume()
            }.dispose(in: bag)
          }
        }
      },
      termination: { [unowned self] _ in
        readEnds += 1
        subscription = nil
        connection.dispose()
      })
    connection.dispose(in: bag)
  }

  func verdict() -> String? {
    bag.dispose()
    loop.run()
    if received != sent { return "\(received.count) bytes instead of \(sent.count), or others" }
    return readEnds == 1 && readinessEnds == 1 ? nil : "ended \(readEnds) and \(readinessEnds) times"
  }
}

extension FileStreamTests {
  /// The content of a small file.
  static func read(_ path: String) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1_000)
    let count = readFile(path, &buffer)
    return Array(buffer.prefix(max(0, count)))
  }
}
