import Delegates
import Streams
import StreamsTesting
import Testing

/// One property has several accessors: key paths of a class and of its superclass, of a protocol, and closures.
@Suite(.noLiveResources) struct AccessorNameTests {
  typealias Proxy = DownloaderDelegateProxy

  private let names: [(name: String, install: (Proxy, FastOwner) -> Void)] = [
    ("class", { $0.install(on: $1, at: \.delegate) }), ("superclass", { $0.install(on: $1 as Owner, at: \.delegate) }),
    ("protocol", { AccessorNameTests.installByProtocol($0, $1) }),
    ("closures", { $0.install(on: $1, at: DelegatePlace("it", get: { $0.delegate }, set: { $0.delegate = $1 })) }),
  ]

  static func installByProtocol<O: HasDelegate>(_ proxy: Proxy, _ owner: O) where O.Delegate == any DownloaderDelegate {
    proxy.install(on: owner, at: \.delegate)
  }

  @Test(arguments: ["nothing", "another delegate", "nil", "a proxy in front"])
  func `a proxy is installed once at a property, whatever it is called`(_ meanwhile: String) {
    for first in names {
      for second in names {
        let owner = FastOwner()
        let (before, other) = (Recording(), Recording())
        owner.delegate = before
        let proxy = Proxy()
        var calls = 0
        let subscription = proxy.didReceive.stream.observeNext { _ in calls += 1 }
        first.install(proxy, owner)
        let front = Proxy()
        switch meanwhile {
        case "another delegate": owner.delegate = other
        case "nil": owner.delegate = nil
        case "a proxy in front": front.install(on: owner, at: \.delegate)
        default: break
        }
        second.install(proxy, owner)
        owner.receive(1)
        #expect(calls == 1, "\(first.name), \(second.name)")
        let displaced: Recording? = meanwhile == "another delegate" ? other : meanwhile == "nil" ? nil : before
        #expect((displaced ?? before).log == (displaced == nil ? [] : ["received 1"]), "\(first.name), \(second.name)")
        front.dispose()
        proxy.dispose()
        #expect(owner.delegate === displaced, "\(first.name), \(second.name)")
        subscription.dispose()
      }
    }
  }

  @Test(arguments: ["nothing", "another delegate", "nil", "a proxy in front"])
  func `a registry has one proxy for a property, whatever it is called`(_ meanwhile: String) {
    func request(_ owner: FastOwner) -> [() -> Proxy] {
      [
        { owner.proxy(for: \.delegate) }, { (owner as Owner).proxy(for: \.delegate) },
        { owner.proxies.delegateProxy(for: owner) }, { owner.proxies.delegateProxy(for: owner as Owner) },
      ]
    }
    for first in 0..<4 {
      for second in 0..<4 {
        let (owner, other, front) = (FastOwner(), Recording(), Proxy())
        let proxy = request(owner)[first]()
        #expect(owner.proxies.existingProxy(for: owner, at: \.delegate) === proxy)
        #expect(owner.proxies.existingProxy(for: owner as Owner, at: \.delegate) === proxy)
        switch meanwhile {
        case "another delegate": owner.delegate = other
        case "nil": owner.delegate = nil
        case "a proxy in front": front.install(on: owner, at: \.delegate)
        default: break
        }
        #expect(request(owner)[second]() === proxy && owner.proxies.count == 1)
        var calls = 0
        let subscription = proxy.didReceive.stream.observeNext { _ in calls += 1 }
        owner.receive(1)
        #expect(calls == 1 && other.log == (meanwhile == "another delegate" ? ["received 1"] : []))
        subscription.dispose()
        front.dispose()
      }
    }
  }

  @Test func `two properties with the same delegate stay two`() {
    let (owner, both) = (FastOwner(), Recording())
    let first = owner.proxy(for: \.delegate)
    owner.delegate = both
    owner.second = both
    let second = owner.proxy(for: \.second)
    #expect(first !== second && owner.proxies.count == 2)
    #expect(owner.proxy(for: \.delegate) === first)
    owner.receive(1)
    owner.second?.downloader(owner.downloader, didReceive: 2)
    #expect(both.log == ["received 1", "received 2"])
    let third = Proxy()
    third.install(on: owner, at: \.delegate)
    third.install(on: owner, at: \.second)
    #expect(owner.delegate === third && owner.second === third)
    third.dispose()
    #expect(owner.delegate === first && owner.second === second)
  }

  @Test func `one proxy at two properties leaves them two`() {
    let owner = FastOwner()
    let (both, other) = (Proxy(), Proxy())
    both.install(on: owner, at: \.second)
    both.install(on: owner as Owner, at: \.delegate)
    other.install(on: owner as Owner, at: \.delegate)
    #expect(owner.delegate === other && owner.second === both)
    other.dispose()
    #expect(owner.delegate === both && owner.second === both)
    both.dispose()
    #expect(owner.delegate == nil && owner.second == nil)
  }

  @Test func `a proxy that was set by hand can be installed, and the owner has no delegate afterwards`() {
    let owner = Owner()
    let proxy = Proxy()
    owner.delegate = proxy
    proxy.install(on: owner, at: \.delegate)
    #expect(owner.delegate === proxy && proxy.allForwardees.isEmpty)
    proxy.dispose()
    #expect(owner.delegate == nil)
    // Another proxy forwards to it by hand, and stays in front.
    let (front, behind) = (Proxy(), Proxy())
    front.install(on: owner, at: \.delegate)
    front.forwardTo = behind
    behind.install(on: owner, at: \.delegate)
    #expect(owner.delegate === front)
    behind.dispose()
    #expect(owner.delegate === front && front.allForwardees.isEmpty)
    front.dispose()
    #expect(owner.delegate == nil)
  }
}
