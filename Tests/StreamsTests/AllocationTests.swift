import Allocations
import Streams
import StreamsTesting
import Testing

/// An element allocates no memory once its chain exists. The counts are exact, also in debug builds.
@Suite(
  .noLiveResources,
  .enabled(if: allocations_are_counted(), "a sanitizer puts its own allocator in the place of the one that counts"))
struct AllocationTests {
  /// The blocks of memory that this thread allocates in `body`.
  func allocations(_ body: () -> Void) -> Int {
    let before = allocations_so_far_here()
    body()
    return Int(allocations_so_far_here() - before)
  }

  /// Observes the stream that `chain` makes of a subject, and counts the allocations of 1,000 sends. The sends before them
  /// include one-time lookups of the runtime, and let buffers reach their size.
  func allocationsOfElements<Output>(_ chain: (PushStream<Int>) -> Stream<Output>) -> Int {
    let subject = PushStream<Int>()
    let total = Cell()
    let subscription = chain(subject).observeNext { _ in total.value += 1 }
    defer { subscription.dispose() }
    for number in 0..<10 { subject.next(number) }
    let made = allocations { for number in 0..<1_000 { subject.next(number) } }
    #expect(total.value > 0)
    return made
  }

  final class Cell { var value = 0 }

  @Test func `the counter sees an allocation`() {
    var cell: Cell?
    #expect(allocations { cell = Cell() } == 1)
    withExtendedLifetime(cell) {}
  }

  @Test func `an element from a subject to its observer allocates nothing`() {
    #expect(allocationsOfElements { $0.toStream() } == 0)
  }

  @Test func `an element through map, filter and map allocates nothing`() {
    #expect(allocationsOfElements { $0.map { $0 + 1 }.filter { $0 % 2 == 0 }.map { $0 * 2 } } == 0)
  }

  @Test func `an element through ten maps allocates nothing`() {
    #expect(
      allocationsOfElements { subject in
        (0..<10).reduce(subject.toStream()) { stream, _ in stream.map { $0 + 1 } }
      } == 0)
  }

  @Test func `an element through scan, distinct, skip and take allocates nothing`() {
    #expect(allocationsOfElements { $0.scan(0, +).distinct().skip(1).take(.max) } == 0)
  }

  @Test func `an element to a hundred observers allocates nothing`() {
    let subject = PushStream<Int>()
    let bag = DisposeBag()
    let total = Cell()
    for _ in 0..<100 { subject.observeNext { total.value += $0 }.dispose(in: bag) }
    subject.next(1)
    #expect(allocations { for _ in 0..<1_000 { subject.next(1) } } == 0)
    #expect(total.value == 100_100)
  }

  @Test func `an element through combineLatest, merge or zip allocates nothing`() {
    #expect(allocationsOfElements { $0.combineLatest(with: $0) } == 0)
    #expect(allocationsOfElements { $0.merge(with: $0) } == 0)
    #expect(allocationsOfElements { $0.zip(with: $0) } == 0)
  }

  @Test func `an element that is remembered for those who come late allocates nothing`() {
    let subject = ReplayOneSubject<Int, Never>()
    let total = Cell()
    let subscription = subject.observeNext { total.value += $0 }
    for _ in 0..<10 { subject.next(1) }
    #expect(allocations { for _ in 0..<1_000 { subject.next(1) } } == 0)
    subscription.dispose()
    #expect(total.value == 1_010)
  }

  /// A custom sequence, because without optimization, the standard library allocates for each element of a range.
  struct Countdown: Sequence, IteratorProtocol {
    var left: Int

    mutating func next() -> Int? {
      left -= 1
      return left < 0 ? nil : left
    }
  }

  @Test func `a cold sequence allocates the same whatever its length`() {
    func observing(_ count: Int) -> Int {
      allocations { _ = Stream.sequence(Countdown(left: count)).observeNext { _ in } }
    }
    _ = observing(10)
    #expect(observing(1_000) == observing(10))
  }

  @Test func `disposing gives back what observing took`() {
    let subject = PushStream<Int>()
    func cycle() { subject.map { $0 + 1 }.observeNext { _ in }.dispose() }
    cycle()
    let before = allocated_bytes_here()
    for _ in 0..<1_000 { cycle() }
    #expect(allocated_bytes_here() == before)
  }
}
