import Allocations
import Delegates
import Properties
import Streams
import StreamsTesting
import Testing

/// A call through a proxy allocates no memory. The counts are exact, also in debug builds.
@Suite(
  .noLiveResources,
  .enabled(if: allocations_are_counted(), "a sanitizer puts its own allocator in the place of the one that counts"))
struct AllocationTests {
  private final class Quiet: DownloaderDelegate {
    func downloader(_ downloader: Downloader, didReceive bytes: Int) {}
    func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool { true }
  }

  final class Total { var value = 0 }

  let downloader = Downloader()
  let proxy = DownloaderDelegateProxy()
  let total = Total()

  /// The blocks of memory that this thread allocates in 1,000 calls. The calls before them make the lookups that the runtime
  /// makes only once.
  func allocations(_ call: (Downloader) -> Void) -> Int {
    downloader.delegate = proxy
    for _ in 0..<10 { call(downloader) }
    let before = allocations_so_far_here()
    for _ in 0..<1_000 { call(downloader) }
    return Int(allocations_so_far_here() - before)
  }

  @Test func `the counter sees an allocation`() {
    var kept: [Total] = []
    kept.reserveCapacity(1_010)
    #expect(allocations { _ in kept.append(Total()) } == 1_000)
  }

  @Test func `a call that nobody listens to allocates nothing`() { #expect(allocations { $0.receive(1) } == 0) }

  @Test func `a call with observers allocates nothing`() {
    let total = total
    let bag = DisposeBag()
    proxy.didReceive.stream.observeNext { total.value += $1 }.dispose(in: bag)
    proxy.didReceive.willInvoke.observeNext { total.value += $1 }.dispose(in: bag)
    #expect(allocations { $0.receive(1) } == 0)
    #expect(total.value == 2_020)
    bag.dispose()
  }

  @Test func `forwarding allocates nothing, to one or to several`() {
    let (first, second) = (Quiet(), Quiet())
    proxy.forwardTo = first
    #expect(allocations { $0.receive(1) } == 0)
    #expect(allocations { _ = $0.fail(1) } == 0)
    proxy.addForwardee(second)
    #expect(allocations { $0.receive(1) } == 0)
    withExtendedLifetime((first, second)) {}
  }

  @Test func `an answer and the stream of results allocate nothing`() throws {
    let total = total
    let bag = DisposeBag()
    try proxy.shouldRetry.answer { _, attempt in attempt < 3 }
    proxy.shouldRetry.results.observeNext { _, attempt, _ in total.value += attempt }.dispose(in: bag)
    #expect(allocations { _ = $0.fail(1) } == 0)
    #expect(total.value == 1_010)
    bag.dispose()
  }

  @Test func `a feed allocates nothing`() throws {
    try proxy.shouldRetry.feed(Property(3)) { maximum, _, attempt in attempt < maximum }
    #expect(allocations { _ = $0.fail(1) } == 0)
  }

  @Test func `an intercepted method allocates nothing`() {
    let total = total
    let method = InterceptedMethod<Int, Int>()
    #expect(allocations { _ in total.value += method.intercept(1) { 1 } } == 0)
    let subscription = method.stream.observeNext { total.value += $0 }
    #expect(allocations { _ in total.value += method.intercept(1) { 1 } } == 0)
    subscription.dispose()
  }
}
