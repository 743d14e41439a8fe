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
    var index = groups.firstIndex { $0.place == resource.place } ?? groups.count
    if index == groups.count, index == 20 { index = 19 }
    if index == groups.count { groups.append(Group(place: index == 19 ? nil : resource.place)) }
    groups[index].kinds[resource.kind, default: 0] += 1
    // Each search reads the memory of what the resource can reach.
    if groups[index].searches == 4 || groups[index].cycle != nil { return }
    groups[index].searches += 1
    groups[index].cycle = resource.object.flatMap { HeapPath.cycle(of: $0) }
  }
}
