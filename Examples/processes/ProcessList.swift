import Foundation

/// The processes of the system, by their numbers, as `/proc` tells of them.
nonisolated enum ProcessList {
  /// Reads all of them. Those that end meanwhile are left out.
  static func read() -> [Int32: ProcessRow] {
    let ticksPerSecond = max(1, sysconf(Int32(_SC_CLK_TCK)))
    let pageSize = sysconf(Int32(_SC_PAGESIZE))
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    var rows: [Int32: ProcessRow] = [:]
    for name in names where Int32(name) != nil {
      guard let data = FileManager.default.contents(atPath: "/proc/\(name)/stat"),
        let row = ProcessRow(
          stat: String(decoding: data, as: UTF8.self), ticksPerSecond: ticksPerSecond, pageSize: pageSize)
      else { continue }
      rows[row.pid] = row
    }
    return rows
  }
}
