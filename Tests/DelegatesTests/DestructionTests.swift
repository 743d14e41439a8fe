import Delegates
import Streams
import StreamsTesting
import Testing

/// Owner, proxy, forwardee, and observer are deallocated in any order.
@Suite(.noLiveResources) struct DestructionTests {
  enum Part: Int, CaseIterable { case owner, proxy, forwardee, observer }

  static let orders: [[Part]] = permutations(Part.allCases)

  static func permutations(_ parts: [Part]) -> [[Part]] {
    if parts.isEmpty { return [[]] }
    return parts.flatMap { first in permutations(parts.filter { $0 != first }).map { [first] + $0 } }
  }

  /// An object that the observer retains, and that must not outlive it.
  final class Heard {
    var calls: [Int] = []
    var ends = 0
  }

  @Test func `there are 24 orders`() { #expect(Set(Self.orders).count == 24) }

  @Test(arguments: orders)
  func `whatever goes first, the others go on, the streams complete, and nothing is left`(_ order: [Part]) {
    var owner: Downloader? = Downloader()
    var forwardee: Recording? = Recording()
    owner?.delegate = forwardee
    var proxy: DownloaderDelegateProxy? = owner.map { .install(on: $0, at: \.delegate) }
    var heard: Heard? = Heard()
    var ends = 0
    var bag: DisposeBag? = DisposeBag()
    if let proxy, let heard, let bag {
      proxy.didReceive.stream.observe(
        next: { heard.calls.append($1) },
        termination: { _ in
          heard.ends += 1
          ends += 1
        }
      ).dispose(in: bag)
      proxy.shouldRetry.replaceAnswer { [weak heard] _, attempt in
        heard?.calls.append(attempt)
        return true
      }.dispose(in: bag)
    }
    weak let (weakOwner, weakProxy, weakForwardee, weakHeard) = (owner, proxy, forwardee, heard)
    var gone: Set<Part> = []
    for (number, part) in order.enumerated() {
      switch part {
      case .owner: owner = nil
      case .proxy: proxy = nil
      case .forwardee: forwardee = nil
      case .observer:
        bag = nil
        heard = nil
      }
      gone.insert(part)
      #expect((weakOwner == nil) == gone.contains(.owner))
      #expect((weakProxy == nil) == gone.contains(.proxy))
      #expect((weakForwardee == nil) == gone.contains(.forwardee))
      #expect((weakHeard == nil) == gone.contains(.observer))
      // The stream completes when the proxy is deallocated, unless its observer is gone by then.
      let hasEnded = gone.contains(.proxy) && order.firstIndex(of: .proxy)! < order.firstIndex(of: .observer)!
      #expect(ends == (hasEnded ? 1 : 0))
      guard let owner else { continue }
      // A call reaches every part that is left.
      let (before, heardBefore) = (forwardee?.log.count, heard?.calls.count)
      owner.receive(number)
      if let before { #expect(forwardee?.log.count == before + 1) }
      if let heardBefore { #expect(heard?.calls.count == heardBefore + (gone.contains(.proxy) ? 0 : 1)) }
      // The handler answers, or without it the forwardee. With neither, the proxy must not be asked.
      if proxy == nil || bag != nil || forwardee != nil {
        #expect(owner.fail(9) == (forwardee != nil || (proxy != nil && bag != nil)))
      }
      // Without the proxy, the owner has its previous delegate again.
      if gone.contains(.proxy) { #expect(owner.delegate === forwardee) }
    }
  }

  @Test(arguments: orders)
  func `the same where a registry of the owner keeps the proxy`(_ order: [Part]) {
    var owner: Owner? = Owner()
    var forwardee: Recording? = Recording()
    owner?.delegate = forwardee
    var proxy: DownloaderDelegateProxy? = owner?.proxy(for: \.delegate)
    var heard: Heard? = Heard()
    var bag: DisposeBag? = DisposeBag()
    var ends = 0
    if let proxy, let heard, let bag {
      proxy.didReceive.stream.observe(
        next: { heard.calls.append($1) }, termination: { _ in ends += 1 }
      ).dispose(in: bag)
    }
    weak let (weakOwner, weakProxy, weakHeard) = (owner, proxy, heard)
    for (number, part) in order.enumerated() {
      switch part {
      case .owner: owner = nil
      case .proxy: proxy = nil
      case .forwardee: forwardee = nil
      case .observer:
        bag = nil
        heard = nil
      }
      let done = order[...number]
      // The owner retains the proxy, and so does the test.
      #expect((weakProxy == nil) == (done.contains(.owner) && done.contains(.proxy)))
      #expect((weakOwner == nil) == done.contains(.owner))
      #expect((weakHeard == nil) == done.contains(.observer))
      owner?.receive(number)
      let proxyEnd = max(order.firstIndex(of: .owner)!, order.firstIndex(of: .proxy)!)
      #expect(ends == (proxyEnd <= number && proxyEnd < order.firstIndex(of: .observer)! ? 1 : 0))
    }
  }
}
