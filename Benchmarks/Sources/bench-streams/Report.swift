import Foundation

/// The results of a run, which are printed and written as JSON.
struct Report: Encodable {
  struct Side: Encodable {
    let library: String
    let locks: Bool
    let nanoseconds: Double
    let allocations: Double
  }

  struct Result: Encodable {
    let row: Int
    let workload: String
    /// The nanoseconds of a closure call during the workload. Goals in nanoseconds grow in proportion if it takes more
    /// than 1.5.
    let closureCall: Double
    let sides: [Side]
    /// The ratio of the time of the fastest other library to Headwater's time.
    let ratio: Double?
    /// The goals, scaled to this machine.
    let goalNanoseconds: Double?
    let goalRatio: Double?
    let goalAllocations: Double?
    let missed: [String]
  }

  /// A number, which may have a limit.
  struct Figure: Encodable {
    let name: String
    let value: Double
    var limit: Double?

    var isMissed: Bool { limit.map { value > $0 } ?? false }
  }

  var results: [Result] = []
  var figures: [Figure] = []

  /// Descriptions of the missed goals.
  var missed: [String] {
    results.flatMap { result in result.missed.map { "\(result.workload): \($0)" } }
      + figures.filter(\.isMissed).map(\.name)
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.nonConformingFloatEncodingStrategy = .throw
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }
}

extension Report.Result {
  init(_ workload: Workload) {
    let (unit, measurements) = measure(workload)
    let own = measurements[0]
    let ratio = measurements.dropFirst().map(\.nanoseconds).min().map { $0 / own.nanoseconds }
    let goal = workload.goal.nanoseconds.map { $0 * max(1, unit.nanoseconds / 1.5) }
    var missed: [String] = []
    if let goal, own.nanoseconds > goal { missed.append("\(tenths(own.nanoseconds)) ns instead of \(tenths(goal))") }
    if let least = workload.goal.ratio, let ratio, ratio < least {
      missed.append("\(tenths(ratio)) times as fast as the best of the others instead of \(tenths(least))")
    }
    // Allows 16 allocations for the subscription.
    if let most = workload.goal.allocations, own.blocks > Int(most) * own.count + 16 {
      missed.append("\(own.blocks) allocations for \(own.count) elements")
    }
    row = workload.row
    self.workload = workload.name
    closureCall = unit.nanoseconds
    sides = zip(workload.sides, measurements).map { side, measurement in
      Report.Side(
        library: side.library.rawValue, locks: side.library.locks, nanoseconds: measurement.nanoseconds,
        allocations: measurement.allocations)
    }
    self.ratio = ratio
    goalNanoseconds = goal
    goalRatio = workload.goal.ratio
    goalAllocations = workload.goal.allocations
    self.missed = missed
  }

  /// One line of the table: a cell for each library, then the ratio and the goals.
  var line: String {
    let cells = Library.allCases.map { library in
      let side = sides.first { $0.library == library.rawValue }
      return padded(side.map { "\(tenths($0.nanoseconds)) (\(tenths($0.allocations)))" } ?? "–", 18)
    }
    var goals: [String] = []
    if let goalNanoseconds { goals.append("≤ \(tenths(goalNanoseconds)) ns") }
    if let goalRatio { goals.append("≥ \(Int(goalRatio))×") }
    if let goalAllocations { goals.append("\(Int(goalAllocations)) allocations") }
    return padded("\(row)", 3) + padded(workload, 31) + padded(tenths(closureCall), 9) + cells.joined()
      + padded(ratio.map(tenths) ?? "–", 8)
      + padded(goals.joined(separator: ", "), 34) + (missed.isEmpty ? "" : "MISSED")
  }

  static var header: String {
    let names = Library.allCases.map { padded($0.rawValue, 18) }.joined()
    let locks = Library.allCases.map { padded($0.locks ? "locks" : "no lock", 18) }.joined()
    return padded("", 34) + padded("closure", 9) + names + padded("ratio", 8) + "goals\n" + padded("", 43) + locks
  }
}

func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(1, width - text.count))
}

func tenths(_ number: Double) -> String {
  let scaled = Int(number * 10 + 0.5)
  return "\(scaled / 10).\(scaled % 10)"
}
