import Headwater

// A stream that cannot fail can be combined with one that can.

private struct MixedFailureError: Error {}

func mixedFailures(_ sure: PushStream<Int>, _ bag: DisposeBag) {
  let risky = PushOperation<Int, MixedFailureError>()
  merge(sure, risky).observeFailed { print($0) }.dispose(in: bag)
  merge(risky, sure).observeFailed { print($0) }.dispose(in: bag)
  merge(risky, sure, sure).observeFailed { print($0) }.dispose(in: bag)
  race(sure, risky).observeFailed { print($0) }.dispose(in: bag)
  zip(sure, risky).map { $0.0 + $0.1 }.observeFailed { print($0) }.dispose(in: bag)
  zip(risky, sure).map { $0.0 + $0.1 }.observeFailed { print($0) }.dispose(in: bag)
  zip(sure, risky, sure).map { $0.2 }.observeFailed { print($0) }.dispose(in: bag)
  combineLatest(sure, risky).map { $0.0 + $0.1 }.observeFailed { print($0) }.dispose(in: bag)
  combineLatest(risky, risky, sure).map { $0.0 + $0.1 }.observeFailed { print($0) }.dispose(in: bag)
  sure.then(risky).observeFailed { print($0) }.dispose(in: bag)
  risky.then(sure).observeFailed { print($0) }.dispose(in: bag)
  risky.then(sure.map { "\($0)" }).observeNext { print($0.count) }.dispose(in: bag)
  sure.map { _ in risky }.flatten(.latest).observeFailed { print($0) }.dispose(in: bag)
  risky.map { _ in sure }.flatten(.concat).observeFailed { print($0) }.dispose(in: bag)
  sure.map { _ in sure }.flatten(.concat).observeNext { print($0) }.dispose(in: bag)
  risky.map { _ in risky }.flatten(.merge).observeFailed { print($0) }.dispose(in: bag)
  sure.take(until: risky).observeFailed { print($0) }.dispose(in: bag)
  sure.skip(until: risky).observeFailed { print($0) }.dispose(in: bag)
  sure.sample(on: risky).observeFailed { print($0) }.dispose(in: bag)
  risky.take(until: sure).observeFailed { print($0) }.dispose(in: bag)
}
