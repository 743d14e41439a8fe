import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Framing, compared with a model that cuts the whole text. Whatever the pieces, the source, and the pauses, the frames are
/// those of the model, in order, up to the one in which the observer disposes.
@Suite("Framing, fuzzed", .noLiveResources, .timeLimit(.minutes(60)))
struct FramingFuzzTests {
  enum Cut: CaseIterable { case lines, split, frames, cutLines }
  enum Source: CaseIterable { case sequence, pushed, answering }

  @Test(arguments: Cut.allCases)
  func
    `nothing is lost, doubled, or changed when the observer pauses, resumes, disposes, and sends inside of deliveries`(
      _ cut: Cut
    )
  {
    for seed in Effort.seeds {
      var random = SeededGenerator(UInt64(seed))
      let source = Source.allCases.randomElement(using: &random)!
      let (text, frames) = Self.model(cut, &random)
      let run = FramingRun(cut, source, FramingTests.pieces(text, &random), random)
      run.run()
      guard run.isAsExpected(frames) else {
        Issue.record("seed \(seed): \(run.frames), dispose after \(run.disposesAfter), instead of \(frames)")
        return
      }
    }
  }

  @Test func `a file of 20,000 lines, with pauses inside and outside of deliveries`() async throws {
    let scratch = Scratch()
    let lines = (0..<20_000).map { "line \($0)" }
    FileStreamTests.write(Bytes((lines.joined(separator: "\n") + "\n").utf8), to: scratch("a"))
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var random = SeededGenerator(1)
      for _ in 0..<3 {
        var seen: [String] = []
        var isCompleted = false
        var subscription: Subscription?
        subscription = Operation.reading(scratch("a"), chunkSize: 100).lines().observe(
          next: { line in
            seen.append(line)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
              subscription?.pause()
              subscription?.resume()
            case 1:
              subscription?.pause()
              _ = loop.scheduler.schedule(after: .zero) { subscription?.resume() }
            default: break
            }
          }, termination: { isCompleted = $0 == .completed })
        for _ in 0..<200 {
          subscription?.pause()
          subscription?.resume()
        }
        loop.run()
        #expect(seen == lines && isCompleted)
      }
      guardian.dispose()
    }
  }

  /// A text and its frames.
  static func model(_ cut: Cut, _ random: inout SeededGenerator) -> (Bytes, [String]) {
    var text: [UInt8] = []
    var frames: [String] = []
    for _ in 0..<Int.random(in: 0..<12, using: &random) {
      let frame = String((0..<Int.random(in: 0..<9, using: &random)).map { _ in "abc".randomElement(using: &random)! })
      switch cut {
      case .lines, .cutLines:
        text += Array((frame + "\n").utf8)
        if cut == .lines || frame.count <= 4 {
          frames.append(frame)
        } else {
          frames += stride(from: 0, to: frame.count, by: 4).map { String(frame.dropFirst($0).prefix(4)) }
        }
      case .split:
        text += Array((frame + ";;").utf8)
        frames.append(frame)
      case .frames:
        text += [UInt8(frame.count)] + Array(frame.utf8)
        frames.append(frame)
      }
    }
    if Int.random(in: 0..<4, using: &random) == 0, cut == .lines || cut == .cutLines {
      // A line without an end. A CR without an LF is part of the line.
      let last = ["a", "abc\r", "abcd\r", "abcdabcd\r"].randomElement(using: &random)!
      text += Array(last.utf8)
      frames += stride(from: 0, to: last.utf8.count, by: cut == .lines ? 100 : 4).map {
        String(Bytes(Array(last.utf8.dropFirst($0).prefix(cut == .lines ? 100 : 4))))
      }
    }
    return (Bytes(text), frames)
  }

  static func cut(_ stream: Stream<Bytes>, _ cut: Cut) -> Operation<String, FramingError<Never>> {
    switch cut {
    case .lines: stream.lines()
    case .split: stream.split(on: ";;", limit: 100).map { String($0) }
    case .frames: stream.frames(lengthPrefix: UInt8.self, limit: 100).map { String($0) }
    case .cutLines: stream.lines(cutAt: 4).mapError { $0 }
    }
  }
}

/// One case: a source, an observer that acts at random, and the frames that it received.
private final class FramingRun {
  private let cut: FramingFuzzTests.Cut
  private let source: FramingFuzzTests.Source
  private var pieces: ArraySlice<Bytes>
  private var random: SeededGenerator
  private let pushed = PushStream<Bytes>()
  private let link = Subscription(downstream: nil)
  private var depth = 0
  private var isPaused = true
  private var isCompleted = false
  private var isWrong = false
  private(set) var frames: [String] = []
  private(set) var disposesAfter: Int

  init(
    _ cut: FramingFuzzTests.Cut, _ source: FramingFuzzTests.Source, _ pieces: [Bytes], _ random: SeededGenerator
  ) {
    self.cut = cut
    self.source = source
    self.pieces = pieces[...]
    self.random = random
    disposesAfter = Int.random(in: 1..<40, using: &self.random)
  }

  func isAsExpected(_ model: [String]) -> Bool {
    if isWrong { return false }
    if disposesAfter <= model.count { return frames == Array(model.prefix(disposesAfter)) && !isCompleted }
    return frames == model && isCompleted
  }

  func run() {
    let stream: Stream<Bytes> =
      switch source {
      case .sequence: .sequence(pieces)
      case .pushed: pushed.toStream()
      case .answering: .unguarded { AnsweringSource(self.pieces, $0) }
      }
    // Paused at first, so that a source that sends immediately has an observer that can pause and dispose.
    link.pause()
    link.attach(
      FramingFuzzTests.cut(stream, cut).subscribe(
        Observer(
          for: link, next: { [unowned self] in received($0) },
          termination: { [unowned self] _ in
            if isCompleted || depth > 0 { isWrong = true }
            isCompleted = true
          })))
    act()
    while !pieces.isEmpty, source == .pushed, Int.random(in: 0..<20, using: &random) > 0 { act() }
    for _ in 0..<Int.random(in: 0..<6, using: &random) { act() }
    // Whatever the observer has done, the rest is delivered when it resumes.
    if source == .pushed {
      while sendNext() {}
      pushed.completed()
    }
    resume()
    // Each resumption delivers at least one frame.
    for _ in 0...frames.count + 40 where isPaused { resume() }
    link.dispose()
  }

  private func received(_ frame: String) {
    // No frame is delivered inside another one, and none to a paused observer if the source can wait.
    if depth > 0 || (isPaused && source != .pushed) { isWrong = true }
    depth += 1
    frames.append(frame)
    if frames.count == disposesAfter { link.dispose() } else { act() }
    depth -= 1
  }

  private func act() {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: pause()
    case 2: resume()
    case 3:
      pause()
      resume()
    case 4:
      pause()
      resume()
      pause()
    case 5, 6: if source == .pushed { _ = sendNext() }
    default: break
    }
  }

  private func sendNext() -> Bool {
    guard let piece = pieces.popFirst() else { return false }
    pushed.next(piece)
    return true
  }

  private func pause() {
    isPaused = true
    link.pause()
  }

  private func resume() {
    isPaused = false
    link.resume()
  }
}

/// A source that delivers pieces whenever it is resumed, for as long as the subscription is open.
private final class AnsweringSource: Disposable {
  private var pieces: ArraySlice<Bytes>
  private let observer: Observer<Bytes, Never>
  private(set) var isDisposed = false

  init(_ pieces: ArraySlice<Bytes>, _ observer: Observer<Bytes, Never>) {
    self.pieces = pieces
    self.observer = observer
    emit()
  }

  private func emit() {
    while !isDisposed, observer.subscription.isOpen {
      guard let piece = pieces.popFirst() else {
        isDisposed = true
        return observer.completed()
      }
      observer.next(piece)
    }
  }

  func dispose() { isDisposed = true }

  // A resumption while it emits is not guarded against, because an operator's upstream may answer immediately.
  func resume() { emit() }
}
