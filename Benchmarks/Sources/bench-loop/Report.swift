import Foundation

/// An implementation of a workload, which runs in a new process each time.
struct Side {
  let name: String
  /// The name of the workload in the program.
  let workload: String
  let isC: Bool

  static func headwater(_ workload: String, _ name: String = "Headwater") -> Side {
    Side(name: name, workload: workload, isC: false)
  }

  static func nio(_ workload: String) -> Side { Side(name: "SwiftNIO", workload: workload, isC: false) }

  static func c(_ workload: String, _ name: String = "C") -> Side { Side(name: name, workload: workload, isC: true) }
}

/// A comparison, and the goals for Headwater's figures.
struct Row {
  enum Goal {
    /// At most this value. Nanoseconds grow in proportion if a closure call takes more than 1.5.
    case atMost(Double)
    /// At most this multiple of the figure of the side with this index.
    case ofSide(Int, Double)
  }

  let name: String
  let unit: String
  let sides: [Side]
  /// The goals for the sides of Headwater, by index.
  let goals: [Int: [Goal]]
  var count = 0
  var runs = 5
  /// Whether it runs on one processor.
  var isPinned = false
  /// Whether callgrind counts the user instructions of a round trip.
  var isCounted = false
}

struct Report {
  let program: String
  var only: String?
  var missed: [String] = []
  private var scale = 1.0

  init(program: String) { self.program = program }

  mutating func run() {
    let unit = closureCall()
    scale = max(1, unit / 1.5)
    print("closure call: \(tenths(unit)) ns; goals in ns are multiplied by \(tenths(scale))")
    for row in Self.rows where only.map({ row.name.contains($0) }) ?? true { measure(row) }
    if missed.isEmpty {
      print("\nAll goals are met.")
    } else {
      print("\nMissed:")
      for line in missed { print("  " + line) }
    }
  }

  private mutating func measure(_ row: Row) {
    print("\n\(row.name) [\(row.unit)]")
    var figures = Array(repeating: [Double](), count: row.sides.count)
    for _ in 0..<(row.isCounted ? 1 : row.runs) {
      for (index, side) in row.sides.enumerated() {
        figures[index].append(row.isCounted ? instructions(side) : once(side, row))
      }
    }
    let medians = figures.map { $0.sorted()[$0.count / 2] }
    let best = figures.map { $0.min() ?? .nan }
    for (index, side) in row.sides.enumerated() {
      var line = "  " + padded(side.name, 34) + padded(tenths(medians[index]), 12)
      if row.runs > 1, !row.isCounted { line += padded("best " + tenths(best[index]), 16) }
      for goal in row.goals[index] ?? [] {
        let (limit, figure, text): (Double, Double, String)
        switch goal {
        case .atMost(let value):
          let isTime = row.unit.hasPrefix("ns") || row.unit.hasPrefix("CPU ns")
          limit = isTime ? value * scale : value
          // The best run, because the time that a busy machine adds is not the program's.
          figure = best[index]
          text = "goal \(tenths(limit))"
        case .ofSide(let other, let factor):
          limit = medians[other] * factor
          figure = medians[index]
          text = "\(hundredths(figure / medians[other])) of \(row.sides[other].name), goal \(hundredths(factor))"
        }
        line += "  " + text
        if !(figure <= limit) {
          line += "  MISSED"
          missed.append("\(row.name), \(side.name): \(tenths(figure)), \(text)")
        }
      }
      print(line)
    }
  }

  private func once(_ side: Side, _ row: Row) -> Double {
    var command = side.isC ? [program] : [CommandLine.arguments[0], "run"]
    command.append(side.workload)
    if row.count > 0 { command.append("\(row.count)") }
    if row.isPinned { command = ["taskset", "-c", "1"] + command }
    return Double(output(of: command).trimmingCharacters(in: .whitespacesAndNewlines)) ?? .nan
  }

  /// Returns the difference between two runs, which removes the instructions of the start.
  private func instructions(_ side: Side) -> Double {
    let counts = (2_000, 6_000)
    let (few, many) = (collected(side, counts.0), collected(side, counts.1))
    return (many - few) / Double(counts.1 - counts.0)
  }

  private func collected(_ side: Side, _ count: Int) -> Double {
    let file = NSTemporaryDirectory() + "/bench-loop-\(getpid()).callgrind"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let command = side.isC ? [program] : [CommandLine.arguments[0], "run"]
    _ = output(
      of: ["valgrind", "--tool=callgrind", "--callgrind-out-file=\(file)"] + command + [side.workload, "\(count)"])
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("summary:") || $0.hasPrefix("totals:") }
    return line.flatMap { Double($0.split(separator: " ")[1]) } ?? .nan
  }

  private func output(of command: [String]) -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return "" }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : ""
  }
}

/// Returns the nanoseconds of a closure call on this machine, by which the goals are scaled.
func closureCall() -> Double {
  final class Total {
    var value = 0
  }
  let total = Total()
  let add: (Int) -> Void = opaque { total.value &+= $0 }
  var best = Double.infinity
  for _ in 0..<7 {
    let taken = ContinuousClock().measure { for number in 0..<5_000_000 { add(number) } }
    best = min(best, taken / .nanoseconds(1) / 5_000_000)
  }
  return best
}

@inline(never) func opaque<Value>(_ value: Value) -> Value { value }

func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(1, width - text.count)) }

func tenths(_ number: Double) -> String { String(format: "%.1f", number) }

func hundredths(_ number: Double) -> String { String(format: "%.2f", number) }
