/// The text of a look at an activity.
struct Table {
  enum Order: CaseIterable {
    case rate, total, time, wait, pauses

    var name: String {
      switch self {
      case .rate: "elements per second"
      case .total: "elements"
      case .time: "time for an element"
      case .wait: "wait for the domain"
      case .pauses: "pauses"
      }
    }

    var next: Order { Order.allCases[(Order.allCases.firstIndex(of: self)! + 1) % Order.allCases.count] }
  }

  let lines: [String]

  /// - Parameter seconds: The time since the last look.
  init(_ activity: Activity, over seconds: Double, by order: Order, columns: Int = .max) {
    var lines: [String] = []
    let open = activity.places.values.reduce(0) { $0 + $1.open }
    let dropped = activity.dropped == 0 ? "" : ", \(activity.dropped) events dropped"
    lines.append(
      "\(activity.program): \(open) \(open == 1 ? "subscription is" : "subscriptions are") open\(activity.hasEnded ? ", the program has ended" : "")\(dropped)"
    )
    lines.append("")
    func rate(_ place: Activity.Place) -> Double { Double(place.elements - place.elementsBefore) / seconds }
    let places = activity.places.sorted { left, right in
      let (a, b) = (left.value, right.value)
      let pair: (Double, Double) =
        switch order {
        case .rate: (rate(a), rate(b))
        case .total: (Double(a.elements), Double(b.elements))
        case .time: (a.mean, b.mean)
        case .wait: (a.meanWait, b.meanWait)
        case .pauses: (Double(a.paused), Double(b.paused))
        }
      return pair.0 == pair.1 ? left.key < right.key : pair.0 > pair.1
    }
    // In a narrow terminal, the columns that say least make room for the place.
    var table: [(title: String, width: Int, rank: Int, value: (Activity.Place) -> String)] = [
      ("PER S", 10, 6, { "\(Int(rate($0).rounded()))" }), ("ELEMENTS", 10, 1, { "\($0.elements)" }),
      ("OPEN", 6, 5, { "\($0.open)" }), ("PAUSED", 7, 4, { "\($0.paused)" }),
      ("WAITED", 9, 2, { Self.duration($0.meanWait) }), ("MEAN", 9, 3, { Self.duration($0.mean) }),
      ("LONGEST", 9, 0, { Self.duration($0.longest) }),
    ]
    var room: Int { columns - table.reduce(1) { $0 + $1.width + 1 } }
    while room < 24, table.count > 1 { table.remove(at: table.indices.min { table[$0].rank < table[$1].rank }!) }
    lines.append(table.map { Self.right($0.title, $0.width) }.joined(separator: " ") + "  OBSERVED AT")
    for (name, place) in places {
      // The end of a place says more than its beginning.
      let end = name.count > room ? "…" + name.suffix(max(room - 1, 0)) : name
      lines.append(table.map { Self.right($0.value(place), $0.width) }.joined(separator: " ") + "  " + end)
    }
    let waiting = activity.waiting.filter { $0.value > 0 }.sorted { $0.value > $1.value }
    if !waiting.isEmpty {
      lines += ["", "   WAITING  IN"]
      lines += waiting.map { Self.right("\($0.value)", 10) + "  \($0.key)" }
    }
    let loops = activity.threads.values.filter { $0.busy > 0 }.sorted { $0.busy > $1.busy }
    if !loops.isEmpty {
      lines += ["", "      BUSY  LOOP OF"]
      lines += loops.map {
        Self.right("\(min(100, Int(($0.busy / seconds / 10_000).rounded()))) %", 10) + "  \($0.name)"
      }
    }
    self.lines = lines.map { String($0.prefix(columns)) }
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// Microseconds as a text of at most 9 characters.
  private static func duration(_ microseconds: Double) -> String {
    if microseconds >= 1_000_000 { return "\(Double(Int(microseconds / 10_000)) / 100) s" }
    if microseconds >= 1000 { return "\(Double(Int(microseconds / 10)) / 100) ms" }
    return "\(Int(microseconds.rounded())) µs"
  }
}
