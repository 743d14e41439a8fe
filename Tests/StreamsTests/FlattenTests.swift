import Streams
import StreamsTesting
import Testing

/// Flattening, merging, and sharing, element by element.
@Suite(.noLiveResources) struct FlattenTests {
  let outer = PushStream<Int>()
  let inners = (0..<4).map { _ in PushStream<Int>() }

  private func flattened(_ strategy: FlattenStrategy) -> Recorder<Int, Never> {
    outer.flatMap(strategy) { [inners] in inners[$0] }.record()
  }

  @Test func `merge interleaves and completes when all have completed`() {
    let recorder = flattened(.merge)
    outer.next(0)
    outer.next(1)
    inners[0].next(10)
    inners[1].next(20)
    inners[0].next(11)
    outer.completed()
    inners[0].completed()
    #expect(!recorder.isCompleted)
    inners[1].next(21)
    inners[1].completed()
    #expect(recorder.events == [.next(10), .next(20), .next(11), .next(21), .completed])
  }

  @Test func `merge disposes of all that run`() {
    let recorder = flattened(.merge)
    for index in 0..<4 { outer.next(index) }
    inners[1].completed()
    #expect(inners.map(\.observerCount) == [1, 0, 1, 1])
    recorder.dispose()
    #expect(inners.map(\.observerCount) == [0, 0, 0, 0])
    #expect(outer.observerCount == 0)
  }

  @Test func `concat observes each when the one before has completed`() {
    var made: [Int] = []
    let recorder = outer.flatMapConcat { [inners] index in
      made.append(index)
      return inners[index]
    }.record()
    outer.next(0)
    outer.next(1)
    outer.next(2)
    #expect(inners.map(\.observerCount) == [1, 0, 0, 0])
    // The closure runs when it is the turn of its element.
    #expect(made == [0])
    inners[1].next(0)
    inners[0].next(1)
    inners[0].completed()
    #expect(inners.map(\.observerCount) == [0, 1, 0, 0])
    inners[1].next(2)
    outer.completed()
    inners[1].completed()
    inners[2].next(3)
    #expect(!recorder.isCompleted)
    inners[2].completed()
    #expect(recorder.events == [.next(1), .next(2), .next(3), .completed])
  }

  @Test func `concurrent runs no more than its limit`() {
    let recorder = flattened(.concurrent(limit: 2))
    for index in 0..<4 { outer.next(index) }
    #expect(inners.map(\.observerCount) == [1, 1, 0, 0])
    inners[1].completed()
    #expect(inners.map(\.observerCount) == [1, 0, 1, 0])
    inners[0].completed()
    inners[2].completed()
    #expect(inners.map(\.observerCount) == [0, 0, 0, 1])
    recorder.dispose()
    #expect(inners[3].observerCount == 0)
  }

  @Test func `latest disposes of the previous one before it observes the next`() {
    var log: [String] = []
    let subscription = outer.flatMapLatest { number in
      Stream<Int>.never().doOn(start: { log.append("start \(number)") }, disposed: { log.append("end \(number)") })
    }.observeNext { _ in }
    outer.next(1)
    outer.next(2)
    subscription.dispose()
    #expect(log == ["start 1", "end 1", "start 2", "end 2"])
  }

  @Test func `latest completes when the outer and the current inner stream have`() {
    let first = flattened(.latest)
    outer.next(0)
    inners[0].next(1)
    outer.next(1)
    inners[0].next(2)
    inners[1].next(3)
    outer.completed()
    #expect(!first.isCompleted)
    inners[1].completed()
    #expect(first.events == [.next(1), .next(3), .completed])
    // Without any inner stream it completes with the outer one.
    #expect(Stream<Stream<Int>>.completed().switchToLatest().record().events == [.completed])
  }

  @Test func `streams of streams flatten by name`() {
    let streams = Operation<Stream<Int>, Never>.sequence([.sequence([1, 2]), .sequence([3])])
    #expect(streams.merge().record().events == [.next(1), .next(2), .next(3), .completed])
    #expect(streams.concat().record().events == [.next(1), .next(2), .next(3), .completed])
    #expect(streams.switchToLatest().record().events == [.next(1), .next(2), .next(3), .completed])
    #expect(streams.flatten(.merge).record().isCompleted)
    // `concat` of operations concatenates them. It does not switch.
    let operations = PushStream<PushOperation<Int, TestError>>()
    let parts = [PushOperation<Int, TestError>(), PushOperation<Int, TestError>()]
    let recorder = operations.concat().record()
    for part in parts { operations.next(part) }
    #expect(parts.map(\.observerCount) == [1, 0])
    recorder.dispose()
  }

  @Test func `failing and unfailing streams mix`() {
    let a: Operation<Int, TestError> = Stream.just(1).flatMap(.merge) { _ in Operation<Int, TestError>.failed("a") }
    #expect(a.record().failure == "a")
    let b: Operation<Int, TestError> = Operation<Int, TestError>.failed("b").flatMap(.concat) { Stream.just($0) }
    #expect(b.record().failure == "b")
    let c: Stream<Int> = Stream.just(1).flatMap(.latest) { Stream.just($0 + 1) }
    #expect(c.record().elements == [2])
    let d: Operation<Int, TestError> = Operation<Stream<Int>, TestError>.just(Stream.just(1)).merge()
    #expect(d.record().elements == [1])
    let e: Operation<Int, TestError> = Operation<Int, TestError>.just(1).flatMapConcat { Stream.just($0 + 1) }
    #expect(e.record().elements == [2])
    let f: Operation<Int, TestError> = Stream.just(1).flatMapMerge { Operation<Int, TestError>.just($0 + 2) }
    #expect(f.record().elements == [3])
    let g: Stream<Int> = Stream.just(1).flatMapLatest { Stream.just($0 + 3) }
    #expect(g.record().elements == [4])
  }

  @Test func `an inner stream that starts while paused waits`() {
    let inner = Probe<Never>()
    let recorder = outer.flatMap(.merge) { _ in inner.stream }.record()
    recorder.pause()
    outer.next(0)
    #expect(inner.pauses == 1)
    recorder.resume()
    #expect(inner.resumes == 1)
    recorder.dispose()
  }

  @Test func `concat starts nothing while paused`() {
    let recorder = flattened(.concat)
    outer.next(0)
    outer.next(1)
    recorder.pause()
    inners[0].completed()
    #expect(inners[1].observerCount == 0)
    recorder.resume()
    #expect(inners[1].observerCount == 1)
    recorder.dispose()
  }

  @Test func `merging arrays, lists and pairs`() {
    #expect(Stream.merge([.sequence([1, 2]), .just(3)]).record().elements == [1, 2, 3])
    #expect(Stream<Int>.merge([]).record().events == [.completed])
    #expect(merge(Stream.just(1), outer, Stream.just(2)).record().elements == [1, 2])
    let recorder = outer.merge(with: inners[0]).record()
    outer.next(1)
    inners[0].next(2)
    outer.completed()
    inners[0].completed()
    #expect(recorder.events == [.next(1), .next(2), .completed])
  }

  @Test func `concat(with:) observes the second when the first has completed`() {
    let recorder = outer.concat(with: inners[0]).record()
    inners[0].next(0)
    outer.next(1)
    #expect(inners[0].observerCount == 0)
    outer.completed()
    inners[0].next(2)
    inners[0].completed()
    #expect(recorder.events == [.next(1), .next(2), .completed])
    let failed = Operation<Int, TestError>.failed("first").concat(with: Operation.just(1)).record()
    #expect(failed.events == [.failed("first")])
  }
}
