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

  @Test(.noLiveResources) func `a test has a tracker of its own`() {
    #expect(LiveResources.current?.alive.isEmpty == true)
    let token = LiveResources.register("token")
    #expect(LiveResources.current?.alive == ["token": 1])
    withExtendedLifetime(token) {}
  }
}

/// Undoes the leak of a test, so that the leak checkers of the process find none.
private let unsafeReleaseLater = Lock<(() -> Void)?>(nil)
