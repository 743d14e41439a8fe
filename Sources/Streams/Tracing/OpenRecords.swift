#if Tracing
extension Trace {
  /// What an event says about a subscription.
  enum Subject {
    case begins(place: String, parent: UInt32)
    /// A wait begins.
    case waits(name: String)
    /// An operator or a source is part of its chain.
    case chain(String)
    case element(UInt32)
    case paused
    case resumed
    /// The number of elements that wait somewhere.
    case waiting(name: String, count: Int)
  }

  /// The subscriptions and waits that are open.
  struct OpenRecords {
    private struct Record {
      let place: String
      let parent: UInt32
      var isWait = false
      let since: UInt64
      var chain: [String] = []
      var elements = 0
      /// The line that says that it is paused, if it is.
      var pause: String?
      var size = 0
    }

    private var records: [UInt32: Record] = [:]
    /// How many elements wait in each place that has some, and the line that says so.
    private var waiting: [String: (count: Int, line: String)] = [:]
    /// The size of the lines that say what is open or waits, without those of pauses.
    private(set) var size = 0
    /// The size of the lines that name threads.
    private(set) var namesSize = 0

    func contains(_ id: UInt32) -> Bool { records[id] != nil }

    /// The line that says that `id` is paused.
    func pause(of id: UInt32) -> String? { records[id]?.pause }

    /// True if nothing has changed for the elements that wait there.
    func isLastOfWaiting(_ line: some Collection<UInt8>) -> Bool {
      waiting.values.contains { $0.line.utf8.count == line.count && $0.line.utf8.elementsEqual(line) }
    }

    mutating func note(_ event: Line, at now: UInt64, as line: String) {
      let size = line.utf8.count
      if event.phase == "M" { namesSize += size }
      if event.phase == "e" {
        if let old = records.removeValue(forKey: event.id) { self.size -= old.size }
        return
      }
      switch event.subject {
      case .begins(let place, let parent):
        records[event.id] = Record(place: place, parent: parent, since: now, size: size)
        self.size += size
      case .waits(let name):
        records[event.id] = Record(place: name, parent: 0, isWait: true, since: now, size: size)
        self.size += size
      case .waiting(let name, let count):
        let old = waiting.removeValue(forKey: name)
        if count > 0 { waiting[name] = (count, line) }
        self.size += (count > 0 ? size : 0) - (old?.line.utf8.count ?? 0)
      case .chain(let name):
        guard records[event.id] != nil else { return }
        records[event.id]?.chain.append(name)
        records[event.id]?.size += size
        self.size += size
      case .element(let id): records[id]?.elements += 1
      case .paused: records[event.id]?.pause = line
      case .resumed: records[event.id]?.pause = nil
      case nil: break
      }
    }

    /// One paragraph for each place and chain, the oldest first, then what waits.
    func description(at now: UInt64) -> String {
      // Each operator with a subscription of its own leads to the observer's.
      var chains: [UInt32: [String]] = [:]
      for (id, record) in records.sorted(by: { $0.key < $1.key }) {
        var root = id
        while let parent = records[root]?.parent, parent != 0 { root = parent }
        chains[root, default: []] += record.chain
      }
      let roots = records.filter { $0.value.parent == 0 && !$0.value.isWait }
      var groups: [String: (first: UInt32, all: [Record], chains: Set<[String]>)] = [:]
      for (id, record) in roots.sorted(by: { $0.key < $1.key }) {
        // Each hot stream has a number, and those of equal chains differ in it.
        let chain = (chains[id] ?? []).map { $0.prefix { $0 != "#" } }.joined(separator: " ← ")
        let key = "\(record.place)\n\(chain)\n\(record.pause != nil)"
        groups[key, default: (id, [], [])].all.append(record)
        groups[key]?.chains.insert(chains[id] ?? [])
      }
      var lines: [String] = []
      for (first, all, different) in groups.values.sorted(by: { $0.first < $1.first }) {
        let count = all.count > 1 ? "\(all.count) × " : ""
        let ages = [all[all.count - 1], all[0]].map { (now - $0.since) / 1_000_000 }
        let age = ages[0] == ages[1] ? "\(ages[0])" : "\(ages[0]) to \(ages[1])"
        let state = all[0].pause != nil ? ", paused" : ""
        let elements = all.reduce(0) { $0 + $1.elements }
        lines.append(
          "- \(count)\(all[0].place): \(elements) \(elements == 1 ? "element" : "elements"), open for \(age) ms\(state)"
        )
        if let chain = chains[first], !chain.isEmpty {
          lines.append("  " + chain.joined(separator: " ← ") + (different.count > 1 ? ", and other hot streams" : ""))
        }
      }
      let title =
        switch roots.count {
        case 0: "No subscription is open."
        case 1: "1 subscription is open:"
        default: "\(roots.count) subscriptions are open:"
        }
      let waits = Dictionary(grouping: records.values.filter(\.isWait), by: \.place).mapValues(\.count)
      lines += waiting.sorted { $0.key < $1.key }.map {
        "- \($0.value.count) \($0.value.count == 1 ? "element waits" : "elements wait"): \($0.key)"
      }
      lines += waits.sorted { $0.key < $1.key }.map { "- \($0.value) × \($0.key)" }
      return ([title] + lines).joined(separator: "\n")
    }
  }
}
#endif
