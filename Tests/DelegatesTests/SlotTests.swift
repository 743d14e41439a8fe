import Delegates
import Properties
import Streams
import StreamsTesting
import Testing

/// One proxy and one slot: observing, answering, and feeding.
@Suite(.noLiveResources) struct SlotTests {
  let downloader = Downloader()
  let proxy = DownloaderDelegateProxy()
  let bag = DisposeBag()

  @Test func `the stream of a slot has the arguments of each call`() {
    var received: [Int] = []
    proxy.didReceive.stream.observeNext { _, bytes in received.append(bytes) }.dispose(in: bag)
    downloader.delegate = proxy
    downloader.receive(3)
    downloader.receive(4)
    #expect(received == [3, 4])
    bag.dispose()
    downloader.receive(5)
    #expect(received == [3, 4])
  }

  @Test func `the dispatch form pushes and returns what the method returns`() throws {
    let retries = try proxy.shouldRetry.stream { push, _, attempt in
      push.next("attempt \(attempt)")
      return attempt < 3
    }
    var seen: [String] = []
    retries.observeNext { seen.append($0) }.dispose(in: bag)
    downloader.delegate = proxy
    #expect(downloader.fail(1))
    #expect(!downloader.fail(3))
    #expect(seen == ["attempt 1", "attempt 3"])
  }

  @Test func `results have the arguments and what was returned`() throws {
    var seen: [String] = []
    proxy.shouldRetry.results.observeNext { _, attempt, answer in seen.append("\(attempt) \(answer)") }.dispose(in: bag)
    try proxy.shouldRetry.answer { _, attempt in attempt == 1 }
    downloader.delegate = proxy
    _ = downloader.fail(1)
    _ = downloader.fail(2)
    #expect(seen == ["1 true", "2 false"])
  }

  @Test func `a property answers with its value of the moment`() throws {
    let maximum = Property(2)
    try proxy.shouldRetry.feed(maximum) { maximum, _, attempt in attempt < maximum }
    downloader.delegate = proxy
    #expect(!downloader.fail(2))
    maximum.value = 3
    #expect(downloader.fail(2))
  }
}
