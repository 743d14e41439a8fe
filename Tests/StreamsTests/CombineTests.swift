import Streams
import StreamsTesting
import Testing

/// combineLatest, zip, withLatest, and race.
@Suite(.noLiveResources) struct CombineTests {
  let left = Probe<TestError>()
  let right = Probe<TestError>()

  // MARK: combineLatest

  @Test func `combineLatest emits the newest of both, once both have emitted`() {
    let recorder = left.stream.combineLatest(with: right.stream).map { [$0, $1] }.record()
    left.next(1)
    left.next(2)
    #expect(recorder.events.isEmpty)
    right.next(10)
    right.next(20)
    left.next(3)
    #expect(recorder.elements == [[2, 10], [2, 20], [3, 20]])
    left.terminate(.completed)
    right.next(30)
    #expect(recorder.elements.last == [3, 30])
    #expect(!recorder.isCompleted)
    right.terminate(.completed)
    #expect(recorder.isCompleted)
  }

  @Test func `combineLatest completes as soon as it can emit nothing any more`() {
    let recorder = left.stream.combineLatest(with: right.stream).map { $0 + $1 }.record()
    left.next(1)
    right.terminate(.completed)
    #expect(recorder.events == [.completed])
    #expect(left.disposals == 1)
    let third = Probe<TestError>()
    #expect(Source.completed().combineLatest(with: third.stream).map { $0 + $1 }.record().events == [.completed])
    #expect(third.starts == 0)
  }

  @Test func `combineLatest passes the failure of one side at once`() {
    let recorder = left.stream.combineLatest(with: right.stream).map { $0 + $1 }.record()
    left.next(1)
    right.terminate(.failed("right"))
    #expect(recorder.events == [.failed("right")])
    #expect(left.disposals == 1)
  }

  @Test func `combineLatest of any number gives flat tuples`() {
    let names = PushOperation<String, TestError>()
    let recorder = combineLatest(left.stream, names, right.stream, Operation<Bool, TestError>.just(true))
      .map { number, name, other, flag in "\(number) \(name) \(other) \(flag)" }.record()
    left.next(1)
    names.next("a")
    #expect(recorder.events.isEmpty)
    right.next(2)
    names.next("b")
    #expect(recorder.elements == ["1 a 2 true", "1 b 2 true"])
    names.failed("names")
    #expect(recorder.failure == "names")
    #expect(left.disposals == 1 && right.disposals == 1)
    let six = combineLatest(
      Stream.just(1), Stream.just("2"), Stream.just(3.0), Stream.just(4), Stream.just(true), Stream.just([6]))
    #expect(
      six.map { "\($0.0)\($0.1)\($0.2)\($0.3)\($0.4)\($0.5)" }.record().events == [.next("123.04true[6]"), .completed])
  }

  @Test func `combineLatest of an array keeps their order and completes at once without any`() {
    let recorder = Source.combineLatest([left.stream, right.stream]).record()
    right.next(2)
    left.next(1)
    #expect(recorder.elements == [[1, 2]])
    recorder.dispose()
    #expect(left.disposals == 1 && right.disposals == 1)
    #expect(Source.combineLatest([]).record().events == [.completed])
  }

  @Test func `combineLatest queues what is sent from inside a delivery, with the elements of that moment`() {
    let first = PushStream<Int>()
    let second = PushStream<Int>()
    var log: [[Int]] = []
    let subscription = first.combineLatest(with: second).observeNext { pair in
      if pair.0 == 1, pair.1 == 1 {
        second.next(2)
        first.next(3)
      }
      log.append([pair.0, pair.1])
    }
    first.next(1)
    second.next(1)
    // The second stream is itself in a delivery, and sends its element afterwards.
    #expect(log == [[1, 1], [3, 1], [3, 2]])
    subscription.dispose()
    #expect(first.observerCount == 0 && second.observerCount == 0)
  }

  // MARK: zip

  @Test func `zip pairs by position and completes as soon as no further pair is possible`() {
    let recorder = left.stream.zip(with: right.stream).map { [$0, $1] }.record()
    left.next(1)
    left.next(2)
    right.next(10)
    #expect(recorder.elements == [[1, 10]])
    left.terminate(.completed)
    #expect(!recorder.isCompleted)
    right.next(20)
    #expect(recorder.events.count == 3)
    #expect(recorder.elements.last == [2, 20])
    #expect(recorder.isCompleted)
    #expect(right.disposals == 1)
  }

  @Test func `zip completes at once when one side ends with nothing left`() {
    let recorder = left.stream.zip(with: right.stream).map { $0 + $1 }.record()
    left.next(1)
    right.terminate(.completed)
    #expect(recorder.events == [.completed])
    #expect(left.disposals == 1)
  }

  @Test func `zip passes a failure at once and drops what waits`() {
    let recorder = left.stream.zip(with: right.stream).map { $0 + $1 }.record()
    left.next(1)
    left.terminate(.failed("left"))
    #expect(recorder.events == [.failed("left")])
    #expect(right.disposals == 1)
  }

  @Test func `zip pauses the side that is ahead at its bound and resumes it at half of it`() {
    let recorder = left.stream.zip(with: right.stream).map { $0 + $1 }.record()
    for number in 1..<Watermarks.standard.high { left.next(number) }
    #expect(left.pauses == 0)
    left.next(0)
    #expect(left.pauses == 1)
    #expect(right.pauses == 0)
    for number in 1..<Watermarks.standard.high / 2 { right.next(number) }
    #expect(left.resumes == 0)
    right.next(0)
    #expect(left.resumes == 1)
    #expect(recorder.elements.count == Watermarks.standard.high / 2)
    recorder.dispose()
  }

  @Test func `zip of synchronous streams of any length loses nothing`() {
    let total = 5 * Watermarks.standard.high
    let reports = captureDiagnostics {
      let recorder = zip(Stream.sequence(0..<total), Stream.sequence(0...), Stream.sequence(0..<total))
        .map { $0 == $1 && $1 == $2 ? $0 : -1 }.record()
      #expect(recorder.elements == Array(0..<total))
      #expect(recorder.isCompleted)
    }
    #expect(reports.isEmpty)
  }

  @Test func `zip stays paused while its observer pauses`() {
    let recorder = left.stream.zip(with: right.stream).map { $0 + $1 }.record()
    for number in 0..<Watermarks.standard.high { left.next(number) }
    recorder.pause()
    for number in 0..<Watermarks.standard.high { right.next(number) }
    #expect(left.resumes == 0)
    recorder.resume()
    #expect(left.resumes == 1 && right.resumes == 1)
    recorder.dispose()
  }

  @Test func `zip of any number and of an array`() {
    let six = zip(
      Stream.sequence([1, 2]), Stream.sequence(["a", "b"]), Stream.sequence(1...), Stream.sequence(1...),
      Stream.sequence(1...), Stream.sequence([true, false, true]))
    #expect(
      six.map { "\($0.0)\($0.1)\($0.2)\($0.5)" }.record().events == [.next("1a1true"), .next("2b2false"), .completed])
    #expect(
      Stream.zip([.sequence(1...2), .sequence(3...)]).record().events == [.next([1, 3]), .next([2, 4]), .completed])
    #expect(Stream<Int>.zip([]).record().events == [.completed])
  }

  // MARK: withLatest

  @Test func `withLatest emits for this stream alone and completes with it`() {
    let recorder = left.stream.withLatest(from: right.stream).map { [$0, $1] }.record()
    left.next(1)
    right.next(10)
    right.next(20)
    #expect(recorder.events.isEmpty)
    left.next(2)
    right.terminate(.completed)
    left.next(3)
    #expect(recorder.elements == [[2, 20], [3, 20]])
    left.terminate(.completed)
    #expect(recorder.isCompleted)
  }

  @Test func `withLatest does not wait for the other side and fails with it`() {
    let recorder = left.stream.withLatest(from: right.stream).map { $0 + $1 }.record()
    left.terminate(.completed)
    #expect(recorder.events == [.completed])
    #expect(right.disposals == 1)
    let other = Probe<TestError>()
    let failing = left.stream.withLatest(from: other.stream).map { $0 + $1 }.record()
    other.terminate(.failed("other"))
    #expect(failing.events == [.failed("other")])
    #expect(left.disposals == 2)
  }

  // MARK: race

  @Test func `the first to send anything wins and the others are disposed of`() {
    let recorder = left.stream.amb(with: right.stream).record()
    right.next(1)
    #expect(left.disposals == 1)
    left.next(9)
    right.next(2)
    right.terminate(.completed)
    #expect(recorder.events == [.next(1), .next(2), .completed])
    for end in [Termination<TestError>.completed, .failed("end")] {
      let loser = Probe<TestError>()
      let winner = Probe<TestError>()
      let ended = race(loser.stream, winner.stream).record()
      winner.terminate(end)
      #expect(ended.termination == end)
      #expect(loser.disposals == 1)
    }
  }

  @Test func `one that sends at once keeps those behind it from being observed`() {
    #expect(race(Source.just(1), left.stream).record().events == [.next(1), .completed])
    #expect(left.starts == 0)
    #expect(Source.race([]).record().events == [.completed])
  }

  @Test func `pausing a race reaches all, then the winner`() {
    let recorder = left.stream.amb(with: right.stream).record()
    recorder.pause()
    #expect(left.pauses == 1 && right.pauses == 1)
    recorder.resume()
    left.next(1)
    recorder.pause()
    #expect(left.pauses == 2 && right.pauses == 1)
    recorder.dispose()
    #expect(left.disposals == 1 && right.disposals == 1)
  }

  @Test func `a race that starts while its observer pauses begins when it resumes`() {
    let outer = PushOperation<Source, TestError>()
    let recorder = outer.flatMap(.merge) { $0 }.record()
    recorder.pause()
    outer.next(race(Source.sequence([1, 2]), Source.sequence([3, 4])))
    #expect(recorder.elements.isEmpty)
    recorder.resume()
    #expect(recorder.elements == [1, 2])
    recorder.dispose()
  }
}
