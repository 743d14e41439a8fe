import Delegates
import Streams
import StreamsTesting
import Testing

/// Proxies and forwardees that are installed twice, put in unusual places, and removed in unusual orders.
@Suite(.noLiveResources) struct OrderTests {
  @Test func `proxies at several owners put back the delegate of each`() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      let (downloaders, delegates) = ((0..<3).map { _ in Downloader() }, (0..<3).map { _ in Recording() })
      for (downloader, delegate) in zip(downloaders, delegates) { downloader.delegate = delegate }
      let proxies = [[1, 2], [0, 1], [0, 2]].map { owners in
        let proxy = DownloaderDelegateProxy()
        for owner in owners { proxy.install(on: downloaders[owner], at: \.delegate) }
        return proxy
      }
      for index in order { proxies[index].dispose() }
      for (downloader, delegate) in zip(downloaders, delegates) { #expect(downloader.delegate === delegate) }
    }
  }

  let downloader = Downloader()
  let before = Recording()

  @Test func `a forwardee that was set before the proxy is installed stays, where the owner has no delegate`() {
    let proxy = DownloaderDelegateProxy()
    proxy.forwardTo = before
    proxy.install(on: downloader, at: \.delegate)
    #expect(proxy.forwardTo === before)
    downloader.receive(1)
    #expect(before.log == ["received 1"])
    proxy.dispose()
    #expect(downloader.delegate == nil)
  }

  @Test func `a proxy in two owners goes on serving the first when the second has no delegate`() {
    let other = Downloader()
    downloader.delegate = before
    let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    proxy.install(on: other, at: \.delegate)
    downloader.receive(1)
    other.receive(2)
    #expect(before.log == ["received 1", "received 2"])
    proxy.dispose()
    #expect(downloader.delegate === before && other.delegate == nil)
  }

  @Test func `a proxy that is installed twice in one place is there once`() {
    downloader.delegate = before
    let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    proxy.install(on: downloader, at: \.delegate)
    let outer = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    proxy.install(on: downloader, at: \.delegate)
    #expect(downloader.delegate === outer && outer.forwardTo === proxy)
    downloader.receive(1)
    #expect(before.log == ["received 1"])
    outer.dispose()
    proxy.dispose()
    #expect(downloader.delegate === before)
  }

  @Test(arguments: [true, false], [true, false])
  func `the first of two proxies takes its place back, and either of them goes first`(
    _ isFirst: Bool, _ isDisposal: Bool
  ) {
    downloader.delegate = before
    var first: DownloaderDelegateProxy? = .install(on: downloader, at: \.delegate)
    var second: DownloaderDelegateProxy? = .install(on: downloader, at: \.delegate)
    second?.forwardTo = nil
    first?.install(on: downloader, at: \.delegate)
    #expect(downloader.delegate === first && first?.forwardTo === second)
    for isNext in [isFirst, !isFirst] {
      if isDisposal { (isNext ? first : second)?.dispose() }
      if isNext { first = nil } else { second = nil }
      let expected: AnyObject? = isNext != isFirst ? before : isFirst ? second : first
      #expect(downloader.delegate === expected)
    }
  }

  @Test func `a proxy is installed at a slot of one's own, behind the slot's proxy`() {
    final class Owner {
      @DelegateSlot(DownloaderDelegateProxy.self) var delegate: (any DownloaderDelegate)?
    }
    let owner = Owner()
    owner.delegate = before
    let calls = owner.$delegate.didReceive.stream.map { $1 }.record()
    for isDisposal in [true, false] {
      before.log = []
      var installed: DownloaderDelegateProxy? = .install(on: owner, at: \.delegate)
      #expect(installed?.forwardTo === before && owner.$delegate.forwardTo === installed)
      owner.delegate?.downloader(downloader, didReceive: 1)
      #expect(before.log == ["received 1"])
      if isDisposal { installed?.dispose() }
      installed = nil
      #expect(owner.$delegate.forwardTo === before)
    }
    #expect(calls.elements == [1, 1])
  }

  @Test func `what an owner has already is added to whom the proxy forwards to`() {
    let (other, second) = (Downloader(), Recording())
    (downloader.delegate, other.delegate) = (before, second)
    let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    proxy.install(on: other, at: \.delegate)
    downloader.receive(1)
    #expect(before.log == ["received 1"] && second.log == ["received 1"])
    proxy.dispose()
    #expect(downloader.delegate === before && other.delegate === second)
  }

  @Test func `a proxy that is installed again at one owner keeps what is behind it at the other`() {
    let (other, second, third) = (Downloader(), Recording(), Recording())
    (downloader.delegate, other.delegate) = (before, second)
    let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    proxy.install(on: other, at: \.delegate)
    downloader.delegate = third
    proxy.install(on: downloader, at: \.delegate)
    other.receive(1)
    #expect(second.log == ["received 1"] && third.log == ["received 1"] && before.log.isEmpty)
    proxy.dispose()
    #expect(downloader.delegate === third && other.delegate === second)
  }

  @Test func `what a proxy displaced at one owner is not put back at another one`() {
    let other = Downloader()
    other.delegate = before
    let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    proxy.install(on: other, at: \.delegate)
    let front = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
    proxy.dispose()
    #expect(front.allForwardees.isEmpty && other.delegate === before)
    front.dispose()
    #expect(downloader.delegate == nil)
  }

  @Test func `a proxy that only the one in front of it retains is released when it ends`() {
    final class Strong {
      var delegate: (any DownloaderDelegate)?
    }
    let owner = Strong()
    owner.delegate = before
    weak var weakly: DownloaderDelegateProxy?
    let front: DownloaderDelegateProxy
    do {
      let proxy = DownloaderDelegateProxy.install(on: owner, at: DelegatePlace(\.delegate).keeping)
      weakly = proxy
      front = .install(on: owner, at: DelegatePlace(\.delegate).keeping)
    }
    #expect(front.forwardTo === weakly && weakly != nil)
    weakly?.dispose()
    #expect(weakly == nil && front.forwardTo === before)
    front.dispose()
    #expect(owner.delegate === before)
  }

  @Test func `an owner may ask for its proxy when its delegate is set`() {
    final class Watchful: ProxyOwner {
      let proxies = ProtocolProxyRegistry()
      weak var delegate: (any DownloaderDelegate)? {
        didSet { asked = proxy(for: \.delegate) }
      }
      weak var asked: DownloaderDelegateProxy?
    }
    let owner = Watchful()
    owner.delegate = before
    #expect(owner.delegate === owner.asked && owner.asked?.forwardTo === before && owner.proxies.count == 1)
    let other = Recording()
    owner.delegate = other
    #expect(owner.delegate === owner.asked && owner.asked?.forwardTo === other && owner.proxies.count == 1)
  }

  @Test func `a forwardee whose installation is disposed of behind another one does not come back`() throws {
    let (proxy, second, third) = (DownloaderDelegateProxy(), Recording(), Recording())
    proxy.forwardTo = before
    let (inner, outer) = (proxy.replaceForwardee(second), proxy.replaceForwardee(third))
    inner.dispose()
    #expect(proxy.forwardTo === third)
    outer.dispose()
    #expect(proxy.forwardTo === before)
    let added = proxy.addForwardee(second)
    let replaced = proxy.replaceForwardee(third)
    added.dispose()
    replaced.dispose()
    #expect(proxy.allForwardees.count == 1 && proxy.forwardTo === before)
  }

  @Test func `the first of several forwardees that has died hides none of the others`() throws {
    let (proxy, second) = (DownloaderDelegateProxy(), Recording())
    do {
      let gone = Recording()
      proxy.addForwardee(gone)
      proxy.addForwardee(second)
    }
    #expect(proxy.forwardTo === second)
    #expect(throws: ForwardeeInPlace.self) { try proxy.installForwardee(before) }
  }

  @Test func `a handler that comes while a call is observed answers that call`() throws {
    let proxy = DownloaderDelegateProxy()
    downloader.delegate = proxy
    let subscription = proxy.shouldRetry.willInvoke.observeNext { _, _ in
      _ = proxy.shouldRetry.replaceAnswer { _, attempt in attempt == 7 }
    }
    #expect(downloader.fail(7))
    subscription.dispose()
  }

  @Test func `a replacement that comes while another is replaced is replaced in turn`() throws {
    let proxy = DownloaderDelegateProxy()
    downloader.delegate = proxy
    var nested: Recorder<Int, Never>?
    let first = try proxy.shouldRetry.stream { (push: PushStream<Int>, _, _) in false }
    let subscription = first.observe { event in
      if case .completed = event {
        nested = proxy.shouldRetry.replaceStream { (push: PushStream<Int>, _, _) in false }.record()
      }
    }
    proxy.shouldRetry.replaceAnswer { _, _ in true }
    #expect(nested?.isCompleted == true)
    #expect(downloader.fail(1))
    subscription.dispose()
  }

  @Test func `an observer that leaves in its own call leaves the slot free`() {
    let proxy = DownloaderDelegateProxy()
    downloader.delegate = proxy
    let place = SerialDisposable()
    place.inner = proxy.didReceive.stream.observeNext { _ in place.dispose() }
    let one = proxy.didReceive.willInvoke.take(1).record()
    #expect(proxy.didReceive.isImplemented)
    downloader.receive(1)
    #expect(!proxy.didReceive.isImplemented && proxy.didReceive.observerCount == 0)
    #expect(one.isCompleted)
  }
}
