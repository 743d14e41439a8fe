import Streams
import StreamsTesting

extension OperatorCase {
  /// Operators with several upstreams.
  static let several: [OperatorCase] = [
    OperatorCase("combineLatest(with:) left", isImmediate: false) {
      $0.combineLatest(with: Source.just(0)).map { $0.0 }
    },
    OperatorCase("combineLatest(with:) right") { Source.just(0).combineLatest(with: $0).map { $0.1 } },
    OperatorCase("combineLatest of three") { combineLatest(Source.just(0), Source.just(0), $0).map { $0.2 } },
    OperatorCase("combineLatest of an array") { Source.combineLatest([.just(0), $0]).map { $0[1] } },
    OperatorCase("zip(with:) left") { $0.zip(with: Source.sequence(1...100)).map { $0.0 } },
    OperatorCase("zip(with:) right") { Source.sequence(1...100).zip(with: $0).map { $0.1 } },
    OperatorCase("zip of three") { zip(Source.sequence(1...100), $0, Source.sequence(1...100)).map { $0.1 } },
    OperatorCase("zip of an array") { Source.zip([.sequence(1...100), $0]).map { $0[1] } },
    OperatorCase("amb(with:) left") { $0.amb(with: Source.pipe().stream) },
    OperatorCase("amb(with:) right") { Source.pipe().stream.amb(with: $0) },
    OperatorCase("race of three") { race(Source.pipe().stream, $0, Source.pipe().stream) },
    OperatorCase("withLatest(from:)") { $0.withLatest(from: Source.just(0)).map { $0.0 } },
    OperatorCase("withLatest(from:), other without failure") { $0.withLatest(from: Stream.just(0)).map { $0.0 } },
  ]

  /// Operators that observe again, and other operators that pass elements on.
  static let further: [OperatorCase] = [
    OperatorCase("retry", holdsSource: true) { $0.retry(0) },
    OperatorCase("retry with a delay", holdsSource: true) { $0.retry(0, delay: .seconds(1)) },
    OperatorCase("repeat", holdsSource: true) { $0.repeat(1) },
    OperatorCase("materialize, dematerialize") { $0.materialize().dematerialize() },
    OperatorCase("dematerialize(mapOuterError:)") {
      $0.map { Event<Int, TestError>.next($0) }.dematerialize(mapOuterError: { $0 })
    },
    OperatorCase("attempt") { $0.attempt { _ throws(TestError) in } },
    OperatorCase("feedInto") { $0.feedInto(PushOperation()) },
    OperatorCase("sample", isImmediate: false) { $0.sample(for: .seconds(1)) },
    OperatorCase("sample(on:)", isImmediate: false) { $0.sample(on: Source.completed()) },
    OperatorCase("take(untilReplacement:)") { Source.pipe().stream.take(untilReplacement: $0) },
    OperatorCase("pausable(by:)") { $0.pausable(by: Stream.just(true)) },
    OperatorCase("pausable(by:buffering:)") { $0.pausable(by: Stream.just(true), buffering: 4) },
    OperatorCase("observe(on:)") { $0.observe(on: .immediate) },
    OperatorCase("execute(on:)") { $0.execute(on: .immediate) },
    OperatorCase("timeout(after:)") { $0.timeout(after: .seconds(1_000), failingWith: "late") },
    OperatorCase("buffer with a rest") { $0.buffer(1, emitPartial: true).map { $0[0] } },
    OperatorCase("zipPrevious") { $0.zipPrevious().map { $0.1 } },
    OperatorCase("element(at:)", isImmediate: false) { $0.element(at: 99) },
    OperatorCase("takeLast", isImmediate: false) { $0.takeLast(2) },
    OperatorCase("takeLast of none", isImmediate: false) { $0.takeLast(0) },
    OperatorCase("skipLast of none") { $0.skipLast(0) },
    OperatorCase("skipLast", isImmediate: false) { $0.skipLast(1) },
    OperatorCase("ignoreElements", isImmediate: false) { $0.ignoreElements() },
    OperatorCase("defaultIfEmpty") { $0.defaultIfEmpty(9) },
    OperatorCase("prefix(while:)") { $0.prefix { _ in true } },
    OperatorCase("drop(while:)") { $0.drop { _ in false } },
    OperatorCase("compactMap") { $0.compactMap { $0 } },
    OperatorCase("removeDuplicates") { $0.removeDuplicates() },
    OperatorCase("removeDuplicates(by:)") { $0.removeDuplicates { $0 == $1 } },
    OperatorCase("scan(into:)", leading: [0]) { $0.scan(into: 0) { $0 = $1 } },
    OperatorCase("switchIfEmpty") { $0.switchIfEmpty(Source.completed()) },
    OperatorCase("retry(when:)", holdsSource: true) { $0.retry { _ in false } },
    OperatorCase("retry(delays:)", holdsSource: true) { $0.retry(delays: []) },
    OperatorCase("groupBy") { $0.groupBy { $0 % 2 }.flatMap(.merge) { $0.elements } },
    OperatorCase("buffer(for:)", isImmediate: false) { $0.buffer(for: .seconds(1)).map { $0[0] } },
    OperatorCase("window") { $0.window(1).concat() },
    OperatorCase("flatMap(.throttle)") { $0.flatMap(.throttle) { Source.just($0) } },
    OperatorCase("inner of flatMap(.race)") { source in Stream.just(0).flatMap(.race) { _ in source } },
    OperatorCase("replayLazily", holdsSource: true, runsOnce: true) { $0.replayLazily(2) },
    OperatorCase("publish, refCount") { $0.publish().refCount() },
    OperatorCase("shareReplay") { $0.shareReplay(2) },
    OperatorCase("take(during:)", holdsSource: true) { source in
      // The token lives as long as the subscription, which therefore retains itself.
      let token = Lifetime.Token()
      return source.take(during: Lifetime(token)).doOn(next: { _ in _ = token })
    },
  ]
}
