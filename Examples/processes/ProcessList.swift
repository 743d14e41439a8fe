import Foundation

/// The processes of the system by their IDs, read from `/proc`.
nonisolated enum ProcessList {
  /// Reads all processes. Omits those that end meanwhile.
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
