import Streams
import StreamsTesting
import Testing

/// The overloads of one operator behave alike, whichever of the streams cannot fail.
@Suite(.noLiveResources)
struct OverloadTests {
  let sure = Stream.sequence([1, 2])
  let risky = Source.sequence([10, 20])

  /// Each set of two or three streams of which at least one can fail, as the elements that the streams emit.
  let mixed = [
    [[1, 2], [10, 20]], [[10, 20], [1, 2]], [[1, 2], [10, 20], [10, 20]], [[10, 20], [1, 2], [10, 20]],
    [[10, 20], [10, 20], [1, 2]], [[1, 2], [1, 2], [10, 20]], [[1, 2], [10, 20], [1, 2]],
    [[10, 20], [1, 2], [1, 2]],
  ]

  @Test func `merge and race`() {
    let merged = [
      merge(sure, risky), merge(risky, sure), merge(sure, risky, risky), merge(risky, sure, risky),
      merge(risky, risky, sure), merge(sure, sure, risky), merge(sure, risky, sure), merge(risky, sure, sure),
    ]
    #expect(merged.map { $0.record().elements } == mixed.map { $0.flatMap { $0 } })
    let raced = [
      race(sure, risky), race(risky, sure), race(sure, risky, risky), race(risky, sure, risky),
      race(risky, risky, sure), race(sure, sure, risky), race(sure, risky, sure), race(risky, sure, sure),
    ]
    #expect(raced.map { $0.record().elements } == mixed.map { $0[0] })
  }

  @Test func `zip and combineLatest`() {
    func array(_ pair: (Int, Int)) -> [Int] { [pair.0, pair.1] }
    func array(_ triple: (Int, Int, Int)) -> [Int] { [triple.0, triple.1, triple.2] }
    let zipped = [
      zip(sure, risky).map(array), zip(risky, sure).map(array), zip(sure, risky, risky).map(array),
      zip(risky, sure, risky).map(array), zip(risky, risky, sure).map(array), zip(sure, sure, risky).map(array),
      zip(sure, risky, sure).map(array), zip(risky, sure, sure).map(array),
    ]
    #expect(zipped.map { $0.record().elements } == mixed.map { sides in [sides.map { $0[0] }, sides.map { $0[1] }] })
    let combined = [
      combineLatest(sure, risky).map(array), combineLatest(risky, sure).map(array),
      combineLatest(sure, risky, risky).map(array), combineLatest(risky, sure, risky).map(array),
      combineLatest(risky, risky, sure).map(array), combineLatest(sure, sure, risky).map(array),
      combineLatest(sure, risky, sure).map(array), combineLatest(risky, sure, sure).map(array),
    ]
    // Each stream emits all of its elements when it is observed, so only the changes of the last one are visible.
    #expect(
      combined.map { $0.record().elements }
        == mixed.map { sides in sides.last!.map { last in sides.dropLast().map { $0[1] } + [last] } })
  }

  @Test func `arrays of streams of different types`() {
    func replay(_ elements: [Int]) -> ReplaySubject<Int, TestError> {
      let subject = ReplaySubject<Int, TestError>(bufferSize: 2)
      for element in elements { subject.next(element) }
      subject.completed()
      return subject
    }
    let streams: [any StreamProtocol<Int, TestError>] = [risky, replay([3, 4])]
    #expect(merge(streams).record().elements == [10, 20, 3, 4])
    #expect(Source.merge(streams).record().elements == [10, 20, 3, 4])
    #expect(Source.concat(streams).record().elements == [10, 20, 3, 4])
    #expect(race(streams).record().elements == [10, 20])
    #expect(Source.race(streams).record().elements == [10, 20])
    #expect(zip(streams).record().elements == [[10, 3], [20, 4]])
    #expect(Source.zip(streams).record().elements == [[10, 3], [20, 4]])
    #expect(combineLatest(streams).record().elements == [[20, 3], [20, 4]])
    #expect(Source.combineLatest(streams).record().elements == [[20, 3], [20, 4]])
  }

  @Test func `the short forms of flatMap, with inner streams that fail as the outer one, or cannot, or alone can`() {
    let outer = ReplaySubject<Int, TestError>(bufferSize: 2)
    let sureOuter = ReplaySubject<Int, Never>(bufferSize: 2)
    for element in [1, 2] {
      outer.next(element)
      sureOuter.next(element)
    }
    func inner<Failure: Error>(_ number: Int, _: Failure.Type) -> ReplaySubject<Int, Failure> {
      let subject = ReplaySubject<Int, Failure>(bufferSize: 1)
      subject.next(number * 10)
      return subject
    }
    let merged = [
      outer.flatMapMerge { inner($0, TestError.self) }, outer.flatMapMerge { .just($0 * 10) },
      outer.flatMapMerge { inner($0, Never.self) }, sureOuter.flatMapMerge { inner($0, TestError.self) },
      sureOuter.flatMapMerge { Source.just($0 * 10) },
    ]
    #expect(merged.map { $0.record().elements } == Array(repeating: [10, 20], count: 5))
    let latest = [
      outer.flatMapLatest { inner($0, TestError.self) }, outer.flatMapLatest { .just($0 * 10) },
      outer.flatMapLatest { inner($0, Never.self) }, sureOuter.flatMapLatest { inner($0, TestError.self) },
      sureOuter.flatMapLatest { Source.just($0 * 10) },
    ]
    #expect(latest.map { $0.record().elements } == Array(repeating: [10, 20], count: 5))
    // An inner stream that does not end holds the next one back.
    let concat = [
      outer.flatMapConcat { inner($0, TestError.self) }, outer.flatMapConcat { .just($0 * 10) },
      outer.flatMapConcat { inner($0, Never.self) }, sureOuter.flatMapConcat { inner($0, TestError.self) },
      sureOuter.flatMapConcat { Source.just($0 * 10) },
    ]
    #expect(concat.map { $0.record().elements } == [[10], [10, 20], [10], [10], [10, 20]])
  }

  @Test func `streams of streams that cannot fail beside those that can`() {
    let sureInner = Operation<Stream<Int>, TestError>.sequence([sure, sure])
    let riskyInner = Stream<Source>.sequence([risky, risky])
    #expect(sureInner.merge().record().elements == [1, 2, 1, 2])
    #expect(sureInner.concat().record().elements == [1, 2, 1, 2])
    #expect(sureInner.switchToLatest().record().elements == [1, 2, 1, 2])
    #expect(sureInner.flatten(.merge).record().elements == [1, 2, 1, 2])
    #expect(riskyInner.merge().record().elements == [10, 20, 10, 20])
    #expect(riskyInner.concat().record().elements == [10, 20, 10, 20])
    #expect(riskyInner.switchToLatest().record().elements == [10, 20, 10, 20])
    #expect(riskyInner.flatten(.merge).record().elements == [10, 20, 10, 20])
  }
}
