import Delegates
import Dispatch
import Streams
import StreamsTesting
import TestSupport
import Testing

/// A proxy that is deallocated on another thread ends at its home.
@Suite(.noLiveResources, .timeLimit(.minutes(15))) struct HomeTests {
  /// An object that logs whether it is released at its home.
  private final class Captured {
    let log: Log
    let home: ThreadMailbox
    init(_ log: Log, _ home: ThreadMailbox) {
      self.log = log
      self.home = home
    }
    deinit { log.add(HomeThread.mailbox === home ? "released at home" : "released elsewhere") }
  }

  // Sendable, because the thread that makes it gives it up, on purpose: the last reference to an owner moves like this.
  private struct Transfer: @unchecked Sendable {
    let box: Box
  }

  private final class Box {
    var proxy: DownloaderDelegateProxy?
    init(_ proxy: DownloaderDelegateProxy?) { self.proxy = proxy }
  }

  @Test func `the streams complete, handlers are released and the delegate is put back at home`() async throws {
    for _ in 0..<50 {
      let log = Log()
      let gate = Lock<Transfer?>(nil)
      let mailbox = ThreadMailbox()
      let made = Lock(false)
      let gone = Lock(false)
      async let home: Void = onOwnThread {
        HomeThread.set(mailbox: mailbox, scheduler: nil)
        defer { HomeThread.set(mailbox: nil, scheduler: nil) }
        let downloader = Downloader()
        let before = Recording()
        downloader.delegate = before
        do {
          let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
          let captured = Captured(log, mailbox)
          _ = proxy.didReceive.stream.observe(
            next: { log.add("\($1)") },
            termination: { _ in log.add(HomeThread.mailbox === mailbox ? "completed at home" : "completed elsewhere") })
          proxy.shouldRetry.replaceAnswer { _, _ in
            withExtendedLifetime(captured) {}
            return true
          }
          downloader.receive(1)
          gate.withLock { $0 = Transfer(box: Box(proxy)) }
        }
        made.withLock { $0 = true }
        while !gone.withLock({ $0 }) {}
        log.add("\(downloader.delegate == nil)")
        mailbox.run()
        log.add("\(downloader.delegate === before)")
      }
      try await onOwnThread {
        while !made.withLock({ $0 }) {}
        let transfer = gate.withLock { $0.take() }
        transfer?.box.proxy = nil
        gone.withLock { $0 = true }
      }
      try await home
      #expect(log.entries.prefix(2) == ["1", "true"])
      #expect(Set(log.entries.dropFirst(2)) == ["completed at home", "released at home", "true"])
      #expect(log.entries.count == 5)
    }
  }

  /// Runs `body` on a thread whose mailbox it gets.
  private func atHome(_ body: @escaping @Sendable (ThreadMailbox) -> Void) async throws {
    try await onOwnThread {
      let mailbox = ThreadMailbox()
      HomeThread.set(mailbox: mailbox, scheduler: nil)
      defer { HomeThread.set(mailbox: nil, scheduler: nil) }
      body(mailbox)
    }
  }

  /// Releases a proxy on another thread, which posts the rest to its home.
  private func releaseElsewhere(_ box: Box) {
    let transfer = Transfer(box: box)
    let isReleased = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      transfer.box.proxy = nil
      isReleased.signal()
    }
    isReleased.wait()
  }

  @Test(arguments: 1...3, [false, true])
  func `what a proxy released elsewhere displaced is found by the next one, before its home has had a turn`(
    _ count: Int, _ isReleasedToo: Bool
  ) async throws {
    try await atHome { mailbox in
      let downloader = Downloader()
      let before = Recording()
      downloader.delegate = before
      func installed() -> DownloaderDelegateProxy {
        let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
        // Use gives it a home.
        _ = proxy.didReceive.stream.observeNext { _, _ in }
        return proxy
      }
      let boxes = (0..<count).map { _ in Box(installed()) }
      for box in boxes { releaseElsewhere(box) }
      #expect(downloader.delegate == nil)
      var proxy: DownloaderDelegateProxy? = installed()
      #expect(proxy?.forwardTo === before)
      if isReleasedToo {
        let box = Box(proxy)
        proxy = nil
        releaseElsewhere(box)
        mailbox.run()
      } else {
        mailbox.run()
        #expect(downloader.delegate === proxy && proxy?.forwardTo === before && proxy?.allForwardees.count == 1)
        proxy?.dispose()
      }
      #expect(downloader.delegate === before)
    }
  }

  @Test func `a proxy behind one released elsewhere keeps its forwardee when it moves to the front`() async throws {
    try await atHome { mailbox in
      let downloader = Downloader()
      let before = Recording()
      downloader.delegate = before
      let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
      let front = Box(.install(on: downloader, at: \.delegate))
      _ = front.proxy?.didReceive.stream.observeNext { _, _ in }
      releaseElsewhere(front)
      // A second installation restores the proxy.
      proxy.install(on: downloader, at: \.delegate)
      for _ in 0..<2 {
        #expect(downloader.delegate === proxy && proxy.forwardTo === before && proxy.allForwardees.count == 1)
        mailbox.run()
      }
      proxy.dispose()
      #expect(downloader.delegate === before)
    }
  }

  @Test(arguments: [[0, 2], [2, 0]], [false, true])
  func `a proxy between two that are released elsewhere becomes the delegate`(_ order: [Int], _ endsHere: Bool)
    async throws
  {
    try await atHome { mailbox in
      let (downloader, before) = (Downloader(), Recording())
      downloader.delegate = before
      let boxes = (0..<3).map { _ in
        let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
        _ = proxy.didReceive.stream.observeNext { _, _ in }
        return Box(proxy)
      }
      releaseElsewhere(boxes[order[0]])
      if endsHere { boxes[order[1]].proxy = nil } else { releaseElsewhere(boxes[order[1]]) }
      mailbox.run()
      #expect(downloader.delegate === boxes[1].proxy && boxes[1].proxy?.forwardTo === before)
      boxes[1].proxy?.dispose()
      #expect(downloader.delegate === before)
    }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `a delegate that was set between two proxies that are released elsewhere stays`(_ order: [Int]) async throws {
    try await atHome { mailbox in
      let (downloader, delegates) = (Downloader(), [Recording(), Recording()])
      let boxes = delegates.map { delegate in
        downloader.delegate = delegate
        let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
        _ = proxy.didReceive.stream.observeNext { _, _ in }
        return Box(proxy)
      }
      for index in order { releaseElsewhere(boxes[index]) }
      mailbox.run()
      #expect(downloader.delegate === delegates[1])
    }
  }

  /// A random chain of proxies of one owner. Some are released elsewhere, some are disposed or installed again here, and the delegate is set
  /// by hand, before the home has had a turn.
  @Test(arguments: 0..<(Effort.isSanitized ? 300 : 3_000))
  func `whatever is released elsewhere, calls reach the delegate that was set last, once`(_ seed: Int) async throws {
    try await atHome { mailbox in
      var random = SeededGenerator(UInt64(seed))
      let downloader = Downloader()
      var delegates = [Recording()]
      downloader.delegate = delegates[0]
      var boxes: [Box] = []
      // Between the release of a proxy and the next installation, or the home's turn, calls can end at that proxy.
      var isPending = false
      for number in 1...12 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where downloader.delegate == nil || downloader.delegate is Recording:
          // Only where no living proxy is in front: a delegate that is set behind one is another matter.
          if boxes.contains(where: { $0.proxy != nil }) { break }
          delegates.append(Recording())
          downloader.delegate = delegates.last
        case 1:
          if let box = boxes.randomElement(using: &random), box.proxy != nil {
            releaseElsewhere(box)
            isPending = true
          }
        case 2: if let box = boxes.randomElement(using: &random) { box.proxy?.dispose() }
        case 3: boxes.randomElement(using: &random)?.proxy?.install(on: downloader, at: \.delegate)
        case 4 where seed % 2 == 0:
          mailbox.run()
          isPending = false
        default:
          let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
          _ = proxy.didReceive.stream.observeNext { _, _ in }
          boxes.append(Box(proxy))
          isPending = false
        }
        if isPending { continue }
        downloader.receive(number)
        #expect(delegates.last?.log.filter { $0 == "received \(number)" }.count == 1)
      }
      for box in boxes.shuffled(using: &random) {
        if Bool.random(using: &random), box.proxy != nil { releaseElsewhere(box) } else { box.proxy?.dispose() }
      }
      mailbox.run()
      #expect(downloader.delegate === delegates.last)
    }
  }

  @Test func `a proxy that nobody listens to has no home, and gets that of the next who does`() async throws {
    // One thread uses it after the other: the main actor's job has ended before the second thread starts.
    nonisolated(unsafe) let downloader = Downloader()
    // Used like `downloader`.
    nonisolated(unsafe) let proxy = DownloaderDelegateProxy()
    await MainActor.run {
      proxy.forwardTo = Recording()
      proxy.forwardTo = nil
    }
    try await onOwnThread {
      HomeThread.set(mailbox: ThreadMailbox(), scheduler: nil)
      defer { HomeThread.set(mailbox: nil, scheduler: nil) }
      let place = proxy.shouldRetry.replaceAnswer { _, _ in true }
      downloader.delegate = proxy
      #expect(downloader.fail(1))
      place.dispose()
    }
  }

  @MainActor private final class Controller {
    private let downloader = Downloader()
    private let proxy: DownloaderDelegateProxy

    init(_ ends: AsyncStream<Void>.Continuation) {
      proxy = .install(on: downloader, at: \.delegate)
      // Traps if it runs elsewhere.
      _ = proxy.didReceive.stream.observeCompleted { MainActor.assumeIsolated { _ = ends.yield() } }
    }
  }

  @Test func `the proxy of a main-actor class that dies on another thread completes its streams on the main actor`()
    async throws
  {
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<50 {
      let box = Lock<Controller?>(nil)
      await MainActor.run {
        let controller = Controller(continuation)
        box.withLock { $0 = controller }
      }
      try await onOwnThread { _ = box.withLock { $0.take() } }
      #expect(await ends.first { true } != nil)
    }
  }

  private actor Worker {
    private let downloader = Downloader()
    private var proxy: DownloaderDelegateProxy?
    private(set) var received = 0

    func start(_ ends: AsyncStream<Void>.Continuation) throws {
      let proxy = DownloaderDelegateProxy.install(on: downloader, at: \.delegate)
      _ = proxy.didReceive.stream.observe(next: { _ in }, termination: { _ in ends.yield() })
      try proxy.shouldRetry.answer { _, attempt in attempt < 2 }
      self.proxy = proxy
    }

    func ask(_ attempt: Int) -> Bool { downloader.fail(attempt) }
  }

  @Test func `a proxy lives in an actor`() async throws {
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    do {
      let worker = Worker()
      try await worker.start(continuation)
      #expect(await worker.ask(1))
      #expect(await !worker.ask(2))
    }
    #expect(await ends.first { true } != nil)
  }
}
