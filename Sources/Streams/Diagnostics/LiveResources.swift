/// A counter of live resources for tests: subscriptions, handles, and callbacks.
///
/// ```swift
/// let tracker = LiveResources()
/// let subscription = LiveResources.$current.withValue(tracker) { Stream.interval(.seconds(1)).observeNext { print($0) } }
/// print(tracker.alive)  // ["subscription": 1]
/// subscription.dispose()
/// ```
///
/// Debug builds register each resource with the tracker of the task that creates it, or of the subscription whose observer does. Without a
/// tracker, and in release builds, nothing is counted, at no cost. `StreamsTesting` has a trait that gives a test a tracker, and fails the test if a resource
/// is left.
public final class LiveResources: Sendable {
  /// The tracker of the current task, if any.
  @TaskLocal public static var current: LiveResources?

  /// A live resource.
  package struct Resource: Sendable {
    package let number: UInt64
    package let kind: String
    /// Its object, if that was given.
    package let object: ObjectIdentifier?
    /// The number of the downstream subscription of a subscription.
    package let downstream: UInt64?
    /// The file and line of the observation that needs it.
    package fileprivate(set) var place: String?
    /// The operators and the source that a subscription observes without another subscription, the last operator first.
    package fileprivate(set) var links: [String] = []
  }

  private struct State {
    var resources: [UInt64: Resource] = [:]
    var count: UInt64 = 0
  }

  private let state = Lock(State())

  /// Creates a tracker without resources.
  public init() {}

  /// The number of live resources of each kind. Kinds without a live resource are absent.
  public var alive: [String: Int] {
    state.withLock { $0.resources.values.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 } }
  }

  /// The live resources in the order of their creation.
  package var resources: [Resource] {
    state.withLock { state in state.resources.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// A live resource, counted until the token is deallocated.
  public final class Token: Sendable {
    private let number: UInt64
    private let tracker: LiveResources

    fileprivate init(_ kind: String, _ object: AnyObject?, _ downstream: Token?, _ tracker: LiveResources) {
      self.tracker = tracker
      let object = object.map(ObjectIdentifier.init)
      // The downstream subscription may have another tracker.
      let place = downstream?.place
      let next = downstream?.tracker === tracker ? downstream?.number : nil
      number = tracker.state.withLock { state in
        state.count += 1
        state.resources[state.count] = Resource(
          number: state.count, kind: kind, object: object, downstream: next, place: place)
        return state.count
      }
    }

    private var place: String? { tracker.state.withLock { $0.resources[number]?.place } }

    /// Notes the file and line of the observation that needs the resource.
    package func isObserved(at place: String) { tracker.state.withLock { $0.resources[number]?.place = place } }

    /// Notes the next operator or source on the way up the chain. Those of a chain that starts again and again are noted once.
    package func isLinked(by name: String) {
      tracker.state.withLock { state in
        if let count = state.resources[number]?.links.count, count < 100 { state.resources[number]?.links.append(name) }
      }
    }

    /// Runs a callback of the resource, and counts what it makes with the same tracker.
    package func counting(_ callback: () -> Void) {
      if LiveResources.current === tracker { return callback() }
      LiveResources.$current.withValue(tracker, operation: callback)
    }

    deinit { _ = tracker.state.withLock { $0.resources.removeValue(forKey: number) } }
  }

  /// Counts a resource with the current tracker, if there is one.
  public static func register(_ kind: String) -> Token? { current.map { Token(kind, nil, nil, $0) } }

  /// Counts an object of the chain that `downstream` belongs to with the current tracker, if there is one.
  package static func register(_ kind: String, _ object: AnyObject, below downstream: Token?) -> Token? {
    current.map { Token(kind, object, downstream, $0) }
  }
}
