internal import Streams

/// What a test has left alive: where it was observed, and what it retains that retains it.
struct LiveResourceReport {
  /// The resources of one place.
  private struct Group {
    let place: String?
    var kinds: [String: Int] = [:]
    var chains: [String] = []
    var cycle: [String]?
    var searches = 0
  }

  private static let mostPlaces = 20
  /// The searches for a cycle at each place, because each reads the memory of what the resource can reach.
  private static let mostSearches = 4

  /// The chains that are listed of one place.
  private static let mostChains = 3
  /// The subscriptions from an observer up that are listed.
  private static let mostSubscriptions = 20
  /// The upstreams of an operator that are listed.
  private static let mostBranches = 3

  private let counts: [String: Int]
  /// The subscriptions by the number of their downstream subscription.
  private let upstreams: [UInt64: [LiveResources.Resource]]
  private let numbers: Set<UInt64>
  private var groups: [Group] = []

  init(_ tracker: LiveResources) {
    let resources = tracker.resources
    counts = resources.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
    numbers = Set(resources.map(\.number))
    upstreams = Dictionary(grouping: resources.filter { $0.downstream != nil }) { $0.downstream ?? 0 }
    for resource in resources { add(resource) }
  }

  /// The message of the issue.
  var text: String {
    var text = "Left alive at the end of the test: \(Self.list(counts))."
    for group in groups {
      text += "\n- \(group.place.map { "observed at \($0)" } ?? "elsewhere"): \(Self.list(group.kinds))"
      for chain in group.chains { text += "\n  Its chain: \(chain)." }
      if let cycle = group.cycle { text += "\n  It retains itself: \(cycle.joined(separator: " → "))." }
    }
    if !HeapPath.isReadable {
      text += "\nCycles are not looked for: the kernel does not let the process read its memory (process_vm_readv)."
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
    if groups[index].chains.count < Self.mostChains, !isUpstream(resource), let chain = chain(to: resource),
      !groups[index].chains.contains(chain)
    {
      groups[index].chains.append(chain)
    }
    if groups[index].searches == Self.mostSearches || groups[index].cycle != nil { return }
    groups[index].searches += 1
    groups[index].cycle = resource.object.flatMap { HeapPath.cycle(of: $0) }
  }

  /// The operators on the way from the sources to a subscription, as in the code.
  private func chain(to resource: LiveResources.Resource, depth: Int = 1) -> String? {
    if depth > Self.mostSubscriptions { return "…" }
    let above = upstreams[resource.number, default: []]
    var branches = Array(above.lazy.compactMap { chain(to: $0, depth: depth + 1) }.prefix(Self.mostBranches + 1))
    if branches.count > Self.mostBranches { branches[Self.mostBranches] = "…" }
    let operators = resource.links.reversed().map { $0.hasSuffix(")") ? String($0.prefix { $0 != "(" }) : $0 }
    let sources = branches.joined(separator: " | ")
    let path = (branches.isEmpty ? [] : [branches.count > 1 ? "(\(sources))" : sources]) + operators
    return path.isEmpty ? nil : path.joined(separator: " → ")
  }

  /// True if the chain of another subscription contains it.
  private func isUpstream(_ resource: LiveResources.Resource) -> Bool {
    resource.downstream.map(numbers.contains) ?? false
  }

  /// The index of the group of a place. Places beyond the first ones are one group.
  private mutating func group(at place: String?) -> Int {
    if let known = groups.firstIndex(where: { $0.place == place }) { return known }
    if place != nil, groups.count >= Self.mostPlaces { return group(at: nil) }
    groups.append(Group(place: place))
    return groups.count - 1
  }
}
