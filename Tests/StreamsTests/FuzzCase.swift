import Foundation
import Streams
import StreamsTesting
import TestSupport
import Testing

/// One action on an operator: on its source, on a second source, on its observer, or on the clock.
enum FuzzStep {
  case send(Int)
  case complete
  case fail
  case other(Int)
  case otherComplete
  case pause
  case resume
  case dispose
  case advance(Int)
}

/// The actions, in order, and the actions inside deliveries, by the number of the delivery.
struct FuzzCase {
  /// If true, paused sources hold elements, and send them from inside `resume()`. Otherwise, the sources cannot wait.
  var sourcesWait: Bool
  var steps: [FuzzStep] = []
  var nested: [Int: [FuzzStep]] = [:]

  init(seed: Int) {
    var generator = SeededGenerator(UInt64(seed))
    var number = 0
    sourcesWait = Bool.random(using: &generator)
    for _ in 0..<Int.random(in: 2...14, using: &generator) {
      steps.append(Self.step(&generator, &number, isNested: false))
    }
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let delivery = Int.random(in: 1...5, using: &generator)
      nested[delivery, default: []].append(Self.step(&generator, &number, isNested: true))
    }
  }

  private static func step(_ generator: inout SeededGenerator, _ number: inout Int, isNested: Bool) -> FuzzStep {
    number += 1
    switch Int.random(in: 0..<100, using: &generator) {
    case ..<30: return .send(number)
    case ..<50: return .other(number)
    case ..<62: return .pause
    case ..<78: return .resume
    case ..<81: return .complete
    case ..<83: return .fail
    case ..<87: return .otherComplete
    case ..<89: return .dispose
    default: return isNested ? .send(number) : .advance(Int.random(in: 1...4, using: &generator))
    }
  }
}

/// A source that a case drives.
final class FuzzSource {
  private let push = PushOperation<Int, TestError>()
  private let waits: Bool
  private var observer: Observer<Int, TestError>?
  private var pending: [Event<Int, TestError>] = []
  private var isPaused = false
  private var isSending = false

  init(waits: Bool) { self.waits = waits }

  var stream: Source {
    if !waits { return push.toOperation() }
    return Streams.Operation { observer in
      self.observer = observer
      return BlockDisposable(
        { self.observer = nil }, pause: { self.isPaused = true },
        resume: {
          self.isPaused = false
          self.sendPending()
        })
    }
  }

  func send(_ event: Event<Int, TestError>) {
    if !waits { return push.send(event) }
    pending.append(event)
    sendPending()
  }

  private func sendPending() {
    if isSending { return }
    isSending = true
    while !isPaused, let observer, !pending.isEmpty { observer.send(pending.removeFirst()) }
    isSending = false
  }
}

/// The operator under test, driven by a case.
final class FuzzSubject {
  let (a, b): (FuzzSource, FuzzSource)
  let scheduler = VirtualScheduler()
  private(set) var log: [String] = []
  /// Replaces sending to the second source.
  var sendOther: ((Event<Int, TestError>) -> Void)?
  /// Runs after the clock has moved.
  var didAdvance: (() -> Void)?
  private let nested: [Int: [FuzzStep]]
  private var delivered = 0
  private var subscription: Subscription?

  init(_ fuzzCase: FuzzCase, _ make: (FuzzSubject) -> Streams.Operation<String, TestError>) {
    (a, b) = (FuzzSource(waits: fuzzCase.sourcesWait), FuzzSource(waits: fuzzCase.sourcesWait))
    nested = fuzzCase.nested
    let stream = make(self)
    subscription = scheduler.run {
      stream.observe(
        next: { [unowned self] in deliver($0) },
        termination: { [unowned self] in log.append($0.failure == nil ? "|" : "#") })
    }
  }

  private func deliver(_ element: String) {
    log.append(element)
    delivered += 1
    for step in nested[delivered] ?? [] { perform(step) }
  }

  func perform(_ step: FuzzStep) {
    switch step {
    case .send(let number): a.send(.next(number))
    case .complete: a.send(.completed)
    case .fail: a.send(.failed("end"))
    case .other(let number): if let sendOther { sendOther(.next(number)) } else { b.send(.next(number)) }
    case .otherComplete: if let sendOther { sendOther(.completed) } else { b.send(.completed) }
    case .pause: subscription?.pause()
    case .resume: subscription?.resume()
    case .dispose: subscription?.dispose()
    case .advance(let ticks):
      scheduler.advance(by: .milliseconds(ticks))
      didAdvance?()
    }
  }

  func end() {
    subscription?.dispose()
    scheduler.removeAll()
    sendOther = nil
    didAdvance = nil
  }
}

/// Runs all cases on an operator and its model, and reports the first case in which they differ.
func fuzz(
  _ model: (FuzzCase) -> FuzzModel, against make: (FuzzSubject) -> Streams.Operation<String, TestError>,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  for seed in Effort.seeds {
    let fuzzCase = FuzzCase(seed: seed)
    let expected = model(fuzzCase)
    let subject = FuzzSubject(fuzzCase, make)
    for step in fuzzCase.steps {
      expected.perform(step)
      subject.perform(step)
      if expected.log != subject.log { break }
    }
    let log = subject.log
    subject.end()
    if expected.log != log {
      Issue.record("Seed \(seed): \(fuzzCase) gives \(log) instead of \(expected.log)", sourceLocation: sourceLocation)
      return
    }
  }
}
