import Delegates
import Streams
import StreamsTesting
import Testing

/// Proxies that are installed and disposed inside of an owner's setter, or while another one ends.
@Suite("Re-entrant installation", .noLiveResources) struct ReentrantInstallationTests {
  typealias Proxy = DownloaderDelegateProxy

  final class Owner {
    weak var delegate: (any DownloaderDelegate)? { didSet { onSet.take()?() } }
    var onSet: (() -> Void)?
  }

  final class Registered: ProxyOwner {
    weak var delegate: (any DownloaderDelegate)?
    let proxies = ProtocolProxyRegistry()
  }

  let owner = Owner()
  let base = Recording()

  @Test func `an earlier proxy that ends in the owner's setter is left out`() {
    owner.delegate = base
    let earlier = Proxy.install(on: owner, at: \.delegate)
    owner.onSet = { earlier.dispose() }
    let later = Proxy.install(on: owner, at: \.delegate)
    #expect(later.forwardTo === base)
    later.dispose()
    #expect(owner.delegate === base)
  }

  @Test func `a proxy that is installed again while it is installed is there once`() {
    owner.delegate = base
    let proxy = Proxy()
    var isFirst = true
    let subscription = proxy.implementationChanges.observeNext { [owner] in
      if isFirst {
        isFirst = false
        proxy.install(on: owner, at: \.delegate)
      }
    }
    proxy.install(on: owner, at: \.delegate)
    #expect(proxy.allForwardees.count == 1 && proxy.forwardTo === base)
    proxy.dispose()
    #expect(owner.delegate === base)
    subscription.dispose()
  }

  /// What the later proxy retains, and whose end ends the earlier one.
  enum Ending: CaseIterable { case capture, handler, completion }

  @Test(arguments: Ending.allCases, [false, true])
  func `the end of a proxy that ends the earlier one brings neither back`(_ ending: Ending, _ isDisposal: Bool) {
    final class Holder { let bag = DisposeBag() }
    if ending != .completion { owner.delegate = base }
    let earlier = Proxy.install(on: owner, at: \.delegate)
    var later: Proxy? = .install(on: owner, at: \.delegate)
    var holder: Holder? = Holder()
    earlier.dispose(in: holder!.bag)
    let registration: any Disposable =
      switch ending {
      case .capture: later!.didReceive.stream.observeNext { [holder] _, _ in _ = holder }
      case .handler: later!.didReceive.replaceAnswer { [holder] _, _ in _ = holder }
      case .completion: later!.didReceive.stream.observe(next: { _ in }, termination: { _ in earlier.dispose() })
      }
    if ending != .completion { holder = nil }
    if isDisposal { later?.dispose() }
    later = nil
    #expect(earlier.isDisposed)
    #expect(owner.delegate === (ending == .completion ? nil : base))
    withExtendedLifetime((registration, holder)) {}
  }

  @Test func `a forwardee that has moved to the front is not restored behind itself`() {
    let owner = Registered()
    let first: Proxy = owner.proxy(for: \.delegate)
    let second = Proxy.install(on: owner, at: \.delegate)
    let replaced = second.replaceForwardee(base)
    // An access: the registry installs its proxy in front again.
    _ = owner.proxy(for: \.delegate, as: Proxy.self)
    #expect(owner.delegate === first && first.forwardTo === second)
    replaced.dispose()
    #expect(owner.delegate === first && second.forwardTo == nil)
  }
}
