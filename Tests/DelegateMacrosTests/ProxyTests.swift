#if Macros
import DelegateMacros
import Properties
import Streams
import StreamsTesting
import Testing

final class Downloader {
  weak var delegate: (any DownloaderDelegate)?
}

@Proxied protocol DownloaderDelegate: AnyObject {
  func downloader(_ downloader: Downloader, didReceive bytes: Int)
  @Slot(default: false)
  func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool
  func finish()
  func changed(_ value: Int)
}

/// The proxy that `@Proxied` generates behaves like one that is written by hand.
@Suite(.noLiveResources) struct ProxyTests {
  let downloader = Downloader()
  let proxy = DownloaderDelegateProxy()
  let bag = DisposeBag()

  @Test func `calls are observed and forwarded`() {
    final class Delegate: DownloaderDelegate {
      var log: [String] = []
      func downloader(_ downloader: Downloader, didReceive bytes: Int) { log.append("received \(bytes)") }
      func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool { attempt < 5 }
      func finish() { log.append("finished") }
      func changed(_ value: Int) { log.append("changed \(value)") }
    }
    let delegate = Delegate()
    proxy.forwardTo = delegate
    downloader.delegate = proxy
    var log: [String] = []
    proxy.didReceive.stream.observeNext { _, bytes in log.append("received \(bytes)") }.dispose(in: bag)
    proxy.finishSlot.stream.observeNext { log.append("finished") }.dispose(in: bag)
    proxy.changed.stream.observeNext { log.append("changed \($0)") }.dispose(in: bag)
    downloader.delegate?.downloader(downloader, didReceive: 3)
    downloader.delegate?.changed(4)
    downloader.delegate?.finish()
    #expect(log == ["received 3", "changed 4", "finished"])
    #expect(delegate.log == log)
    #expect(downloader.delegate?.downloader(downloader, shouldRetry: 4) == true)
  }

  @Test func `Slot gives a default, which a handler or a forwardee comes before`() throws {
    #expect(!proxy.downloader(downloader, shouldRetry: 1))
    try proxy.shouldRetry.answer { _, attempt in attempt < 3 }
    #expect(proxy.downloader(downloader, shouldRetry: 1))
    #expect(!proxy.downloader(downloader, shouldRetry: 3))
  }

  @Test func `a proxy is made of closures`() {
    var received: [Int] = []
    var isFinished = false
    let proxy = DownloaderDelegateProxy(
      didReceive: { _, bytes in received.append(bytes) }, shouldRetry: { _, attempt in attempt < 2 },
      finish: { isFinished = true })
    downloader.delegate = proxy
    downloader.delegate?.downloader(downloader, didReceive: 7)
    downloader.delegate?.changed(1)
    downloader.delegate?.finish()
    #expect(received == [7])
    #expect(isFinished)
    #expect(proxy.downloader(downloader, shouldRetry: 1))
  }

  @Test func `a stream of the method that #method names`() throws {
    let retries = try proxy.stream(#method((any DownloaderDelegate).downloader(_:shouldRetry:))) { push, _, attempt in
      push.next("attempt \(attempt)")
      return attempt < 3
    }
    var log: [String] = []
    retries.observeNext { log.append($0) }.dispose(in: bag)
    proxy.stream(#method(DownloaderDelegateProxy.downloader(_:didReceive:))).observeNext { log.append("\($1)") }
      .dispose(in: bag)
    proxy.stream(#method((any DownloaderDelegate).finish)).observeNext { log.append("finished") }.dispose(in: bag)
    #expect(proxy.downloader(downloader, shouldRetry: 2))
    #expect(!proxy.downloader(downloader, shouldRetry: 3))
    proxy.downloader(downloader, didReceive: 5)
    proxy.finish()
    #expect(log == ["attempt 2", "attempt 3", "5", "finished"])
    #expect(throws: SlotOccupied.self) {
      _ = try proxy.stream(#method((any DownloaderDelegate).downloader(_:shouldRetry:))) { (_: PushStream<Int>, _, _) in
        true
      }
    }
  }
}
#endif
