import Delegates
import Streams
import StreamsTesting
import Testing

/// Which forwardees receive the calls of a proxy.
@Suite(.noLiveResources) struct ForwardeeTests {
  let downloader = Downloader()
  let proxy = DownloaderDelegateProxy()
  let bag = DisposeBag()

  init() { downloader.delegate = proxy }

  @Test func `a forwardee is held weakly, or kept on request`() {
    var delegate: Recording? = Recording()
    proxy.forwardTo = delegate
    #expect(proxy.forwardTo === delegate)
    downloader.receive(1)
    #expect(delegate?.log == ["received 1"])
    weak let gone = delegate
    delegate = nil
    #expect(gone == nil)
    #expect(proxy.forwardTo == nil)
    downloader.receive(2)
    weak var kept: Recording?
    do {
      let delegate = Recording()
      kept = delegate
      proxy.setForwardee(delegate, retaining: true)
    }
    downloader.receive(3)
    #expect(kept?.log == ["received 3"])
    proxy.forwardTo = nil
    #expect(kept == nil)
  }

  @Test func `an installation is undone although another forwardee has been added meanwhile`() throws {
    let (first, temporary, added) = (Recording(), Recording(), Recording())
    for hasFirst in [false, true] {
      let before = hasFirst ? [first] : []
      proxy.forwardTo = before.first
      let installation = proxy.replaceForwardee(temporary)
      let addition = proxy.addForwardee(added)
      do { proxy.addForwardee(Recording()) }
      installation.dispose()
      #expect(proxy.allForwardees.map { ObjectIdentifier($0) } == (before + [added]).map { ObjectIdentifier($0) })
      addition.dispose()
      #expect(proxy.allForwardees.map { ObjectIdentifier($0) } == before.map { ObjectIdentifier($0) })
    }
  }

  @Test func `an installation is undone although its forwardee has gone, and another one has come and gone`() {
    let first = Recording()
    proxy.forwardTo = first
    var temporary: Recording? = Recording()
    let installation = proxy.replaceForwardee(temporary!)
    temporary = nil
    proxy.addForwardee(Recording()).dispose()
    installation.dispose()
    #expect(proxy.allForwardees.map { ObjectIdentifier($0) } == [ObjectIdentifier(first)])
  }

  @Test func `installing a forwardee where there is one is an error that names it`() throws {
    let (first, second) = (Recording(), Recording())
    let installation = try proxy.installForwardee(first)
    #expect(installation.displaced.isEmpty)
    #expect(throws: ForwardeeInPlace(type: "Recording")) { try proxy.installForwardee(second) }
    #expect(proxy.forwardTo === first)
    installation.dispose()
    #expect(proxy.forwardTo == nil)
    try proxy.installForwardee(second)
    #expect(proxy.forwardTo === second)
  }

  @Test func `replacing a forwardee tells what it displaces, and disposing puts that back`() {
    let (first, second, third) = (Recording(), Recording(), Recording())
    proxy.forwardTo = first
    let installation = proxy.replaceForwardee(second)
    #expect(installation.displaced.count == 1)
    #expect(installation.displaced.first === first)
    downloader.receive(1)
    installation.dispose()
    installation.dispose()
    downloader.receive(2)
    #expect(second.log == ["received 1"])
    #expect(first.log == ["received 2"])
    let another = proxy.replaceForwardee(second)
    proxy.forwardTo = third
    another.dispose()
    #expect(proxy.forwardTo === third)
  }

  @Test func `several forwardees get every call without a result, in order`() {
    var order: [Int] = []
    let all = (0..<3).map { number in
      let delegate = Recording()
      delegate.onReceive = { order.append(number) }
      return delegate
    }
    let places = all.map { proxy.addForwardee($0) }
    downloader.receive(1)
    #expect(order == [0, 1, 2])
    places[1].dispose()
    downloader.receive(2)
    #expect(order == [0, 1, 2, 0, 2])
    #expect(proxy.allForwardees.count == 2)
    places[0].dispose()
    places[2].dispose()
    #expect(proxy.forwardTo == nil)
    withExtendedLifetime(all) {}
  }

  @Test func `a forwardee that an earlier one removes does not get the call, and one that it adds gets the next`() {
    let (first, removed, added) = (Recording(), Recording(), Recording())
    proxy.addForwardee(first)
    let removal = proxy.addForwardee(removed)
    first.onReceive = { [proxy] in
      removal.dispose()
      if proxy.allForwardees.count == 1 { proxy.addForwardee(added) }
    }
    downloader.receive(1)
    downloader.receive(2)
    #expect(first.log == ["received 1", "received 2"] && removed.log == [] && added.log == ["received 2"])
  }

  @Test func `a rule makes one answer of those of several forwardees`() {
    let all = [Recording(), Recording(), Recording()]
    for delegate in all { proxy.addForwardee(delegate) }
    all[0].answer = false
    #expect(!downloader.fail(1))
    proxy.shouldRetry.forwardeeRule = .last
    #expect(downloader.fail(2))
    proxy.shouldRetry.forwardeeRule = .combine { $0 && $1 }
    #expect(!downloader.fail(3))
    proxy.shouldRetry.forwardeeRule = .combine { $0 || $1 }
    #expect(downloader.fail(4))
    #expect(
      all.map(\.log) == [
        ["retry 1", "retry 3", "retry 4"], ["retry 3", "retry 4"], ["retry 2", "retry 3", "retry 4"],
      ])
  }

  @Test func `those of several that have died are passed over`() {
    var first: Recording? = Recording()
    let second = Recording()
    if let first { proxy.addForwardee(first) }
    proxy.addForwardee(second)
    first = nil
    second.answer = true
    #expect(downloader.fail(1))
    downloader.receive(1)
    #expect(second.log == ["retry 1", "received 1"])
  }

  @Test func `of several, a proxy that only observes is no answer`() {
    let (idle, real) = (DownloaderDelegateProxy(), Recording())
    idle.shouldRetry.stream.observeNext { _ in }.dispose(in: bag)
    proxy.addForwardee(idle)
    proxy.addForwardee(real)
    #expect(downloader.fail(1))
    downloader.receive(1)
    #expect(real.log == ["retry 1", "received 1"])
    // A proxy answers if it has a forwardee, a handler, or a value in its policy.
    let behind = Recording()
    idle.forwardTo = behind
    #expect(downloader.fail(2))
    #expect(behind.log == ["retry 2"])
    idle.forwardTo = nil
    let handler = idle.shouldRetry.replaceAnswer { _, _ in false }
    #expect(!downloader.fail(3))
    handler.dispose()
    idle.shouldRetry.policy = .forwardeeOr(false)
    #expect(!downloader.fail(4))
    #expect(real.log == ["retry 1", "received 1"])
  }

  @Test func `of several, a proxy that only observes is no answer to an asynchronous call`() async throws {
    let (session, idle, real) = (SessionProxy(), SessionProxy(), RealSession())
    session.addForwardee(idle)
    session.addForwardee(real)
    let (expected, answer) = (try await real.load("a", retries: 1), try await session.load("a", retries: 1))
    #expect(answer == expected)
  }

  @Test func `rules and policies hold for asynchronous calls`() async throws {
    let session = SessionProxy()
    let all = [RealSession(), RealSession()]
    for delegate in all { session.addForwardee(delegate) }
    session.loading.forwardeeRule = .combine { $0 + " " + $1 }
    #expect(try await session.load("a", retries: 1) == "a! a!")
    session.loading.forwardeeRule = .last
    #expect(try await session.load("a", retries: 1) == "a!")
    try session.loading.answer { path, _ in "handler \(path)" }
    #expect(try await session.load("a", retries: 1) == "handler a")
    session.loading.policy = .forwardee
    #expect(try await session.load("a", retries: 1) == "a!")
    session.forwardTo = nil
    #expect(try await session.load("a", retries: 1) == "handler a")
    session.loading.policy = .forwardeeOr("policy")
    #expect(try await session.load("a", retries: 1) == "policy")
    withExtendedLifetime(all) {}
  }

  @Test func `a forwardee may replace itself and die in its own call`() {
    var first: Recording? = Recording()
    let second = Recording()
    let proxy = proxy
    first?.onReceive = {
      proxy.forwardTo = second
      first = nil
    }
    proxy.forwardTo = first
    downloader.receive(1)
    downloader.receive(2)
    #expect(second.log == ["received 2"])
    #expect(first == nil)
  }

  @Test func `proxies stand behind each other`() {
    let (front, back) = (DownloaderDelegateProxy(), Recording())
    var seen: [String] = []
    front.didReceive.stream.observeNext { _, bytes in seen.append("front \(bytes)") }.dispose(in: bag)
    proxy.didReceive.stream.observeNext { _, bytes in seen.append("proxy \(bytes)") }.dispose(in: bag)
    downloader.delegate = front
    front.forwardTo = proxy
    proxy.forwardTo = back
    downloader.receive(1)
    #expect(seen == ["proxy 1", "front 1"])
    #expect(back.log == ["received 1"])
  }
}
