import Headwater

/// The processes that are shown: a live collection, of which the filtered and sorted list is derived.
final class ProcessTable {
  /// By what the list is sorted.
  nonisolated enum Order: String, CaseIterable {
    case memory
    case time
    case pid

    /// Whether one process is shown above another one. No two are equal: that would leave their order open.
    func precedes(_ one: ProcessRow, _ other: ProcessRow) -> Bool {
      switch self {
      case .memory: (other.bytes, one.pid) < (one.bytes, other.pid)
      case .time: (other.seconds, one.pid) < (one.seconds, other.pid)
      case .pid: one.pid < other.pid
      }
    }
  }

  private let processes = CollectionProperty<[Int32: ProcessRow]>([:])
  /// The list as it changes.
  let rows: AnyCollectionProperty<[ProcessRow]>

  /// Makes an empty table of the processes whose names contain a text.
  init(containing text: String = "", by order: Order = .memory) {
    rows =
      processes
      .filter { _, row in text.isEmpty || row.name.contains(text) }
      .sorted { order.precedes($0.value, $1.value) }
      .map { $0.value }
  }

  /// Takes what the processes are now. Only what differs is told.
  func refresh(_ current: [Int32: ProcessRow]) { processes.replace(with: current, performDiff: true) }
}
