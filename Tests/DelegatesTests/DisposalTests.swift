import Delegates
import Streams
import StreamsTesting
import Testing

/// The effects of disposing a proxy: on its streams, and on the proxies before and after it.
@Suite(.noLiveResources) struct DisposalTests {
  let downloader = Downloader()
  let before = Recording()
  let bag = DisposeBag()

  init() { downloader.delegate = before }

  @Test func `a bag keeps a proxy that was put in its place by hand`() {
    downloader.delegate = nil
    var received: [Int] = []
    do {
      let proxy = DownloaderDelegateProxy()
      downloader.delegate = proxy
      proxy.dispose(in: bag)
      #expect(!proxy.isDisposed)
      proxy.didReceive.stream.observeNext { _, bytes in received.append(bytes) }.dispose(in: bag)
    }
    downloader.receive(1)
    #expect(received == [1])
    bag.dispose()
    #expect(downloader.delegate == nil)
  }

  @Test func `after disposal every stream is complete, also one that nobody had asked for, and no handler is kept`()
    throws
  {
    let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    let early = proxy.didReceive.stream.record()
    proxy.dispose()
    #expect(early.isCompleted)
    #expect(proxy.didReceive.stream.record().isCompleted)
    #expect(proxy.didReceive.willInvoke.record().isCompleted)
    #expect(proxy.shouldRetry.results.record().isCompleted)
    weak var kept: Recording?
    do {
      let captured = Recording()
      kept = captured
      let answer = try proxy.shouldRetry.answer { _, _ in captured.answer }
      #expect(answer.isDisposed)
    }
    #expect(kept == nil)
    #expect(!proxy.shouldRetry.hasHandler)
    #expect(try proxy.shouldRetry.stream { (push: PushStream<Int>, _, _) in true }.record().isCompleted)
    #expect(downloader.delegate === before)
  }

  @Test func `a proxy that has been disposed of is not installed, nor one that its owner disposes of when it is set`() {
    final class Refusing {
      var delegate: (any DownloaderDelegate)? {
        didSet { (delegate as? DownloaderDelegateProxy)?.dispose() }
      }
    }
    let proxy = DownloaderDelegateProxy()
    proxy.dispose()
    proxy.install(on: downloader, at: \.delegate)
    #expect(downloader.delegate === before && proxy.forwardTo == nil)
    let owner = Refusing()
    owner.delegate = before
    let refused = DownloaderDelegateProxy.install(on: owner, at: \.delegate)
    #expect(refused.isDisposed && owner.delegate === before)
  }

  @Test func `a registry makes a new proxy where the one before has been disposed of`() {
    let registry = ProtocolProxyRegistry()
    let first: DownloaderDelegateProxy = registry.proxy(for: downloader, at: \.delegate)
    first.dispose()
    #expect(downloader.delegate === before)
    #expect(registry.existingProxy(for: downloader, at: \.delegate) == nil)
    let second: DownloaderDelegateProxy = registry.proxy(for: downloader, at: \.delegate)
    #expect(first !== second && downloader.delegate === second && second.forwardTo === before)
    #expect(registry.count == 1)
    let calls = second.didReceive.stream.map { $1 }.record()
    downloader.receive(7)
    #expect(calls.elements == [7])
    #expect(before.log == ["received 7"])
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], [true, false])
  func `proxies before one another are disposed of or let go in any order, and the delegate is never lost`(
    _ order: [Int], _ isDisposal: Bool
  ) {
    var proxies: [DownloaderDelegateProxy?] = (0..<3).map { _ in .install(on: downloader, at: \.delegate) }
    #expect(downloader.delegate === proxies[2])
    let calls = proxies.map { $0?.didReceive.stream.map { $1 }.record() }
    for (step, number) in order.enumerated() {
      if isDisposal { proxies[number]?.dispose() }
      proxies[number] = nil
      downloader.receive(step)
      #expect(before.log == (0...step).map { "received \($0)" })
      #expect(calls[number]?.isCompleted == true)
      for left in order[(step + 1)...] { #expect(calls[left]?.elements == Array(0...step)) }
    }
    #expect(downloader.delegate === before)
  }

  @Test func `a proxy before one that was disposed of puts back what was there before that one`() {
    let inner = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    let outer = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    inner.dispose()
    #expect(outer.forwardTo === before)
    // Setting another forwardee meanwhile does not change which delegate is restored.
    let other = Recording()
    outer.forwardTo = other
    downloader.receive(1)
    outer.dispose()
    #expect(downloader.delegate === before)
    #expect(other.log == ["received 1"])
    #expect(before.log.isEmpty)
  }

  @Test func `a slot of one's own makes a new proxy where the one before has been disposed of, with its delegate`() {
    final class Owner {
      @DelegateSlot(DownloaderDelegateProxy.self) var delegate: (any DownloaderDelegate)?
    }
    let owner = Owner()
    owner.delegate = before
    let first = owner.$delegate
    first.dispose()
    owner.delegate?.downloader(downloader, didReceive: 1)
    let second = owner.$delegate
    #expect(first !== second && owner.$delegate === second && second.forwardTo === before)
    let calls = second.didReceive.stream.map { $1 }.record()
    owner.delegate?.downloader(downloader, didReceive: 2)
    #expect(calls.elements == [2])
    #expect(before.log == ["received 1", "received 2"])
  }
}
