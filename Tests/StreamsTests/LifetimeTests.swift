import Streams
import StreamsTesting
import TestSupport
import Testing

/// Owners that are deallocated, on any thread.
@Suite(.noLiveResources, .timeLimit(.minutes(15))) struct LifetimeTests {
  @Test func `a lifetime releases disposables that have ended, and disposes the others when it ends`() {
    final class Ended: Disposable {
      private(set) var isDisposed = false
      func dispose() { isDisposed = true }
    }
    var (lifetime, token): (Lifetime, Lifetime.Token?) = Lifetime.make()
    var ended: [() -> Bool] = []
    for _ in 0..<1000 {
      let disposable = Ended()
      ended.append { [weak disposable] in disposable != nil }
      lifetime += disposable
      disposable.dispose()
    }
    #expect(ended.count { $0() } <= 16)
    let open = Ended()
    lifetime += open
    withExtendedLifetime(token) { #expect(!open.isDisposed) }
    token = nil
    #expect(open.isDisposed)
    let late = Ended()
    lifetime += late
    #expect(late.isDisposed)
  }

  @MainActor private final class MainOwner {
    private let bag = DisposeBag()
    private let push = PushStream<Int>()
    private(set) var sum = 0

    init(_ disposals: AsyncStream<Void>.Continuation) {
      push.observeNext { [weak self] in self?.sum += $0 }.dispose(in: bag)
      // Traps if it runs elsewhere. In a test process, the main actor is not on the main thread.
      BlockDisposable { MainActor.assumeIsolated { _ = disposals.yield() } }.dispose(in: bag)
    }

    func send(_ element: Int) { push.next(element) }
  }

  private actor Owner {
    private let bag = DisposeBag()
    private let push = PushStream<Int>()
    private(set) var sum = 0

    func start(_ disposals: AsyncStream<Void>.Continuation) {
      push.observeNext(with: self) { owner, element in owner.sum += element }.dispose(in: bag)
      BlockDisposable { disposals.yield() }.dispose(in: bag)
    }

    func send(_ element: Int) { push.next(element) }

    func clear() { bag.dispose() }
  }

  private actor Ticking {
    private let bag = DisposeBag()
    private(set) var ticks = 0

    func start(_ disposals: AsyncStream<Void>.Continuation) {
      Stream.interval(.milliseconds(1), on: ActorScheduler()).doOn(disposed: { disposals.yield() })
        .observeNext(with: self) { owner, _ in owner.ticks += 1 }.dispose(in: bag)
    }
  }

  @Test func `a subscription can be dumped`() {
    let push = PushStream<Int>()
    let subscription = push.flatMap(.concat) { Stream.just($0) }.observeNext { _ in }
    var text = ""
    dump(subscription, to: &text)
    dump(push, to: &text)
    #expect(text.contains("Subscription"))
    subscription.dispose()
  }

  @Test func `the bag of a main-actor class that dies on another thread is disposed on the main actor`() async throws {
    let (disposals, continuation) = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<100 {
      let box = Lock<MainOwner?>(nil)
      await MainActor.run {
        let owner = MainOwner(continuation)
        owner.send(3)
        #expect(owner.sum == 3)
        box.withLock { $0 = owner }
      }
      try await onOwnThread {
        let last = box.withLock { $0.take() }
        #expect(last != nil)
        #expect(!HomeThread.isMain)
      }
      #expect(await disposals.first { true } != nil)
    }
  }

  @Test func `a bag that dies at home is disposed in place`() async throws {
    let log = try await onOwnThread {
      HomeThread.set(mailbox: ThreadMailbox(), scheduler: nil)
      let log = Log()
      do {
        let bag = DisposeBag()
        BlockDisposable { log.add("disposed") }.dispose(in: bag)
      }
      log.add("after")
      return log.entries
    }
    #expect(log == ["disposed", "after"])
  }

  @Test func `a bag that dies elsewhere is sent home`() async throws {
    let home = ThreadMailbox()
    let log = Log()
    let bag = try await onOwnThread {
      HomeThread.set(mailbox: home, scheduler: nil)
      // Used at home, and then by the thread that releases it.
      nonisolated(unsafe) let bag = DisposeBag()
      BlockDisposable { log.add("at home: \(home.isCurrent == true)") }.dispose(in: bag)
      return Lock<DisposeBag?>(bag)
    }
    try await onOwnThread { _ = bag.withLock { $0.take() } }
    #expect(log.entries.isEmpty)
    try await onOwnThread {
      HomeThread.set(mailbox: home, scheduler: nil)
      home.run()
    }
    #expect(log.entries == ["at home: true"])
  }

  @Test func `a bag whose home has closed disposes of what is in it on the thread that lets go`() async throws {
    let home = ThreadMailbox()
    let log = Log()
    let canary = Lock<Canary?>(Canary())
    weak let watched = canary.withLock { $0 }
    let bag = try await onOwnThread {
      HomeThread.set(mailbox: home, scheduler: nil)
      // Used at home, and then by the thread that releases it.
      nonisolated(unsafe) let bag = DisposeBag()
      // Used at home, and then by the thread that releases it.
      nonisolated(unsafe) let held = canary.withLock { $0.take() }
      BlockDisposable {
        _ = held
        log.add("disposed")
      }.dispose(in: bag)
      return Lock<DisposeBag?>(bag)
    }
    #expect(watched != nil)
    home.close()
    try await onOwnThread { _ = bag.withLock { $0.take() } }
    #expect(log.entries == ["disposed"])
    #expect(watched == nil)
  }

  @Test func `the bag of an actor that dies on any thread is disposed`() async throws {
    let (disposals, continuation) = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<100 {
      let box = Lock<Owner?>(nil)
      weak var watched: Owner?
      do {
        let owner = Owner()
        watched = owner
        await owner.start(continuation)
        await owner.send(4)
        #expect(await owner.sum == 4)
        box.withLock { $0 = owner }
      }
      try await onOwnThread { _ = box.withLock { $0.take() } }
      #expect(await disposals.first { true } != nil)
      #expect(watched == nil)
    }
  }

  @Test func `an actor that waits for a timer for ever can die`() async throws {
    let (disposals, continuation) = AsyncStream.makeStream(of: Void.self)
    weak var watched: Ticking?
    do {
      let owner = Ticking()
      watched = owner
      await owner.start(continuation)
      while await owner.ticks < 2 { await Task.yield() }
    }
    #expect(await disposals.first { true } != nil)
    while watched != nil { await Task.yield() }
  }

  @Test func `an actor observes in its own isolation and stops when it clears its bag`() async {
    let (_, continuation) = AsyncStream.makeStream(of: Void.self)
    let owner = Owner()
    await owner.start(continuation)
    await owner.send(1)
    await owner.clear()
    await owner.send(10)
    #expect(await owner.sum == 1)
  }

  @Test func `a subscription that is let go of goes on`() {
    let push = PushStream<Int>()
    var sum = 0
    _ = push.observeNext { sum += $0 }
    push.next(1)
    #expect(sum == 1)
    #expect(push.observerCount == 1)
  }

  @Test func `a hot stream that is let go of releases its observers without telling them anything`() {
    weak var watched: Canary?
    var events = 0
    var subscription: Subscription?
    do {
      let canary = Canary()
      watched = canary
      let push = PushStream<Int>()
      subscription = push.observe { _ in
        _ = canary
        events += 1
      }
    }
    #expect(events == 0)
    // The retained subscription is open. All that it retains of the stream is a gate.
    #expect(subscription?.isDisposed == false)
    subscription?.dispose()
    #expect(watched == nil)
  }

  @Test @MainActor func `a producer that releases its observer without an end leaves nothing`() {
    let push = PushStream<Int>()
    let wrapped = Stream<Int> { observer in
      push.observe(next: { observer.next($0) }, termination: { observer.terminate($0) })
    }
    var received: [Int] = []
    _ = wrapped.take(5).merge(with: wrapped.map { $0 * 10 }).observeNext { received.append($0) }
    _ = Stream<Int> { _ in .none }.take(5).observeNext { received.append($0) }
    push.next(1)
    #expect(received == [1, 10])
  }

  @Test @MainActor func `nobody waits for a producer that has released its observer`() async {
    #expect(await Stream<Int> { _ in .none }.values().first { _ in true } == nil)
    var kept: Observer<Int, Never>?
    let source = Stream<Int> { observer in
      kept = observer
      return .none
    }
    var values = source.values().makeAsyncIterator()
    kept?.next(1)
    #expect(await values.next(isolation: MainActor.shared) == 1)
    kept = nil
    #expect(await values.next(isolation: MainActor.shared) == nil)
  }

  @Test @MainActor func `a producer that has something to undo is kept until its disposal`() {
    var isUndone = false
    let subscription = Stream<Int> { _ in BlockDisposable { isUndone = true } }.take(1).observeNext { _ in }
    #expect(!isUndone)
    subscription.dispose()
    #expect(isUndone)
  }

  /// An actor that observes a producer that releases its observer at once.
  private actor Bereft {
    private var subscription: Subscription?
    private weak var observer: Canary?

    var isReleased: Bool { observer == nil }

    func observe() {
      let canary = Canary()
      observer = canary
      subscription = Stream<Int> { _ in .none }.observe { _ in _ = canary }
    }

    func dispose() { subscription?.dispose() }
  }

  // The threads of the pool do not show whether the actor still runs, so the subscription must not be released under it.
  @Test func `in an actor, an observer that its producer has released is kept until the disposal`() async {
    let owner = Bereft()
    await owner.observe()
    #expect(await !owner.isReleased)
    await owner.dispose()
    #expect(await owner.isReleased)
  }

  @Test func `disposing from inside a delivery releases the observer after it`() {
    weak var watched: Canary?
    let push = PushStream<Int>()
    var subscription: Subscription?
    do {
      let canary = Canary()
      watched = canary
      subscription = push.observeNext { _ in
        subscription?.dispose()
        // The captured object still exists.
        _ = ObjectIdentifier(canary)
      }
    }
    push.next(1)
    #expect(watched == nil)
    #expect(subscription?.isDisposed == true)
    subscription = nil
  }

  @Test func `a stream may let go of itself from inside its own delivery`() {
    var push: PushStream<Int>? = PushStream()
    var log: [Int] = []
    let subscription = push?.map { $0 }.take(10).observeNext { element in
      log.append(element)
      push = nil
    }
    push?.next(1)
    #expect(log == [1])
    #expect(push == nil)
    subscription?.dispose()
  }

  /// An object that observes its own hot stream, with an operator that retains its upstream.
  @MainActor private final class Broadcaster {
    let bag = DisposeBag()
    let push = PushStream<Int>()

    init() {
      push.take(3).observeNext { _ in }.dispose(in: bag)
      push.observeNext { _ in }.dispose(in: bag)
    }
  }

  @Test func `a hot stream and a bag that die on another thread let go of each other at home`() async {
    for _ in 0..<200 {
      let owner = Lock<Broadcaster?>(await Broadcaster())
      await Task.detached { owner.withLock { $0 = nil } }.value
    }
  }
}
