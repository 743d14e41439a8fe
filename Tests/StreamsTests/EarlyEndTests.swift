import Streams
import StreamsTesting
import Testing

/// Operators that end by themselves, with sources that still send inside the call that observes them and cannot be disposed
/// yet.
@Suite(.noLiveResources)
struct EarlyEndTests {
  private struct Named: Sendable, CustomTestStringConvertible {
    let name: String
    let apply: @Sendable (Source) -> Source

    var testDescription: String { name }

    init(_ name: String, _ apply: @escaping @Sendable (Source) -> Source) {
      self.name = name
      self.apply = apply
    }
  }

  private static let enders: [Named] = [
    Named("take") { $0.take(1) },
    Named("element(at:)") { $0.element(at: 0) },
    Named("take(while:)") { $0.start(with: 3).take(while: { $0 == 3 }) },
    Named("tryMap") {
      $0.tryMap { _ throws(TestError) in throw "end" }.recover(with: 8).setFailureType(to: TestError.self)
    },
    Named("attempt") {
      $0.attempt { element throws(TestError) in if element % 2 == 0 { throw "even" } }
        .flatMapError { _ in Source.just(8) }
    },
    Named("dematerialize") {
      $0.map { $0 % 2 == 0 ? Event<Int, TestError>.completed : .next($0) }.dematerialize { $0 }
    },
    Named("race") { Source.race([$0, .just(9)]).take(1) },
  ]

  /// Operators that reveal a second end, or an element after the end.
  private static let observers: [Named] = [
    Named("repeat") { $0.repeat(3) },
    Named("reduce") { $0.reduce(0, +).concat(with: .never()) },
    Named("combineLatest") { Source.interval(.seconds(3)).combineLatest(with: $0).map { $0.0 * 10 + $0.1 } },
    Named("withLatest") { Source.interval(.seconds(3)).withLatest(from: $0).map { $0.0 } },
    Named("sample") { Source.interval(.seconds(2)).sample(on: $0) },
    Named("retry") { $0.concat(with: .failed("again")).retry(2) },
    Named("merge") { $0.merge(with: .interval(.seconds(2))) },
  ]

  /// A source that checks neither for its disposal nor for its own end.
  private static func careless(_ end: Termination<TestError>) -> Source {
    Source { observer in
      for number in [4, 5, 6] { observer.next(number) }
      observer.terminate(end)
      return .none
    }
  }

  private static let sources: [Named] = [
    Named("sequence") { _ in .sequence([4, 5]) },
    Named("a producer that checks nothing") { _ in careless(.completed) },
    Named("a producer that checks nothing and fails") { _ in careless(.failed("late")) },
  ]

  private func events(_ source: Source) -> [Event<Int, TestError>] {
    let clock = VirtualScheduler()
    let recorder = source.record(on: clock)
    clock.advance(by: .seconds(7))
    recorder.dispose()
    return recorder.events
  }

  /// The reference is `share`: it queues the events of its source while it is observed, and disposes the source at the end.
  @Test(arguments: OperatorCase.all) func `below an operator that ends, nothing follows its end`(
    _ operation: OperatorCase
  ) {
    for source in Self.sources {
      for ender in Self.enders {
        for observer in Self.observers {
          let upstream = Source.deferred { operation.apply(source.apply(.never())) }
          let shared = Source.deferred { operation.apply(source.apply(.never())).share() }
          let events = events(observer.apply(ender.apply(upstream)))
          let expected = self.events(observer.apply(ender.apply(shared)))
          #expect(events == expected, "\(source.name), \(operation.name), \(ender.name), \(observer.name)")
        }
      }
    }
  }

  @Test func `combineLatest waits for the other source when one has ended with an element`() {
    let volume = ReplayOneSubject<Int, Never>()
    volume.next(1)
    let bag = DisposeBag()
    let pair = Stream.just(10).zip(with: Stream.just(1)).first()
    var sums: [Int] = []
    var hasEnded = false
    volume.combineLatest(with: pair)
      .observe(next: { sums.append($0.0 + $0.1.0) }, termination: { _ in hasEnded = true })
      .dispose(in: bag)
    volume.next(2)
    #expect(sums == [11, 12] && !hasEnded)
    bag.dispose()
  }
}
