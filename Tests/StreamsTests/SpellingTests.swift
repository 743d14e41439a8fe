import Streams
import StreamsTesting
import Testing

// Compiling these lines is the first half of each test. They are spelled as a user would first try.

/// Tuples of several streams, leading dots, streams of different failures, and values of asynchronous sequences.
@Suite(.noLiveResources)
struct SpellingTests {
  let sure = Stream.sequence([1, 2])
  let risky = Source.just(10).concat(with: Source.failed("end"))

  @Test func `what combines streams gives plain tuples`() {
    #expect(combineLatest(sure, sure.map { "\($0)" }).map { $0.0 }.record().elements == [2, 2])
    #expect(zip(sure, sure.map { "\($0)" }).map { $0.1 }.record().elements == ["1", "2"])
    var pairs: [Int] = []
    zip(sure, sure).observeNext { pair in pairs.append(pair.0 * 10 + pair.1) }.dispose()
    #expect(pairs == [11, 22])
    #expect(combineLatest(sure, sure, Stream.just(true)).map { $0.2 }.record().elements == [true])
  }

  @Test func `tuples of up to eight streams are in order`() {
    let one = Stream.just("a")
    let all = zip(
      one, .just(2), one.map { $0 + "3" }, one.map { _ in 4.0 }, one.map { _ in true }, one.map { _ in [6] },
      one.map { _ in 7 }, one.map { _ in "8" })
    let line = all.map { "\($0.0)\($0.1)\($0.2)\($0.3)\($0.4)\($0.5)\($0.6)\($0.7)" }
    #expect(line.record().events == [.next("a2a34.0true[6]78"), .completed])
    let numbers = (0..<8).map { Stream.just($0) }
    let newest = combineLatest(
      numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7])
    #expect(newest.map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7] }.record().elements == [Array(0..<8)])
    #expect(zip(sure, sure, sure, sure).map { $0.3 }.record().elements == [1, 2])
    #expect(zip(sure, sure, sure, sure, sure).map { $0.4 }.record().elements == [1, 2])
    #expect(zip(sure, sure, sure, sure, sure, sure).map { $0.5 }.record().elements == [1, 2])
    #expect(zip(sure, sure, sure, sure, sure, sure, sure).map { $0.6 }.record().elements == [1, 2])
    #expect(combineLatest(sure, sure, sure, sure).map { $0.3 }.record().elements == [1, 2])
    #expect(combineLatest(sure, sure, sure, sure, sure).map { $0.4 }.record().elements == [1, 2])
    #expect(combineLatest(sure, sure, sure, sure, sure, sure).map { $0.5 }.record().elements == [1, 2])
    #expect(combineLatest(sure, sure, sure, sure, sure, sure, sure).map { $0.6 }.record().elements == [1, 2])
  }

  @Test func `an array holds streams of any types`() {
    let push = PushStream<Int>()
    let history = ReplaySubject<Int, Never>(bufferSize: 1)
    let subjects = [push, PushStream<Int>()]
    let merged = merge([push, history]).record()
    let same = merge(subjects).record()
    let latest = combineLatest([push, history]).record()
    let zipped = zip([push, history]).record()
    let first = race([push, history]).record()
    let joined = Stream.concat([history.first(), push]).record()
    history.next(1)
    push.next(2)
    #expect(merged.elements == [1, 2])
    #expect(same.elements == [2])
    #expect(latest.elements == [[2, 1]])
    #expect(zipped.elements == [[2, 1]])
    #expect(first.elements == [1])
    #expect(joined.elements == [1, 2])
    for recorder in [merged, same, first, joined] { recorder.dispose() }
    for recorder in [latest, zipped] { recorder.dispose() }
    #expect(merge([any StreamProtocol<Int, Never>]()).record().events == [.completed])
  }

  @Test func `a closure that returns a stream may begin with a dot`() {
    #expect(sure.flatMap(.concat) { .just($0 * 2) }.record().elements == [2, 4])
    #expect(risky.flatMap(.latest) { _ in .just("x") }.record().events == [.next("x"), .failed("end")])
    let choosing = risky.flatMap(.merge) { number in
      if number < 10 { return .just("small") }
      return .failed("large")
    }
    #expect(choosing.record().events == [.failed("large")])
    let failing: Operation<Int, TestError> = sure.flatMap(.concat) { $0 == 1 ? .just($0) : .failed("two") }
    #expect(failing.record().events == [.next(1), .failed("two")])
    #expect(sure.flatMapLatest { .just($0) }.record().elements == [1, 2])
    #expect(sure.flatMapConcat { .sequence([$0, $0]) }.record().elements == [1, 1, 2, 2])
    #expect(risky.flatMapMerge { .just($0) }.record().elements == [10])
    #expect(Stream<Int>.deferred { .just(1) }.record().elements == [1])
    #expect(Source.deferred { Stream.just(1) }.record().events == [.next(1), .completed])
  }

  @Test func `an argument that is a stream may begin with a dot`() {
    #expect(merge(sure, .just(3)).record().elements == [1, 2, 3])
    #expect(sure.merge(with: .completed()).record().elements == [1, 2])
    #expect(sure.concat(with: .sequence(3...4)).record().elements == [1, 2, 3, 4])
    #expect(risky.merge(with: .failed("other")).record().failure == "end")
    #expect(sure.amb(with: .never()).record().elements == [1, 2])
    let scheduler = VirtualScheduler()
    let until = Stream.never().take(until: .timer((), after: .seconds(1))) as Stream<Int>
    let recorder = until.record(on: scheduler)
    let ticks = zip(.interval(.seconds(1)), sure).map { $0.0 }.record(on: scheduler)
    scheduler.advance(by: .seconds(2))
    #expect(recorder.isCompleted)
    #expect(ticks.elements == [0, 1])
  }

  @Test func `flatMapError with a leading dot`() {
    let completing: Stream<Int> = risky.flatMapError { _ in .completed() }
    #expect(completing.record().events == [.next(10), .completed])
    #expect(risky.flatMapError { _ in .just(0) }.record().events == [.next(10), .next(0), .completed])
    #expect(risky.flatMapError { .failed($0) }.record().failure == "end")
    let choosing = risky.flatMapError { error in
      if error == "other" { return .just(1) }
      return .failed(error)
    }
    #expect(choosing.record().failure == "end")
    struct Other: Error { let cause: TestError }
    let renamed = risky.flatMapError { .failed(Other(cause: $0)) }.record()
    #expect(renamed.failure?.cause.name == "end")
  }

  @Test func `functions of two or three streams mix failures`() {
    #expect(merge(sure, risky).record().events == [.next(1), .next(2), .next(10), .failed("end")])
    #expect(merge(risky, sure).record().failure == "end")
    #expect(merge(sure, risky, sure).record().failure == "end")
    #expect(zip(sure, risky).map { $0.0 + $0.1 }.record().events == [.next(11), .failed("end")])
    #expect(zip(risky, sure, sure).map { $0.2 }.record().failure == "end")
    #expect(combineLatest(sure, risky).map { $0.0 + $0.1 }.record().events == [.next(12), .failed("end")])
    #expect(combineLatest(risky, sure, risky).map { $0.0 }.record().failure == "end")
    #expect(race(sure, risky).record().events == [.next(1), .next(2), .completed])
    #expect(race(risky, sure).record().events == [.next(10), .failed("end")])
  }

  @Test func `then, flatten and triggers mix failures`() {
    #expect(sure.then(risky).record().events == [.next(10), .failed("end")])
    #expect(risky.then(sure).record().events == [.failed("end")])
    #expect(sure.map { _ in risky }.flatten(.concat).record().events == [.next(10), .failed("end")])
    #expect(risky.map { _ in sure }.flatten(.concat).record().events == [.next(1), .next(2), .failed("end")])
    #expect(sure.take(until: Source.failed("stop")).record().events == [.failed("stop")])
    #expect(sure.skip(until: Source.failed("stop")).record().events == [.failed("stop")])
    #expect(Stream<Int>.never().sample(on: Source.failed("stop")).record().events == [.failed("stop")])
  }

}

/// The functions that await all elements, in the isolation of the caller.
@Suite(.noLiveResources)
struct AsyncReducingTests {
  @Test @MainActor func `the elements of an asynchronous sequence are reduced on the main actor`() async throws {
    let sure = Stream.sequence([1, 2])
    let risky = Source.just(10).concat(with: Source.failed("end"))
    #expect(await sure.values().reduce(into: []) { $0.append($1) } == [1, 2])
    #expect(await sure.values().reduce(0, +) == 3)
    #expect(await sure.values().first { $0 > 1 } == 2)
    #expect(await sure.values().first { $0 > 2 } == nil)
    #expect(await sure.values().contains(2))
    #expect(await !sure.values().contains { $0 > 2 })
    #expect(await sure.values().allSatisfy { $0 > 0 })
    #expect(await sure.values().min() == 1)
    #expect(await sure.values().max() == 2)
    do throws(TestError) {
      _ = try await risky.values().reduce(0, +)
      Issue.record("no failure")
    } catch {
      #expect(error == "end")
    }
    struct Stop: Error {}
    var seen = 0
    await #expect(throws: Stop.self) {
      _ = try await sure.values().reduce(into: 0) { (_: inout Int, _) throws in
        seen += 1
        throw Stop()
      }
    }
    #expect(seen == 1)
  }
}
