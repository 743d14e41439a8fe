import Headwater

// Functions that combine streams deliver plain tuples, for two to eight streams, also in chains of operators.

private struct TupleCaseError: Error {}

func tupleCaseOfTwo(_ a: PushStream<Int>, _ b: PushStream<String>, _ bag: DisposeBag) {
  combineLatest(a, b).map { $0.0 }.observeNext { print($0 + 1) }.dispose(in: bag)
  combineLatest(a, b).map { $1 }.observeNext { print($0.count) }.dispose(in: bag)
  combineLatest(a, b).observeNext { t in print(t.0, t.1) }.dispose(in: bag)
  combineLatest(a, b).observeNext { number, name in print(number, name) }.dispose(in: bag)
  zip(a, b).map { $0.0 }.observeNext { print($0 + 1) }.dispose(in: bag)
  zip(a, b).observeNext { t in print(t.0) }.dispose(in: bag)
  zip(a, b).filter { $0.0 > 1 }.map { "\($0.0)\($0.1)" }.observeNext { print($0) }.dispose(in: bag)
}

func tupleCaseOfThree(_ a: PushStream<Int>, _ bag: DisposeBag) {
  combineLatest(a, a.map { "\($0)" }, Stream.just(true)).map { $0.2 }.observeNext { print(!$0) }.dispose(in: bag)
  zip(a, a.map { "\($0)" }, Stream.just(true)).map { $0.1 }.observeNext { print($0.count) }.dispose(in: bag)
  zip(a, a, a).map { $0 + $1 + $2 }.observeNext { print($0) }.dispose(in: bag)
}

func tupleCaseOfEight(_ a: Stream<Int>, _ bag: DisposeBag) {
  zip(a, a, a, a).map { $0.3 }.observeNext { print($0) }.dispose(in: bag)
  zip(a, a, a, a, a).map { $0.4 }.observeNext { print($0) }.dispose(in: bag)
  zip(a, a, a, a, a, a).map { $0.5 }.observeNext { print($0) }.dispose(in: bag)
  zip(a, a, a, a, a, a, a).map { $0.6 }.observeNext { print($0) }.dispose(in: bag)
  zip(a, a, a, a, a, a, a, a).map { $0.7 }.observeNext { print($0) }.dispose(in: bag)
  combineLatest(a, a, a, a).map { $0.3 }.observeNext { print($0) }.dispose(in: bag)
  combineLatest(a, a, a, a, a).map { $0.4 }.observeNext { print($0) }.dispose(in: bag)
  combineLatest(a, a, a, a, a, a).map { $0.5 }.observeNext { print($0) }.dispose(in: bag)
  combineLatest(a, a, a, a, a, a, a).map { $0.6 }.observeNext { print($0) }.dispose(in: bag)
  combineLatest(a, a, a, a, a, a, a, a).map { $0.7 }.observeNext { t in print(t) }.dispose(in: bag)
}

func tupleCaseOfArrays(_ a: PushStream<Int>, _ b: PushStream<Int>, _ c: ReplaySubject<Int, Never>, _ bag: DisposeBag) {
  combineLatest([a, b]).map { $0[0] }.observeNext { print($0) }.dispose(in: bag)
  zip([a, b, c]).map { $0.reduce(0, +) }.observeNext { print($0) }.dispose(in: bag)
  merge([a, b]).observeNext { print($0) }.dispose(in: bag)
  merge([a, c, Stream.just(1)]).observeNext { print($0) }.dispose(in: bag)
  race([a, b, c]).observeNext { print($0) }.dispose(in: bag)
  Stream.merge([a, b]).observeNext { print($0) }.dispose(in: bag)
  Stream.concat([a, c]).observeNext { print($0) }.dispose(in: bag)
  Stream.zip([a, c]).map { $0[1] }.observeNext { print($0) }.dispose(in: bag)
  let both = [a, b]
  merge(both).observeNext { print($0) }.dispose(in: bag)
  Stream.merge([.just(1), .just(2)]).observeNext { print($0) }.dispose(in: bag)
}

func tupleCaseOfProperties(_ a: Property<Int>, _ b: Property<String>, _ bag: DisposeBag) {
  zip(a, b).map { $0.0 }.observeNext { print($0) }.dispose(in: bag)
  combineLatest(a, b).map { $0.1 }.observeNext { print($0) }.dispose(in: bag)
  combineLatest(a, b).observeNext { t in print(t.0) }.dispose(in: bag)
  print(combineLatest(a, b, a.map { $0 > 1 }).value.2, zip(a, b).value.1)
  zip(a, b, a, a).map { $0.3 }.observeNext { print($0) }.dispose(in: bag)
  print(combineLatest([a, a]).value[1], zip([a, a.readOnlyView]).value.count)
  combineLatest(a, Stream.just(1)).map { $0.0 + $0.1 }.observeNext { print($0) }.dispose(in: bag)
}
