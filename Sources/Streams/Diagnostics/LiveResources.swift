/// Counts what is alive, for tests: subscriptions, handles, callback boxes.
///
/// ```swift
/// let tracker = LiveResources()
/// let subscription = LiveResources.$current.withValue(tracker) { Stream.interval(.seconds(1)).observeNext { print($0) } }
/// print(tracker.alive)  // ["subscription": 1]
/// subscription.dispose()
/// ```
///
/// Debug builds register each resource with the tracker of the task that makes it; without a tracker, and in release
/// builds, nothing is counted and nothing is paid. `StreamsTesting` has a trait that gives a test a tracker and fails it
/// when something is left.
public final class LiveResources: Sendable {
  /// The tracker of the current task, if any.
  @TaskLocal public static var current: LiveResources?

  private let counts = Lock<[String: Int]>([:])

  /// Makes a tracker that counts nothing yet.
  public init() {}

  /// The live resources by kind; kinds of which none is alive are absent.
  public var alive: [String: Int] { counts.withLock { $0 } }

  /// One live resource. It is counted until the token is released.
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
