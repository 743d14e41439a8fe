import Delegates
import Streams
import StreamsTesting
import Testing

/// A custom owner, which retains its proxies.
class Owner: ProxyOwner, HasDelegate {
  weak var delegate: (any DownloaderDelegate)?
  weak var second: (any DownloaderDelegate)?
  let downloader = Downloader()
  let proxies = ProtocolProxyRegistry()

  func receive(_ bytes: Int) { delegate?.downloader(downloader, didReceive: bytes) }
}

final class FastOwner: Owner {}

final class FastProxy: DownloaderDelegateSubproxy {}
class DownloaderDelegateSubproxy: ProtocolProxy<any DownloaderDelegate>, DownloaderDelegate {
  let didReceive = ProxyMethod<Void, Downloader, Int>()
  func downloader(_ downloader: Downloader, didReceive bytes: Int) {
    call(didReceive, (downloader, bytes)) { $0.downloader(downloader, didReceive: bytes) }
  }
  func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool { false }
}

extension ProxyOwner {
  /// The helper that a program writes once, to get a proxy without naming its class.
  func proxy(for keyPath: ReferenceWritableKeyPath<Self, (any DownloaderDelegate)?>) -> DownloaderDelegateProxy {
    proxy(for: keyPath, as: DownloaderDelegateProxy.self)
  }
}

@Suite(.noLiveResources) struct RegistryTests {
  let bag = DisposeBag()

  @Test func `the first who asks has the proxy made, the next get the same`() {
    let owner = Owner()
    let before = Recording()
    owner.delegate = before
    let proxy = owner.proxy(for: \.delegate)
    #expect(owner.delegate === proxy)
    #expect(owner.proxy(for: \.delegate) === proxy)
    owner.receive(1)
    #expect(before.log == ["received 1"])
    #expect(owner.proxies.count == 1)
  }

  @Test func `the proxies of many deallocated owners are released when the number of owners has doubled`() {
    let registry = ProtocolProxyRegistry()
    let owners = (0..<1_000).map { _ in Downloader() }
    for owner in owners { _ = registry.proxy(for: owner, at: \.delegate, as: DownloaderDelegateProxy.self) }
    #expect(registry.count == 1_000)
    for _ in 0..<4_000 { _ = registry.proxy(for: Downloader(), at: \.delegate, as: DownloaderDelegateProxy.self) }
    #expect(registry.count <= 2_100)
    withExtendedLifetime(owners) {}
  }

  @Test func `two delegates of one protocol have a proxy each`() {
    let owner = Owner()
    let (one, two) = (owner.proxy(for: \.delegate), owner.proxy(for: \.second))
    #expect(one !== two)
    #expect(owner.delegate === one)
    #expect(owner.second === two)
    #expect(owner.proxies.existingProxy(for: owner, at: \.second) === two)
    #expect(owner.proxies.existingProxy(for: Owner(), at: \.second) == nil)
  }

  @Test func `a delegate that is set behind our back becomes the forwardee at the next access`() {
    let owner = Owner()
    let (before, after) = (Recording(), Recording())
    owner.delegate = before
    let proxy = owner.proxy(for: \.delegate)
    owner.delegate = after
    owner.receive(1)
    #expect(owner.proxy(for: \.delegate) === proxy)
    #expect(owner.delegate === proxy)
    #expect(proxy.forwardTo === after)
    owner.receive(2)
    #expect(before.log.isEmpty)
    #expect(after.log == ["received 1", "received 2"])
    owner.delegate = nil
    _ = owner.proxy(for: \.delegate)
    #expect(proxy.forwardTo == nil)
    #expect(owner.delegate === proxy)
  }

  @Test func `another proxy in front stays there, as long as it leads here`() {
    let owner = Owner()
    let proxy = owner.proxy(for: \.delegate)
    let front = DownloaderDelegateProxy.install(on: owner, at: \.delegate)
    #expect(front.forwardTo === proxy)
    #expect(owner.proxy(for: \.delegate) === proxy)
    #expect(owner.delegate === front)
    front.dispose()
    #expect(owner.delegate === proxy)
  }

  @Test func `the factory of the most derived class makes the proxy`() {
    let registry = ProtocolProxyRegistry()
    registry.register(for: Owner.self) { _ in DownloaderDelegateSubproxy() }
    registry.register(for: FastOwner.self) { _ in FastProxy() }
    let (plain, fast) = (Owner(), FastOwner())
    let one: DownloaderDelegateSubproxy = registry.proxy(for: plain, at: \.delegate)
    let two: DownloaderDelegateSubproxy = registry.proxy(for: fast, at: \.delegate)
    #expect(type(of: one) == DownloaderDelegateSubproxy.self)
    #expect(type(of: two) == FastProxy.self)
    final class Unregistered: Owner {}
    let third = Unregistered()
    let three: DownloaderDelegateSubproxy = registry.proxy(for: third, at: \.delegate)
    #expect(type(of: three) == DownloaderDelegateSubproxy.self)
  }

  @Test func `a foreign owner is held weakly, and its proxy goes with the next use of the registry`() {
    let registry = ProtocolProxyRegistry()
    var downloader: Downloader? = Downloader()
    var completed = false
    if let downloader {
      let proxy: DownloaderDelegateProxy = registry.proxy(for: downloader, at: \.delegate)
      proxy.didReceive.stream.observeCompleted { completed = true }.dispose(in: bag)
    }
    weak let weakly = downloader
    downloader = nil
    #expect(weakly == nil)
    #expect(!completed)
    let other = Downloader()
    let _: DownloaderDelegateProxy = registry.proxy(for: other, at: \.delegate)
    #expect(completed)
    #expect(registry.count == 1)
  }

  @Test func `the proxy of an owner with a lifetime goes with it`() {
    final class Living: LifetimeProviding {
      weak var delegate: (any DownloaderDelegate)?
      private let token = Lifetime.Token()
      var lifetime: Lifetime { Lifetime(token) }
    }
    let registry = ProtocolProxyRegistry()
    var owner: Living? = Living()
    var completed = false
    if let owner {
      let proxy: DownloaderDelegateProxy = registry.proxy(for: owner, at: \.delegate)
      proxy.didReceive.stream.observeCompleted { completed = true }.dispose(in: bag)
    }
    owner = nil
    #expect(completed)
    #expect(registry.count == 0)
  }

  @Test func `an owner that says it has a delegate needs no key path`() {
    let registry = ProtocolProxyRegistry()
    let owner = Owner()
    let proxy: DownloaderDelegateProxy = registry.delegateProxy(for: owner)
    #expect(owner.delegate === proxy)
    let same: DownloaderDelegateProxy = registry.proxy(for: owner, at: \.delegate)
    #expect(same === proxy)
  }
}

@Suite(.noLiveResources) struct InstallationTests {
  let downloader = Downloader()

  @Test func `an installed proxy goes into a bag, and disposing puts back what was there`() {
    let bag = DisposeBag()
    let before = Recording()
    downloader.delegate = before
    var received: [Int] = []
    var completed = false
    do {
      let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
      proxy.dispose(in: bag)
      _ = proxy.didReceive.stream.observe(next: { received.append($1) }, termination: { _ in completed = true })
    }
    downloader.receive(1)
    bag.dispose()
    #expect(downloader.delegate === before)
    #expect(completed)
    downloader.receive(2)
    #expect(received == [1])
    #expect(before.log == ["received 1", "received 2"])
  }

  @Test func `letting an installed proxy go puts back what was there`() {
    let before = Recording()
    downloader.delegate = before
    var proxy: DownloaderDelegateProxy? = .install(on: downloader, at: \.delegate)
    #expect(downloader.delegate === proxy)
    proxy = nil
    #expect(downloader.delegate === before)
  }

  @Test(arguments: [false, true]) func `what has been set meanwhile stays`(_ isDisposal: Bool) {
    let (before, after) = (Recording(), Recording())
    downloader.delegate = before
    var proxy: DownloaderDelegateProxy? = .install(on: downloader, at: \.delegate)
    downloader.delegate = after
    if isDisposal { proxy?.dispose() }
    proxy = nil
    #expect(downloader.delegate === after)
    withExtendedLifetime(before) {}
  }

  @Test(arguments: [false, true]) func `a place that is nil gets back what was there`(_ isDisposal: Bool) {
    let before = Recording()
    downloader.delegate = before
    var proxy: DownloaderDelegateProxy? = .install(on: downloader, at: \.delegate)
    downloader.delegate = nil
    if isDisposal { proxy?.dispose() }
    proxy = nil
    #expect(downloader.delegate === before)
  }

  @Test(arguments: [[0, 1], [1, 0]], [true, false])
  func `a place that is nil gets back what was there before either of its proxies`(
    _ order: [Int], _ isDisposal: Bool
  ) {
    let before = Recording()
    downloader.delegate = before
    var proxies: [DownloaderDelegateProxy?] = (0..<2).map { _ in .install(on: downloader, at: \.delegate) }
    downloader.delegate = nil
    for (step, number) in order.enumerated() {
      if isDisposal { proxies[number]?.dispose() }
      proxies[number] = nil
      let expected: AnyObject? = step == 0 && number == 1 ? proxies[0] : before
      #expect(downloader.delegate === expected)
    }
  }

  @Test func `what only the owner kept is kept by the proxy`() {
    final class Strong {
      var delegate: (any DownloaderDelegate)?
    }
    let owner = Strong()
    weak var before: Recording?
    do {
      let delegate = Recording()
      before = delegate
      owner.delegate = delegate
    }
    let proxy = DownloaderDelegateProxy.install(on: owner, at: \.delegate)
    #expect(before != nil)
    #expect(proxy.forwardTo === before)
    owner.delegate?.downloader(downloader, didReceive: 1)
    #expect(before?.log == ["received 1"])
    proxy.dispose()
    #expect(owner.delegate === before)
    owner.delegate = nil
    proxy.forwardTo = nil
    #expect(before == nil)
  }

  @Test func `an owner that can only be told its delegate`() {
    final class Told {
      private weak var delegate: (any DownloaderDelegate)?
      var sets: [Bool] = []
      func setDelegate(_ delegate: (any DownloaderDelegate)?) {
        self.delegate = delegate
        sets.append(delegate != nil)
      }
      func receive(_ downloader: Downloader) { delegate?.downloader(downloader, didReceive: 1) }
    }
    let owner = Told()
    var received = 0
    let proxy = DownloaderDelegateProxy.install(on: owner) { $0.setDelegate($1) }
    let subscription = proxy.didReceive.stream.observeNext { _ in received += 1 }
    owner.receive(downloader)
    proxy.dispose()
    owner.receive(downloader)
    #expect(received == 1)
    #expect(owner.sets == [true, false])
    #expect(subscription.isDisposed)
  }

  @Test func `a proxy made of closures is installed, too`() {
    let proxy = DownloaderDelegateProxy(shouldRetry: { $1 == 1 })
    proxy.install(on: downloader, at: \.delegate)
    #expect(downloader.fail(1))
    #expect(!downloader.fail(2))
    #expect(!proxy.isDisposed)
    proxy.dispose()
    #expect(downloader.delegate == nil)
    #expect(proxy.isDisposed)
  }
}

/// A custom type with a slot for its delegate.
private final class Player {
  @DelegateSlot(DownloaderDelegateProxy.self) var delegate: (any DownloaderDelegate)?
  let proxies = ProtocolProxyRegistry()
  let downloader = Downloader()

  func receive(_ bytes: Int) { delegate?.downloader(downloader, didReceive: bytes) }
}

@Suite(.noLiveResources) struct DelegateSlotTests {
  @Test func `assigning goes to the forwardee once there is a proxy`() {
    let player = Player()
    let (first, second) = (Recording(), Recording())
    var received: [Int] = []
    player.delegate = first
    player.receive(1)
    #expect(player.delegate === first)
    let subscription = player.$delegate.didReceive.stream.observeNext { received.append($1) }
    player.receive(2)
    player.delegate = second
    player.receive(3)
    #expect(player.delegate === player.$delegate)
    player.delegate = nil
    player.receive(4)
    #expect(received == [2, 3, 4])
    #expect(first.log == ["received 1", "received 2"])
    #expect(second.log == ["received 3"])
    subscription.dispose()
  }

  @Test func `the delegate is held weakly, and what has been taken from the slot may be put back`() {
    let player = Player()
    var delegate: Recording? = Recording()
    player.delegate = delegate
    delegate = nil
    #expect(player.delegate == nil)
    let proxy = player.$delegate
    let forwardee = Recording()
    player.delegate = forwardee
    player.delegate = player.delegate
    #expect(proxy.forwardTo === forwardee)
  }

  @Test func `a registry gives the slot's own proxy`() {
    let player = Player()
    let proxy = player.$delegate
    let same: DownloaderDelegateProxy = player.proxies.proxy(for: player, at: \.delegate)
    #expect(same === proxy)
    #expect(player.proxies.count == 0)
  }

  @Test func `the streams complete with the owner`() {
    var player: Player? = Player()
    var completed = false
    let subscription = player?.$delegate.didReceive.stream.observeCompleted { completed = true }
    player = nil
    #expect(completed)
    #expect(subscription?.isDisposed == true)
  }
}
