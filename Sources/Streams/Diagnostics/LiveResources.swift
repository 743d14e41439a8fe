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

  /// A live resource: its kind, its object if that was given, and the file and line of the observation that needs it.
  package struct Resource: Sendable {
    package let kind: String
    package let object: ObjectIdentifier?
    package fileprivate(set) var place: String?
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

    fileprivate init(_ kind: String, _ object: AnyObject?, _ place: String?, _ tracker: LiveResources) {
      self.tracker = tracker
      let resource = Resource(kind: kind, object: object.map(ObjectIdentifier.init), place: place)
      number = tracker.state.withLock { state in
        state.count += 1
        state.resources[state.count] = resource
        return state.count
      }
    }

    /// The file and line of the observation that needs the resource.
    package var place: String? {
      get { tracker.state.withLock { $0.resources[number]?.place } }
      set { tracker.state.withLock { $0.resources[number]?.place = newValue } }
    }

    deinit { _ = tracker.state.withLock { $0.resources.removeValue(forKey: number) } }
  }

  /// Counts a resource with the current tracker, if there is one.
  public static func register(_ kind: String) -> Token? { current.map { Token(kind, nil, nil, $0) } }

  /// Counts an object that an observation at `place` needs with the current tracker, if there is one.
  package static func register(_ kind: String, _ object: AnyObject, at place: String?) -> Token? {
    current.map { Token(kind, object, place, $0) }
  }
}
