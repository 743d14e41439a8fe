import Headwater
import StreamsTesting
import Testing

/// Situations in which clocks, bounded buffers, and tasks of other libraries have fired at once, stalled, or reordered elements.
@Suite(.noLiveResources) struct CrossingFaultTests {
  static let distances: [Duration] = [
    .milliseconds(2_147_483_648), .milliseconds(4_294_972_296), .seconds(47_899_622_768), .seconds(Int64.max),
  ]

  @Test(arguments: distances) func `a distant deadline is not served at once`(distance: Duration) async throws {
    let lines = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let bag = DisposeBag()
      var lines: [String] = []
      Stream.timer("timer", after: distance).observeNext { lines.append($0) }.dispose(in: bag)
      Stream.interval(distance).observeNext { lines.append("interval \($0)") }.dispose(in: bag)
      Stream.just("delay").delay(for: distance).observeNext { lines.append($0) }.dispose(in: bag)
      Stream.just("debounce").concat(with: .never()).debounce(for: distance).observeNext { lines.append($0) }
        .dispose(in: bag)
      Stream<String>.never().timeout(after: distance, failingWith: TestError("timeout")).observeFailed {
        lines.append($0.name)
      }
      .dispose(in: bag)
      let handle = try TimerHandle()
      handle.start(after: distance) { lines.append("handle") }
      // Whatever had overflowed would be due before this deadline.
      Stream.timer("near", after: .milliseconds(5)).observeNext {
        lines.append($0)
        bag.dispose()
        handle.dispose()
      }.dispose(in: bag)
      loop.run()
      return lines
    }
    #expect(lines == ["near"])
  }

  @Test func `more elements than a buffer holds pass through a later delivery and a flattening`() async throws {
    for count in [1_023, 1_024, 1_025, 5_000] {
      let numbers = try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        var numbers: [Int] = []
        let subscription = Stream.sequence(0..<count).observe(on: loop.context)
          .flatMap(.concat) { number in Stream.sequence([number, number]) }
          .zip(with: Stream.sequence(0...).observe(on: loop.context)).map { $0.0 }
          .observeNext { numbers.append($0) }
        loop.run()
        subscription.dispose()
        return numbers
      }
      #expect(numbers == (0..<count).flatMap { [$0, $0] })
    }
  }

  @Test func `pairs arrive in the order of their elements, although an observer sends while it receives one`() {
    let (left, right) = (PushStream<Int>(), PushStream<Int>())
    let pairs = left.combineLatest(with: right).share()
    let bag = DisposeBag()
    pairs.observeNext { if $0.0 < 3 { left.next($0.0 + 1) } }.dispose(in: bag)
    let recorder = pairs.map { "\($0.0)\($0.1)" }.record()
    right.next(0)
    left.next(1)
    right.next(9)
    #expect(marks(recorder) == "10 20 30 39")
    bag.dispose()
    recorder.dispose()
  }

  @Test @MainActor func `a failure of an asynchronous sequence passes through an operator with a clock`() async {
    let numbers = AsyncThrowingStream<Int, any Error> { continuation in
      for number in 1...3 { continuation.yield(number) }
      continuation.finish(throwing: TestError("end"))
    }
    await #expect(throws: TestError("end")) {
      for try await _ in Operation(numbers).debounce(for: .seconds(900)).values() {}
    }
  }

  @Test @MainActor func `an asynchronous sequence is not canceled while an operator with a clock waits`() async throws {
    let numbers = AsyncStream<Int>.makeStream()
    let debounced = Stream(numbers.stream).debounce(for: .milliseconds(1)).filter { $0 > 1 }
    let first = Task { await debounced.firstValue() }
    numbers.continuation.yield(1)
    _ = try await Stream.timer((), after: .milliseconds(5)).value
    numbers.continuation.yield(2)
    #expect(await first.value == 2)
    numbers.continuation.finish()
  }

  @Test @MainActor func `a task that is canceled while it awaits an element resumes`() async throws {
    let push = PushStream<Int>()
    let task = Task { await push.firstValue() }
    let loop = Task {
      var count = 0
      for await _ in push.values() { count += 1 }
      return count
    }
    while push.observerCount < 2 { await Task.yield() }
    task.cancel()
    loop.cancel()
    #expect(await task.value == nil)
    #expect(await loop.value == 0)
    while push.observerCount > 0 { await Task.yield() }
  }
}
