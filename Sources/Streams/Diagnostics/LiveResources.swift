/// A counter of live resources for tests: subscriptions, handles, and callbacks.
///
/// ```swift
/// let tracker = LiveResources()
/// let subscription = LiveResources.$current.withValue(tracker) { Stream.interval(.seconds(1)).observeNext { print($0) } }
/// print(tracker.alive)  // ["subscription": 1]
/// subscription.dispose()
/// ```
///
/// Debug builds register each resource with the tracker of the task that creates it. Without a tracker, and in release builds,
/// nothing is counted, at no cost. `StreamsTesting` has a trait that gives a test a tracker, and fails the test if a resource
/// is left.
public final class LiveResources: Sendable {
  /// The tracker of the current task, if any.
  @TaskLocal public static var current: LiveResources?

  private let counts = Lock<[String: Int]>([:])

  /// Creates a tracker without resources.
  public init() {}

  /// The number of live resources of each kind. Kinds without a live resource are absent.
  public var alive: [String: Int] { counts.withLock { $0 } }

  /// A live resource, counted until the token is deallocated.
  public final class Token: Sendable {
    private let kind: String
    private let tracker: LiveResources

    fileprivate init(_ kind: String, _ tracker: LiveResources) {
      self.kind = kind
      self.tracker = tracker
      tracker.change(kind, by: 1)
    }

    deinit { tracker.change(kind, by: -1) }
  }

  /// Counts a resource with the current tracker, if there is one.
  public static func register(_ kind: String) -> Token? {
    guard let current else { return nil }
    return Token(kind, current)
  }

  private func change(_ kind: String, by difference: Int) {
    counts.withLock { counts in
      let count = counts[kind, default: 0] + difference
      counts[kind] = count == 0 ? nil : count
    }
  }
}
