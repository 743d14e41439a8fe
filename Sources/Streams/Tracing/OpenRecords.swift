#if Tracing
extension Trace {
  /// What an event says about a subscription.
  enum Subject {
    /// It begins. Empty without a place, as for a wait.
    case begins(place: String, parent: UInt32)
    /// An operator or a source is part of its chain.
    case chain(String)
    case element(UInt32)
    case paused
    case resumed
  }

  /// The subscriptions and waits that are open.
  struct OpenRecords {
    private struct Record {
      var place: String
      var parent: UInt32
      let since: UInt64
      var chain: [String] = []
      var elements = 0
      /// The line that says that it is paused, if it is.
      var pause: String?
      var size = 0
    }

    private var records: [UInt32: Record] = [:]
    /// The size of the lines that say what is open, without those of pauses.
    private(set) var size = 0
    /// The size of the lines that name threads.
    private(set) var namesSize = 0

    func contains(_ id: UInt32) -> Bool { records[id] != nil }

    /// The line that says that `id` is paused.
    func pause(of id: UInt32) -> String? { records[id]?.pause }

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

    /// One line for each subscription that an observer made, the oldest first.
    func description(at now: UInt64) -> String {
      // Each operator with a subscription of its own leads to the observer's.
      var chains: [UInt32: [String]] = [:]
      for (id, record) in records.sorted(by: { $0.key < $1.key }) {
        var root = id
        while let parent = records[root]?.parent, parent != 0 { root = parent }
        chains[root, default: []] += record.chain
      }
      let roots = records.filter { $0.value.parent == 0 && !$0.value.place.isEmpty }.sorted { $0.key < $1.key }
      if roots.isEmpty { return "No subscription is open." }
      let lines = roots.map { id, record in
        let state = record.pause != nil ? ", paused" : ""
        let chain = (chains[id] ?? []).joined(separator: " ← ")
        return "- \(record.place): \(record.elements) elements, open for \((now - record.since) / 1_000_000) ms\(state)"
          + (chain.isEmpty ? "" : "\n  \(chain)")
      }
      return "\(roots.count) subscriptions are open:\n" + lines.joined(separator: "\n")
    }
  }
}
#endif
