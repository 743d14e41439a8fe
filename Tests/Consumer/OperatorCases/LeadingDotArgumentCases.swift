import Headwater

// An argument that is a stream can begin with a dot.

private struct LeadingDotArgumentError: Error {}

func leadingDotArguments(_ sure: PushStream<Int>, _ bag: DisposeBag) {
  let risky = PushOperation<Int, LeadingDotArgumentError>()
  merge(sure, .just(1)).observeNext { print($0) }.dispose(in: bag)
  zip(sure, .sequence(["a", "b"])).map { $0.1 }.observeNext { print($0.count) }.dispose(in: bag)
  combineLatest(risky, .just(true)).map { $0.1 }.observeNext { print(!$0) }.dispose(in: bag)
  sure.merge(with: .just(1)).observeNext { print($0) }.dispose(in: bag)
  sure.concat(with: .sequence(1...3)).observeNext { print($0) }.dispose(in: bag)
  risky.concat(with: .failed(LeadingDotArgumentError())).observeFailed { print($0) }.dispose(in: bag)
  sure.take(until: .timer((), after: .seconds(1))).observeNext { print($0) }.dispose(in: bag)
  sure.sample(on: .interval(.seconds(1))).observeNext { print($0) }.dispose(in: bag)
  sure.then(.just("end")).observeNext { print($0) }.dispose(in: bag)
  sure.amb(with: .never()).observeNext { print($0) }.dispose(in: bag)
  let _: Stream<Int> = .just(1)
  let _: Operation<Int, LeadingDotArgumentError> = .completed()
}
