import Streams
import StreamsTesting
import Synchronization
import Testing

struct NoLiveResourcesTests {
  static let trait = NoLiveResources.noLiveResources(patience: .zero)

  @Test func `names what a test leaves alive`() async throws {
    #if DEBUG
    let leaked = Mutex<LiveResources.Token?>(nil)
    try await withKnownIssue {
      try await Self.trait.provideScope(for: try #require(Test.current), testCase: nil) {
        let token = LiveResources.register("token")
        leaked.withLock { $0 = token }
      }
    } matching: {
      $0.comments.contains { $0.rawValue.hasPrefix("Left alive at the end of the test: 1 × token.") }
    }
    leaked.withLock { $0 = nil }
    #endif
  }

  @Test func `names a subscription that is in a cycle`() async throws {
    #if DEBUG
    final class Box { var content: Subscription? }
    try await withKnownIssue {
      try await Self.trait.provideScope(for: try #require(Test.current), testCase: nil) {
        let push = PushStream<Int>()
        let box = Box()
        // The observer retains the stream that retains the observer.
        box.content = push.observeNext { _ in _ = (push, box) }
        unsafeReleaseLater.withLock { $0 = { box.content?.dispose() } }
      }
    } matching: {
      $0.comments.contains { $0.rawValue.contains("1 × subscription") }
    }
    unsafeReleaseLater.withLock { $0.take()?() }
    #endif
  }

  @Test func `names where a chain was observed, and what retains it`() async throws {
    #if DEBUG
    try await Self.expectLeak { text in
      text.contains("- observed at StreamsTestingTests/NoLiveResourcesTests.swift:\(Screen.line): 2 × subscription\n")
        && text.contains("  Its chain: hot String → map → filter → take.\n")
        && text.contains("It retains itself: subscription → Screen → DisposeBag → subscription.\nCapture weakly")
    } leaving: {
      let screen = Screen()
      screen.show()
      return { screen.bag.dispose() }
    }
    #endif
  }

  @Test func `a chain that nobody disposes has no cycle, and neither has one that holds its owner weakly`() async throws
  {
    #if DEBUG
    try await Self.expectLeak { text in
      text.contains(": 2 × subscription\n  Its chain: hot String → take → map.\nDispose them, or put them in a bag")
    } leaving: {
      let screen = Screen()
      let subscription = screen.names.take(5).map { $0.count }.observeNext { [weak screen] in
        screen?.title = "\($0)"
      }
      subscription.dispose(in: screen.bag)
      return { screen.bag.dispose() }
    }
    #endif
  }

  @Test func `chains that were observed in two places are listed apart, with their numbers`() async throws {
    #if DEBUG
    try await Self.expectLeak { text in
      let lines = text.split(separator: "\n").filter { $0.hasPrefix("- ") }
      return text.hasPrefix("Left alive at the end of the test: 4 × subscription.") && lines.count == 2
        && lines.contains { $0.hasSuffix(": 3 × subscription") }
        && lines.contains { $0.hasSuffix(": 1 × subscription") }
    } leaving: {
      let push = PushStream<Int>()
      let bag = DisposeBag()
      for _ in 0..<3 { push.observeNext { _ in }.dispose(in: bag) }
      push.map { $0 + 1 }.observeNext { _ in }.dispose(in: bag)
      return { withExtendedLifetime(push) { bag.dispose() } }
    }
    #endif
  }

  @Test func `names a cycle through the closure of an operator, and through a stream that its owner observes`()
    async throws
  {
    #if DEBUG
    final class Owner {
      let bag = DisposeBag()
      let names = PushStream<String>()
      var prefix = ""
      var title = ""
    }
    func expectCycle(_ observe: @escaping @Sendable (Owner) -> Subscription) async throws {
      try await Self.expectLeak {
        $0.contains("It retains itself: hot stream → closure → Owner → hot stream.")
      } leaving: {
        let owner = Owner()
        let subscription = observe(owner)
        subscription.dispose(in: owner.bag)
        return { owner.bag.dispose() }
      }
    }
    try await expectCycle { owner in
      owner.names.map { owner.prefix + $0 }.observeNext { [weak owner] in owner?.title = $0 }
    }
    try await expectCycle { owner in owner.names.filter { $0 != owner.prefix }.take(3).observeNext { _ in } }
    #endif
  }

  @Test func `an entry that was removed from a dictionary is no reference, and one that is there is`() async throws {
    #if DEBUG
    final class Owner {
      var byNumber: [Int: Subscription] = [:]
      var boxes: [String: [Subscription]] = [:]
      var title = ""
    }
    func expectCycle(_ isCycle: Bool, _ keep: @escaping @Sendable (Owner, Subscription) -> Void) async throws {
      try await Self.expectLeak {
        $0.contains("It retains itself") == isCycle
      } leaving: {
        let (owner, push) = (Owner(), PushStream<Int>())
        let subscription = push.observeNext { owner.title = "\($0)" }
        keep(owner, subscription)
        return { withExtendedLifetime(push) { subscription.dispose() } }
      }
    }
    for count in [1, 2, 5, 40] {
      try await expectCycle(true) { owner, subscription in
        for number in 0..<count { owner.byNumber[number] = subscription }
      }
      try await expectCycle(true) { owner, subscription in owner.boxes["\(count)"] = [subscription] }
      try await expectCycle(false) { owner, subscription in
        for number in 0..<count { owner.byNumber[number] = subscription }
        owner.byNumber.removeAll(keepingCapacity: true)
      }
    }
    #endif
  }

  @Test func `names the chains that are observed in one line`() async throws {
    #if DEBUG
    @Sendable func observe(_ stream: Streams.Stream<Int>, _ bag: DisposeBag) {
      stream.observeNext { _ in }.dispose(in: bag)
    }
    try await Self.expectLeak { text in
      text.contains("  Its chain: hot Int → map.\n  Its chain: hot Int → filter.\n")
    } leaving: {
      let push = PushStream<Int>()
      let bag = DisposeBag()
      observe(push.map { $0 + 1 }, bag)
      observe(push.filter { $0 > 0 }, bag)
      return { withExtendedLifetime(push) { bag.dispose() } }
    }
    #endif
  }

  @Test func `names each source of a chain, up to three of an operator`() async throws {
    #if DEBUG
    func expectChain(_ chain: String, of make: @escaping @Sendable (PushStream<Int>) -> Streams.Stream<Int>)
      async throws
    {
      try await Self.expectLeak {
        $0.contains("\n  Its chain: \(chain).\n")
      } leaving: {
        let push = PushStream<Int>()
        let bag = DisposeBag()
        make(push).observeNext { _ in }.dispose(in: bag)
        return { withExtendedLifetime(push) { bag.dispose() } }
      }
    }
    try await expectChain("(hot Int → skip | hot Int → map) → merge → filter") { push in
      push.skip(1).merge(with: push.map { $0 + 1 }).filter { $0 > 0 }
    }
    try await expectChain("(hot Int | hot Int | hot Int | …) → merge") { push in
      Stream.merge([push.toStream(), push.toStream(), push.toStream(), push.toStream()])
    }
    #endif
  }

  @Test func `names the line of a recorder, of an asynchronous sequence, and of the end of a lifetime`() async throws {
    #if DEBUG
    func expectLine(_ line: Int, leaving: @escaping @Sendable () -> () -> Void) async throws {
      try await Self.expectLeak(
        { $0.contains("- observed at StreamsTestingTests/NoLiveResourcesTests.swift:\(line): ") }, leaving: leaving)
    }
    try await expectLine(#line + 2) {
      let push = PushStream<Int>()
      let recorder = push.record()
      return { withExtendedLifetime(push) { recorder.dispose() } }
    }
    try await expectLine(#line + 2) {
      let push = PushStream<Int>()
      let values = push.values()
      let iterator = values.makeAsyncIterator()
      return { withExtendedLifetime((push, iterator)) {} }
    }
    try await expectLine(#line + 2) {
      let (lifetime, token) = Lifetime.make()
      let subscription = lifetime.observeEnded {}
      return { withExtendedLifetime(token) { subscription.dispose() } }
    }
    #endif
  }

  /// Expects an issue for what `leaving` leaves alive. Its result cleans up.
  private static func expectLeak(
    _ matches: @escaping @Sendable (String) -> Bool, leaving: @escaping @Sendable () -> () -> Void
  ) async throws {
    let cleanUp = Lock<(() -> Void)?>(nil)
    try await withKnownIssue {
      try await trait.provideScope(for: try #require(Test.current), testCase: nil) {
        let end = leaving()
        cleanUp.withLock { $0 = end }
      }
    } matching: { issue in
      issue.comments.contains { matches($0.rawValue) }
    }
    cleanUp.withLock { $0.take()?() }
  }

  @Test func `is silent when everything is gone`() async throws {
    try await Self.trait.provideScope(for: try #require(Test.current), testCase: nil) {
      let push = PushStream<Int>()
      push.observeNext { _ in }.dispose()
    }
  }

  @Test func `waits for what is on its way`() async throws {
    let patient = NoLiveResources.noLiveResources(patience: .seconds(60))
    try await patient.provideScope(for: try #require(Test.current), testCase: nil) {
      let token = LiveResources.register("token")
      Task { withExtendedLifetime(token) {} }
    }
  }

  @Test func `counts what an observer makes when something outside the test sends or ends`() {
    #if DEBUG
    let tracker = LiveResources()
    let requests = PushOperation<Int, TestError>()
    let answers = PushStream<Int>()
    let bag = DisposeBag()
    LiveResources.$current.withValue(tracker) {
      requests.observe(
        next: { _ in answers.observeNext { _ in }.dispose(in: bag) },
        termination: { _ in answers.observeNext { _ in }.dispose(in: bag) }
      ).dispose(in: bag)
    }
    LiveResources.$current.withValue(nil) {
      requests.next(1)
      #expect(tracker.alive == ["subscription": 2])
      requests.completed()
      // The bag holds the one that has ended, too.
      #expect(tracker.alive == ["subscription": 3])
      bag.dispose()
    }
    #expect(tracker.alive.isEmpty)
    #endif
  }

  @Test(.noLiveResources) func `a test has a tracker of its own`() {
    #expect(LiveResources.current?.alive.isEmpty == true)
    let token = LiveResources.register("token")
    #expect(LiveResources.current?.alive == ["token": 1])
    withExtendedLifetime(token) {}
  }
}

/// Has a closure that captures the object that has its bag.
private final class Screen {
  let bag = DisposeBag()
  let names = PushStream<String>()
  var title = ""

  static let line = #line + 3

  func show() {
    names.map { $0.uppercased() }.filter { !$0.isEmpty }.take(10).observeNext { self.title = $0 }.dispose(in: bag)
  }
}

/// Undoes the leak of a test, so that the leak checkers of the process find none.
private let unsafeReleaseLater = Lock<(() -> Void)?>(nil)
