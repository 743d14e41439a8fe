import Delegates
import Properties
import Streams
import StreamsTesting
import Testing

/// Which handler, forwardee, or default answers a call.
@Suite(.noLiveResources) struct AnswerTests {
  let downloader = Downloader()
  let proxy = DownloaderDelegateProxy()
  let bag = DisposeBag()

  init() { downloader.delegate = proxy }

  @Test func `a second handler is an error, or replaces where that is said`() throws {
    let first = try proxy.shouldRetry.answer { _, _ in true }
    #expect(throws: SlotOccupied(slot: "DownloaderDelegateProxy.shouldRetry")) {
      try proxy.shouldRetry.answer { _, _ in false }
    }
    #expect(throws: SlotOccupied.self) { try proxy.shouldRetry.feed(Property(1)) { _, _, _ in false } }
    #expect(throws: SlotOccupied.self) {
      _ = try proxy.shouldRetry.stream { (_: PushStream<Int>, _, _) in false }
    }
    #expect(downloader.fail(1))
    let second = proxy.shouldRetry.replaceAnswer { _, attempt in attempt > 5 }
    #expect(first.isDisposed)
    first.dispose()
    #expect(!downloader.fail(1))
    #expect(proxy.shouldRetry.hasHandler)
    second.dispose()
    #expect(!proxy.shouldRetry.hasHandler)
    try proxy.shouldRetry.answer { _, _ in true }
    #expect(downloader.fail(1))
  }

  enum Policy: CaseIterable { case handler, forwardee, forwardeeOr }

  @Test(arguments: Policy.allCases, [false, true])
  func `exactly one is asked, as the policy says`(_ policy: Policy, _ hasForwardee: Bool) throws {
    let forwardee = Recording()
    var asked: [String] = []
    try proxy.shouldRetry.answer { _, _ in
      asked.append("handler")
      return false
    }
    forwardee.answer = true
    if hasForwardee { proxy.forwardTo = forwardee }
    switch policy {
    case .handler: proxy.shouldRetry.policy = .handler
    case .forwardee: proxy.shouldRetry.policy = .forwardee
    case .forwardeeOr: proxy.shouldRetry.policy = .forwardeeOr(true)
    }
    let answer = downloader.fail(1)
    switch (policy, hasForwardee) {
    case (.handler, _), (.forwardee, false):
      #expect(!answer)
      #expect(asked == ["handler"])
      #expect(forwardee.log.isEmpty)
    case (.forwardee, true), (.forwardeeOr, true):
      #expect(answer)
      #expect(asked.isEmpty)
      #expect(forwardee.log == ["retry 1"])
    case (.forwardeeOr, false):
      #expect(answer)
      #expect(asked.isEmpty)
    }
  }

  @Test func `a value of the policy answers without handler and forwardee`() {
    proxy.shouldRetry.policy = .forwardeeOr(true)
    #expect(downloader.fail(1))
    proxy.shouldRetry.policy = .forwardeeOr(false)
    #expect(!downloader.fail(1))
    #expect(!proxy.shouldRetry.isImplemented)
  }

  @Test func `a method without a result tells handler and forwardee, between those who observe`() throws {
    let forwardee = Recording()
    var order: [String] = []
    forwardee.onReceive = { order.append("forwardee") }
    proxy.didReceive.willInvoke.observeNext { _ in order.append("will") }.dispose(in: bag)
    proxy.didReceive.didInvoke.observeNext { _ in order.append("did") }.dispose(in: bag)
    proxy.didReceive.results.observeNext { _, _, _ in order.append("result") }.dispose(in: bag)
    try proxy.didReceive.answer { _, _ in order.append("handler") }
    proxy.forwardTo = forwardee
    downloader.receive(1)
    #expect(order == ["will", "handler", "forwardee", "result", "did"])
  }

  @Test func `the dispatch form answers as long as its stream is held or observed`() throws {
    var retries: Stream<Int>? = try proxy.shouldRetry.stream { push, _, attempt in
      push.next(attempt)
      return true
    }
    var seen: [Int] = []
    #expect(downloader.fail(1))
    let subscription = retries?.observeNext { seen.append($0) }
    retries = nil
    #expect(downloader.fail(2))
    #expect(seen == [2])
    subscription?.dispose()
    #expect(!proxy.shouldRetry.hasHandler)
  }

  @Test func `the dispatch form's stream completes when its handler is replaced, and when the proxy goes`() throws {
    var ends = 0
    func observe(_ stream: Stream<Int>) { _ = stream.observeCompleted { ends += 1 } }
    observe(try proxy.shouldRetry.stream { _, _, _ in true })
    // The subscription is not retained. The observer keeps the handler in place.
    #expect(proxy.shouldRetry.hasHandler)
    observe(proxy.shouldRetry.replaceStream { _, _, _ in false })
    #expect(ends == 1)
    #expect(!downloader.fail(1))
    var other: DownloaderDelegateProxy? = DownloaderDelegateProxy()
    observe(try #require(other).shouldRetry.stream { _, _, _ in true })
    other = nil
    #expect(ends == 2)
    proxy.dispose()
    #expect(ends == 3)
  }

  @Test func `a feed does not keep its property`() throws {
    var maximum: Property<Int>? = Property(3)
    weak let weakly = maximum
    let feeding = try proxy.shouldRetry.feed(try #require(maximum)) { maximum, _, attempt in attempt < maximum }
    maximum = nil
    #expect(weakly == nil)
    #expect(downloader.fail(2))
    #expect(!downloader.fail(3))
    feeding.dispose()
    let attempts = CollectionProperty([1, 2])
    try proxy.shouldRetry.feed(attempts) { attempts, _, attempt in attempts.contains(attempt) }
    #expect(!downloader.fail(3))
    attempts.append(3)
    #expect(downloader.fail(3))
  }

  @Test func `a slot is implemented while somebody would hear a call`() throws {
    var changes = 0
    proxy.implementationChanges.observeNext { changes += 1 }.dispose(in: bag)
    #expect(!proxy.didReceive.isImplemented)
    let one = proxy.didReceive.stream.observeNext { _ in }
    let two = proxy.didReceive.stream.observeNext { _ in }
    #expect(proxy.didReceive.isImplemented)
    #expect(proxy.didReceive.observerCount == 2)
    #expect(changes == 1)
    one.dispose()
    #expect(changes == 1)
    two.dispose()
    #expect(!proxy.didReceive.isImplemented)
    #expect(changes == 2)
    let handler = try proxy.shouldRetry.answer { _, _ in true }
    #expect(proxy.shouldRetry.isImplemented)
    #expect(!proxy.didReceive.isImplemented)
    handler.dispose()
    #expect(changes == 4)
    do {
      let forwardee = Recording()
      proxy.forwardTo = forwardee
      #expect(proxy.didReceive.isImplemented)
      #expect(changes == 5)
      withExtendedLifetime(forwardee) {}
    }
    #expect(!proxy.didReceive.isImplemented)
  }

  @Test func `a proxy that has been disposed of is implemented no more, and tells who comes late`() {
    var ends = 0
    let subscription = proxy.didReceive.stream.observeCompleted { ends += 1 }
    proxy.dispose()
    #expect(!proxy.didReceive.isImplemented)
    #expect(proxy.didReceive.observerCount == 0)
    _ = proxy.didReceive.stream.observeCompleted { ends += 1 }
    #expect(ends == 2)
    subscription.dispose()
    #expect(proxy.didReceive.observerCount == 0)
  }

  @Test func `a proxy made of closures is a delegate`() {
    var received: [Int] = []
    let delegate = DownloaderDelegateProxy(didReceive: { received.append($1) }, shouldRetry: { $1 < 2 })
    downloader.delegate = delegate
    downloader.receive(7)
    #expect(downloader.fail(1))
    #expect(!downloader.fail(2))
    #expect(received == [7])
  }

  @Test func `a handler may replace itself and let go of the proxy in its own call`() throws {
    let downloader = downloader
    var other: DownloaderDelegateProxy? = DownloaderDelegateProxy()
    downloader.delegate = other
    var ended = false
    other?.shouldRetry.stream.observeCompleted { ended = true }.dispose(in: bag)
    other?.shouldRetry.replaceAnswer { _, _ in
      other?.shouldRetry.replaceAnswer { _, _ in false }
      other = nil
      return true
    }
    #expect(downloader.fail(1))
    #expect(ended)
    #expect(downloader.delegate == nil)
  }
}
