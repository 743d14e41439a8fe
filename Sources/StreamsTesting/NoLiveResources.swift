internal import Streams
public import Testing

/// Fails a test that leaves something alive: subscriptions, handles, callback boxes.
///
/// ```swift
/// @Suite(.noLiveResources) struct ClockTests {
///   @Test func ticks() {
///     #expect(Stream.just(1).record().elements == [1])
///   }
/// }
/// ```
///
/// What is made in the test, in its tasks and in `onOwnThread` is counted with a tracker of its own, so tests run in
/// parallel. What a test sends home to be disposed there gets a moment to arrive. Release builds count nothing.
public struct NoLiveResources: TestTrait, SuiteTrait, TestScoping {
  /// How long what is on its way may take.
  private let patience: Duration

  fileprivate init(patience: Duration) { self.patience = patience }

  /// Each test of a suite has a tracker of its own.
  public var isRecursive: Bool { true }

  /// Runs the test with its tracker.
  @concurrent
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.check(patience: patience, sourceLocation: test.sourceLocation, function)
  }

  /// Runs `body` with a tracker of its own, then records an issue that names what is left alive.
  static func check(
    patience: Duration, sourceLocation: SourceLocation, _ body: () async throws -> Void
  ) async throws {
    let tracker = LiveResources()
    try await LiveResources.$current.withValue(tracker) { try await body() }
    let deadline = ContinuousClock.now + patience
    while !tracker.alive.isEmpty, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(1))
    }
    if tracker.alive.isEmpty { return }
    let list = tracker.alive.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
    Issue.record(
      """
      Left alive at the end of the test: \(list). Most often something has not been disposed of, or a closure captures the bag \
      of its own subscription, or the owner of that bag.
      """, sourceLocation: sourceLocation)
  }
}

extension Trait where Self == NoLiveResources {
  /// Fails a test that leaves subscriptions, handles or callback boxes alive. What is still on its way when the test returns
  /// gets 30 seconds: on a busy machine an actor's job waits long for a thread.
  public static var noLiveResources: NoLiveResources { .noLiveResources(patience: .seconds(30)) }

  /// The same with another time for what is still on its way when the test returns.
  public static func noLiveResources(patience: Duration) -> NoLiveResources { NoLiveResources(patience: patience) }
}
