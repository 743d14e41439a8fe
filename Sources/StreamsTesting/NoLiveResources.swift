internal import Streams
public import Testing

/// A trait that fails a test that leaves subscriptions, handles, or callbacks alive.
///
/// ```swift
/// @Suite(.noLiveResources) struct ClockTests {
///   @Test func ticks() {
///     #expect(Stream.just(1).record().elements == [1])
///   }
/// }
/// ```
///
/// The issue names the file and line of each observation whose chain is left, and the operators of the chain. If the chain retains
/// itself through an object of yours, it names the objects on that way:
///
/// ```
/// Left alive at the end of the test: 2 × subscription.
/// - observed at App/Screen.swift:11: 2 × subscription
///   Its chain: hot String → map → take.
///   It retains itself: subscription → Screen → DisposeBag → subscription.
/// ```
///
/// The objects are read from memory, on Linux: an `unowned` reference looks like one that retains.
///
/// Each test counts the resources that it creates with a separate tracker, so tests can run in parallel: those of its tasks, of
/// `onOwnThread`, and of the observers of its subscriptions, wherever they are called. Disposals that are posted to another domain get time to run. Release builds count nothing.
public struct NoLiveResources: TestTrait, SuiteTrait, TestScoping {
  /// The time that posted disposals get.
  private let patience: Duration

  fileprivate init(patience: Duration) { self.patience = patience }

  /// True, because each test of a suite has a tracker.
  public var isRecursive: Bool { true }

  /// Runs the test with its tracker.
  @concurrent
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.check(patience: patience, sourceLocation: test.sourceLocation, function)
  }

  /// Runs `body` with a tracker, then records an issue that names the live resources.
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
    Issue.record("\(LiveResourceReport(tracker).text)", sourceLocation: sourceLocation)
  }
}

extension Trait where Self == NoLiveResources {
  /// Fails a test that leaves subscriptions, handles, or callbacks alive. Posted disposals get 30 seconds, because an actor's job can wait
  /// for a thread on a busy machine.
  public static var noLiveResources: NoLiveResources { .noLiveResources(patience: .seconds(30)) }

  /// Fails a test that leaves subscriptions, handles, or callbacks alive. Posted disposals get the time `patience`.
  public static func noLiveResources(patience: Duration) -> NoLiveResources { NoLiveResources(patience: patience) }
}
