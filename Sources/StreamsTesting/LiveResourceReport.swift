internal import Streams

/// What a test has left alive: where it was observed, and what it retains that retains it.
struct LiveResourceReport {
  /// The resources of one place.
  private struct Group {
    let place: String?
    var kinds: [String: Int] = [:]
    var cycle: [String]?
    var searches = 0
  }

  private static let mostPlaces = 20
  /// The searches for a cycle at each place, because each reads the memory of what the resource can reach.
  private static let mostSearches = 4

  private let counts: [String: Int]
  private var groups: [Group] = []

  init(_ tracker: LiveResources) {
    let resources = tracker.resources
    counts = resources.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
    for resource in resources { add(resource) }
  }

  /// The message of the issue.
  var text: String {
    var text = "Left alive at the end of the test: \(Self.list(counts))."
    for group in groups {
      text += "\n- \(group.place.map { "observed at \($0)" } ?? "elsewhere"): \(Self.list(group.kinds))"
      if let cycle = group.cycle { text += "\n  It retains itself: \(cycle.joined(separator: " → "))." }
    }
    let isCyclic = groups.contains { $0.cycle != nil }
    return text
      + (isCyclic
        ? "\nCapture weakly in the closure what has the bag or the subscription, or dispose the subscription."
        : "\nDispose them, or put them in a bag that is released before the end of the test.")
  }

  private static func list(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
  }

  private mutating func add(_ resource: LiveResources.Resource) {
    let index = group(at: resource.place)
    groups[index].kinds[resource.kind, default: 0] += 1
    if groups[index].searches == Self.mostSearches || groups[index].cycle != nil { return }
    groups[index].searches += 1
    groups[index].cycle = resource.object.flatMap { HeapPath.cycle(of: $0) }
  }

  /// The index of the group of a place. Places beyond the first ones are one group.
  private mutating func group(at place: String?) -> Int {
    if let known = groups.firstIndex(where: { $0.place == place }) { return known }
    if place != nil, groups.count >= Self.mostPlaces { return group(at: nil) }
    groups.append(Group(place: place))
    return groups.count - 1
  }
}
