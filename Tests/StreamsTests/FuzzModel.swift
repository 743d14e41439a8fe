import Streams
import StreamsTesting

/// The behavior of every operator: sources deliver one event at a time, and so does the operator.
///
/// A subclass defines the effects of an event, of time, and of a resumed observer.
class FuzzModel {
  typealias Input = Event<Int, TestError>

  private struct Side {
    var inbox: [Input] = []
    var isBusy = false
    var hasEnded = false
  }

  private(set) var log: [String] = []
  final var now = 0
  final var isPaused = false
  /// True if nothing more is taken from the sources.
  final var isStopped = false
  /// True if nothing more is delivered.
  final var isOver = false
  private let sourcesWait: Bool
  private let nested: [Int: [FuzzStep]]
  private var sides = [Side(), Side()]
  private var outbox: [Event<String, TestError>] = []
  private var isDelivering = false
  private var willResume = false
  private var isResuming = false
  private var isEmittingHeld = false
  private var delivered = 0

  init(_ fuzzCase: FuzzCase) {
    sourcesWait = fuzzCase.sourcesWait
    nested = fuzzCase.nested
  }

  final func perform(_ step: FuzzStep) {
    switch step {
    case .send(let number): arrive(.next(number), 0)
    case .complete: arrive(.completed, 0)
    case .fail: arrive(.failed("end"), 0)
    case .other(let number): arrive(.next(number), 1)
    case .otherComplete: arrive(.completed, 1)
    case .pause:
      isPaused = true
      if willResume { willResume = false } else { didPause() }
    case .resume:
      if !isPaused || isOver { return }
      isPaused = false
      // The sources continue after the delivery. A pause before that revokes it.
      if isDelivering { willResume = true } else { didResume() }
    case .dispose:
      isStopped = true
      isOver = true
    case .advance(let ticks):
      for _ in 0..<ticks {
        now += 1
        if !isOver { tick() }
      }
      if !isOver { turn() }
    }
  }

  // MARK: Overridden by subclasses

  /// Whether the operator observes the second source.
  var hasSecondSource: Bool { false }
  func next(_ number: Int, _ side: Int) {}
  func completed(_ side: Int) { finish(.completed) }
  func failed(_ error: TestError) { finish(.failed(error)) }
  func tick() {}
  func turn() {}
  func didPause() {}
  func didResume() {
    pump(0)
    if !isPaused { pump(1) }
  }
  /// Whether the operator pauses a source.
  func holds(_ side: Int) -> Bool { isPaused || willResume || isEmittingHeld }

  /// Emits the elements that a resumed operator holds. Its source is resumed afterwards.
  final func emitHeld(_ body: () -> Void) {
    isEmittingHeld = true
    body()
    isEmittingHeld = false
  }

  // MARK: Sources

  private func arrive(_ event: Input, _ side: Int) {
    if sides[side].hasEnded || side == 1 && !hasSecondSource { return }
    sides[side].hasEnded = event.isTermination
    sides[side].inbox.append(event)
    pump(side)
  }

  final func pump(_ side: Int) {
    if sides[side].isBusy { return }
    sides[side].isBusy = true
    while !isStopped, !(waits(side) && holds(side)), !sides[side].inbox.isEmpty {
      switch sides[side].inbox.removeFirst() {
      case .next(let number): next(number, side)
      case .completed: completed(side)
      case .failed(let error): failed(error)
      }
    }
    sides[side].isBusy = false
  }

  func waits(_ side: Int) -> Bool { sourcesWait }

  /// Replaces this source by another stream.
  final func renew(_ side: Int) { sides[side] = Side() }

  // MARK: Delivering

  final func emit(_ text: String) { pass(.next(text)) }
  final func emit(_ number: Int) { pass(.next("\(number)")) }

  final func finish(_ end: Termination<TestError>) {
    if isStopped { return }
    isStopped = true
    pass(Event(end))
  }

  private func pass(_ event: Event<String, TestError>) {
    outbox.append(event)
    if isDelivering { return }
    isDelivering = true
    while !isOver, !outbox.isEmpty {
      switch outbox.removeFirst() {
      case .next(let text):
        log.append(text)
        delivered += 1
        for step in nested[delivered] ?? [] { perform(step) }
      case .completed:
        isOver = true
        log.append("|")
      case .failed:
        isOver = true
        log.append("#")
      }
    }
    isDelivering = false
    if isResuming { return }
    isResuming = true
    while willResume, !isOver {
      willResume = false
      didResume()
    }
    isResuming = false
  }
}
