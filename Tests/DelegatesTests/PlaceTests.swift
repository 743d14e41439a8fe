import Delegates
import Streams
import StreamsTesting
import Testing

/// A class of a library that asks its delegate only once which methods it implements.
private final class CallbackTable {
  var onReceive: ((Downloader, Int) -> Void)?
  private weak var proxy: DownloaderDelegateProxy?
  var fillings = 0

  func fill(_ delegate: (any DownloaderDelegate)?) {
    fillings += 1
    weak let proxy = delegate as? DownloaderDelegateProxy
    self.proxy = proxy
    onReceive = proxy?.didReceive.isImplemented == true ? { proxy?.downloader($0, didReceive: $1) } : nil
  }

  var delegate: (any DownloaderDelegate)? {
    get { proxy }
    set { fill(newValue) }
  }
}

/// Places with options: `refreshing`, `keeping`, and a property that always has a delegate.
@Suite(.noLiveResources) struct PlaceTests {
  let downloader = Downloader()

  @Test(arguments: [false, true])
  func `a table is filled anew when its methods begin or cease to be implemented`(_ isProperty: Bool) throws {
    let (table, delegate) = (CallbackTable(), Recording())
    let proxy: DownloaderDelegateProxy =
      isProperty
      ? .install(on: table, at: DelegatePlace(\.delegate).refreshing)
      : .install(on: table, refreshing: true) { $0.fill($1) }
    #expect(table.onReceive == nil)
    let subscription = proxy.didReceive.stream.observeNext { _ in }
    #expect(table.onReceive != nil)
    subscription.dispose()
    #expect(table.onReceive == nil)
    let handler = try proxy.didReceive.answer { _, _ in }
    #expect(table.onReceive != nil)
    handler.dispose()
    #expect(table.onReceive == nil)
    proxy.forwardTo = delegate
    table.onReceive?(downloader, 1)
    #expect(delegate.log == ["received 1"])
    proxy.dispose()
    #expect(table.onReceive == nil)
    let fillings = table.fillings
    proxy.forwardTo = nil
    #expect(table.fillings == fillings)
  }

  @Test func `a property that always has a delegate`() {
    final class Insistent {
      var delegate: any DownloaderDelegate
      init(_ delegate: any DownloaderDelegate) { self.delegate = delegate }
    }
    let real = Recording()
    let owner = Insistent(real)
    let proxy = DownloaderDelegateProxy.install(on: owner, at: DelegatePlace(\.delegate))
    #expect(owner.delegate === proxy)
    owner.delegate.downloader(downloader, didReceive: 1)
    #expect(real.log == ["received 1"])
    proxy.dispose()
    #expect(owner.delegate === real)
  }

  @Test func `a table that somebody else has taken is left alone`() {
    let table = CallbackTable()
    let proxy = DownloaderDelegateProxy.install(on: table, at: DelegatePlace(\.delegate).refreshing)
    let other = DownloaderDelegateProxy()
    table.delegate = other
    let subscription = proxy.didReceive.stream.observeNext { _ in }
    #expect(table.delegate === other)
    subscription.dispose()
  }

  @Test func `without being asked for nothing is set again`() {
    let table = CallbackTable()
    let proxy = DownloaderDelegateProxy.install(on: table, at: \.delegate)
    proxy.didReceive.stream.observeNext { _ in }.dispose()
    #expect(table.fillings == 1)
  }

  @Test func `what an owner keeps is kept in its stead, though another kept it, too, when the proxy came`() {
    final class Strong {
      var delegate: (any DownloaderDelegate)?
    }
    let owner = Strong()
    weak var before: Recording?
    let proxy: DownloaderDelegateProxy
    do {
      let delegate = Recording()
      before = delegate
      owner.delegate = delegate
      proxy = .install(on: owner, at: DelegatePlace(\.delegate).keeping)
      withExtendedLifetime(delegate) {}
    }
    owner.delegate?.downloader(downloader, didReceive: 1)
    #expect(before?.log == ["received 1"])
    proxy.dispose()
    #expect(owner.delegate != nil && owner.delegate === before)
    proxy.forwardTo = nil
    owner.delegate = nil
    #expect(before == nil)
  }

  @Test(arguments: [false, true])
  func `an owner that keeps the proxy alone may set another delegate, or none`(_ setsAnother: Bool) {
    final class Strong {
      var delegate: (any DownloaderDelegate)?
    }
    let owner = Strong()
    let (before, other) = (Recording(), Recording())
    owner.delegate = before
    var log: [String] = []
    do {
      let proxy = DownloaderDelegateProxy.install(on: owner, at: DelegatePlace(\.delegate).keeping)
      _ = proxy.didReceive.stream.doOn(completed: { log.append("completed") }).observeNext { log.append("\($1)") }
    }
    owner.delegate?.downloader(downloader, didReceive: 1)
    owner.delegate = setsAnother ? other : nil
    #expect(log == ["1", "completed"])
    #expect(owner.delegate === (setsAnother ? other : nil))
    #expect(before.log == ["received 1"])
  }
}
