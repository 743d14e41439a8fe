import Headwater

// The stream that a closure returns can begin with a dot.

enum LeadingDotError: Error { case first, second }

func leadingDotInFlatMap(_ sure: Stream<Int>, _ risky: Operation<Int, LeadingDotError>, _ bag: DisposeBag) {
  sure.flatMap(.latest) { _ in .just(1) }.observeNext { print($0 + 1) }.dispose(in: bag)
  risky.flatMap(.latest) { _ in .just("x") }.observeNext { print($0.count) }.dispose(in: bag)
  risky.flatMap(.concat) { $0 > 1 ? .just("x") : .failed(.first) }.observeNext { print($0) }.dispose(in: bag)
  risky.flatMap(.merge) { number in
    if number > 1 { return .just("x") }
    return .failed(.second)
  }.observeNext { print($0) }.dispose(in: bag)
  sure.flatMap(.merge) { number in
    if number > 1 { return .sequence(["a", "b"]) }
    return .never()
  }.observeNext { print($0) }.dispose(in: bag)
  sure.flatMap(.latest) { .timer($0, after: .milliseconds(10)) }.observeNext { print($0) }.dispose(in: bag)
  sure.flatMapLatest { _ in .just(1) }.observeNext { print($0) }.dispose(in: bag)
  sure.flatMapMerge { .just("\($0)") }.observeNext { print($0) }.dispose(in: bag)
  risky.flatMapConcat { _ in .completed() }.observeNext { (none: Int) in print(none) }.dispose(in: bag)
  let mixed: Operation<String, LeadingDotError> = sure.flatMap(.latest) { $0 > 1 ? .just("x") : .failed(.first) }
  mixed.observeFailed { print($0) }.dispose(in: bag)
}

func leadingDotInFlatMapError(_ risky: Operation<Int, LeadingDotError>, _ bag: DisposeBag) {
  risky.flatMapError { _ in .completed() }.observeNext { print($0) }.dispose(in: bag)
  risky.flatMapError { _ in .just(0) }.observeNext { print($0) }.dispose(in: bag)
  risky.flatMapError { .failed($0) }.observeFailed { print($0) }.dispose(in: bag)
  risky.flatMapError { error in
    if error == .first { return .just(1) }
    return .failed(error)
  }.observeFailed { print($0) }.dispose(in: bag)
  risky.flatMapError { error in
    if error == .first { return .just(1) }
    return .completed()
  }.observeNext { print($0) }.dispose(in: bag)
  risky.flatMapError { .failed(CancellationError(from: $0)) }.observeFailed { print($0) }.dispose(in: bag)
  let never: Stream<Int> = risky.flatMapError { _ in .completed() }
  never.observeNext { print($0) }.dispose(in: bag)
}

private struct CancellationError: Error {
  init(from error: LeadingDotError) {}
}

func leadingDotElsewhere(_ a: Property<Int>, _ bag: DisposeBag) {
  Stream<Int>.deferred { .just(1) }.observeNext { print($0) }.dispose(in: bag)
  Stream<Int>.deferred {
    if a.value > 1 { return .just(1) }
    return .completed()
  }.observeNext { print($0) }.dispose(in: bag)
  Operation<Int, LeadingDotError>.deferred { Stream.just(1) }.observeNext { print($0) }.dispose(in: bag)
  a.flatMap(.latest) { _ in .constant("x") }.observeNext { print($0.count) }.dispose(in: bag)
  let action = Action<Int, Int, LeadingDotError> { $0 > 1 ? .just($0) : .failed(.first) }
  action.apply(1).flatMapError { _ in .completed() }.observeNext { print($0) }.dispose(in: bag)
}
