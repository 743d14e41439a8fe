import Streams
import StreamsTesting
import Testing

typealias Source = Operation<Int, TestError>

/// An operator as the contract tests see it: a function of a stream of integers.
struct OperatorCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// True if each element passes unchanged, within the call that sends it.
  var isImmediate = true
  /// The elements that the operator itself emits when it is observed.
  var leading: [Int] = []
  /// True if the operator retains itself while it is observed: it needs its source again, or retains the object that ends it.
  var holdsSource = false
  /// True if the operator never runs its source twice.
  var runsOnce = false
  /// Applies the operator. A failure of the source becomes a failure of the result.
  let apply: @Sendable (Source) -> Source

  var testDescription: String { name }

  init(
    _ name: String, isImmediate: Bool = true, leading: [Int] = [], holdsSource: Bool = false, runsOnce: Bool = false,
    _ apply: @escaping @Sendable (Source) -> Source
  ) {
    self.name = name
    self.isImmediate = isImmediate
    self.leading = leading
    self.holdsSource = holdsSource
    self.runsOnce = runsOnce
    self.apply = apply
  }

  static let immediate = all.filter(\.isImmediate)

  static let all: [OperatorCase] = plain + combining + several + further + timed

  private static let plain: [OperatorCase] = [
    OperatorCase("toOperation") { $0.toOperation() },
    OperatorCase("map") { $0.map { $0 } },
    OperatorCase("filter") { $0.filter { _ in true } },
    OperatorCase("scan", leading: [0]) { $0.scan(0) { $1 } },
    OperatorCase("take") { $0.take(.max) },
    OperatorCase("skip") { $0.start(with: -1).skip(1) },
    OperatorCase("distinct") { $0.distinct() },
    OperatorCase("distinct by") { $0.distinct { $0 != $1 } },
    OperatorCase("start(with:)", leading: [0]) { $0.start(with: 0) },
    OperatorCase("ignoreNil") { $0.map { Optional($0) }.ignoreNil() },
    OperatorCase("mapError") { $0.mapError { $0 } },
    OperatorCase("tryMap") { $0.tryMap { value throws(TestError) in value } },
    OperatorCase("doOn") {
      $0.doOn(next: { _ in }, start: {}, completed: {}, failed: { _ in }, disposed: {})
    },
    OperatorCase("buffer") { $0.buffer(1).map { $0[0] } },
    OperatorCase("flatMapError") { $0.flatMapError { Source.failed($0) } },
    OperatorCase("share") { $0.share() },
    OperatorCase("collect", isImmediate: false) { $0.collect().map(\.count) },
    OperatorCase("reduce", isImmediate: false) { $0.reduce(0, +) },
    OperatorCase("last", isImmediate: false) { $0.last() },
    OperatorCase("map filter take chain") { $0.map { $0 }.filter { _ in true }.take(.max).map { $0 } },
  ]

  private static let combining: [OperatorCase] = [
    OperatorCase("flatMap(.merge)") { $0.flatMap(.merge) { Source.just($0) } },
    OperatorCase("flatMap(.concat)") { $0.flatMap(.concat) { Source.just($0) } },
    OperatorCase("flatMap(.latest)") { $0.flatMap(.latest) { Source.just($0) } },
    OperatorCase("flatMap(.concurrent)") { $0.flatMap(.concurrent(limit: 2)) { Source.just($0) } },
    OperatorCase("flatMap, inner without failure") { $0.flatMap(.merge) { Stream.just($0) } },
    OperatorCase("merge(with:) before") { $0.merge(with: Source.completed()) },
    OperatorCase("merge(with:) after") { Source.completed().merge(with: $0) },
    OperatorCase("concat(with:) first") { $0.concat(with: Source.completed()) },
    OperatorCase("concat(with:) second") { Source.completed().concat(with: $0) },
    OperatorCase("then first", isImmediate: false) { $0.then(Source.completed()) },
    OperatorCase("then second") { Source.completed().then($0) },
    OperatorCase("inner of flatMap(.latest)") { source in Stream.just(0).flatMap(.latest) { _ in source } },
    OperatorCase("inner of merge()") { source in Operation.just(source).merge() },
    OperatorCase("inner of concat()") { source in Operation.just(source).concat() },
    OperatorCase("take(until:)") { $0.take(until: Source.pipe().stream) },
    OperatorCase("skip(until:)") { $0.skip(until: Stream.just(0)) },
  ]

  private static let timed: [OperatorCase] = [
    OperatorCase("debounce", isImmediate: false) { $0.debounce(for: .seconds(1)) },
    OperatorCase("delay", isImmediate: false) { $0.delay(for: .seconds(1)) },
    OperatorCase("throttle", isImmediate: false) { $0.throttle(for: .seconds(1)) },
    OperatorCase("throttle latest", isImmediate: false) { $0.throttle(for: .seconds(1), latest: true) },
    OperatorCase("throttle of nothing") { $0.throttle(for: .zero) },
    OperatorCase("timeout") { $0.timeout(.seconds(1_000), failingWith: "timeout") },
  ]
}
