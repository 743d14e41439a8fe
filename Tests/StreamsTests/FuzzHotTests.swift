import Streams
import StreamsTesting
import TestSupport
import Testing

/// The actions on a stream with several observers, in order, and the actions inside deliveries. The key of a nested action is
/// eight times the number of the observer plus the number of its delivery.
struct FuzzHotCase {
  var sourceWaits: Bool
  var steps: [FuzzHotStep] = [.join]
  var nested: [Int: [FuzzHotStep]] = [:]

  init(seed: Int) {
    var generator = SeededGenerator(UInt64(seed))
    var number = 0
    sourceWaits = Bool.random(using: &generator)
    for _ in 0..<Int.random(in: 2...14, using: &generator) { steps.append(Self.step(&generator, &number)) }
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let delivery = Int.random(in: 0...3, using: &generator) * 8 + Int.random(in: 1...4, using: &generator)
      nested[delivery, default: []].append(Self.step(&generator, &number))
    }
  }

  private static func step(_ generator: inout SeededGenerator, _ number: inout Int) -> FuzzHotStep {
    number += 1
    let index = Int.random(in: 0...3, using: &generator)
    switch Int.random(in: 0..<100, using: &generator) {
    case ..<36: return .send(number)
    case ..<56: return .join
    case ..<68: return .leave(index)
    case ..<80: return .pause(index)
    case ..<93: return .resume(index)
    case ..<97: return .complete
    default: return .fail
    }
  }
}

/// The stream under test and its observers, driven by a case.
private final class FuzzHotSubject {
  private(set) var log: [String] = []
  private var stream: Source?
  private var send: ((Event<Int, TestError>) -> Void)?
  private let nested: [Int: [FuzzHotStep]]
  private var subscriptions: [Subscription?] = []
  private var delivered: [Int] = []

  init(_ sharing: FuzzSharing, _ fuzzCase: FuzzHotCase) {
    nested = fuzzCase.nested
    let source = Source.deferred { [unowned self] in
      let source = FuzzSource(waits: fuzzCase.sourceWaits)
      send = { source.send($0) }
      return source.stream
    }
    switch sharing {
    case .push: use(PushOperation())
    case .replaySubject: use(ReplaySubject(bufferSize: sharing.limit))
    case .share: stream = source.share()
    case .shareReplay: stream = source.shareReplay(sharing.limit)
    case .replayLazily: stream = source.replayLazily(sharing.limit)
    }
  }

  private func use(_ subject: some SubjectProtocol<Int, TestError>) {
    stream = subject.toOperation()
    send = { subject.send($0) }
  }

  func perform(_ step: FuzzHotStep) {
    switch step {
    case .send(let number): send?(.next(number))
    case .complete: send?(.completed)
    case .fail: send?(.failed("end"))
    case .join: join()
    case .leave(let index): subscription(index)?.dispose()
    case .pause(let index): subscription(index)?.pause()
    case .resume(let index): subscription(index)?.resume()
    }
  }

  private func subscription(_ index: Int) -> Subscription? {
    subscriptions.isEmpty ? nil : subscriptions[index % subscriptions.count]
  }

  private func join() {
    let id = subscriptions.count
    subscriptions.append(nil)
    delivered.append(0)
    subscriptions[id] = stream?.observe(
      next: { [unowned self] element in
        log.append("\(id):\(element)")
        delivered[id] += 1
        for step in nested[id * 8 + delivered[id]] ?? [] { perform(step) }
      },
      termination: { [unowned self] end in log.append("\(id):\(end.failure == nil ? "|" : "#")") })
  }

  func end() {
    for subscription in subscriptions { subscription?.dispose() }
    stream = nil
    send = nil
  }
}

/// Streams with several observers, compared with their model: observers join, leave, pause, and resume, and sends are nested
/// inside deliveries.
@Suite(.noLiveResources)
struct FuzzHotTests {
  @Test(arguments: FuzzSharing.allCases)
  func `a stream with several observers does what its model does`(_ sharing: FuzzSharing) {
    for seed in Effort.seeds {
      let fuzzCase = FuzzHotCase(seed: seed)
      let expected = FuzzHotModel(sharing, fuzzCase)
      let subject = FuzzHotSubject(sharing, fuzzCase)
      for step in fuzzCase.steps {
        expected.perform(step)
        subject.perform(step)
        if expected.log != subject.log { break }
      }
      let log = subject.log
      subject.end()
      if expected.log != log {
        Issue.record("Seed \(seed): \(fuzzCase) gives \(log) instead of \(expected.log)")
        return
      }
    }
  }
}
