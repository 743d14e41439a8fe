/// A recorder that merges changes of a list into one. It stores the list as runs of kept, updated, and new elements.
///
/// - Complexity: O(r) for each change with r runs so far, for a list of any length.
struct ListRecorder: BatchRecorder {
  private enum Kind: Equatable {
    case kept
    case updated
    case new
  }

  private struct Run {
    var kind: Kind
    /// The index of the first element in the old list, for kept and updated elements.
    var oldStart: Int
    var count: Int
  }

  private var runs: [Run]
  private let oldCount: Int
  /// The run of the last change and its start, because changes are often close to each other.
  private var cursor = 0
  private var cursorStart = 0

  init(count: Int) {
    oldCount = count
    runs = count == 0 ? [] : [Run(kind: .kept, oldStart: 0, count: count)]
  }

  mutating func record(_ changes: CollectionChanges<Int>) {
    for position in changes.deletes.reversed() { remove(at: position) }
    for position in changes.inserts { insert(at: position) }
    for position in changes.updates { update(at: position) }
  }

  /// Returns the run that has `position`. The end of the list is in the run after the last.
  private mutating func seek(_ position: Int) -> (run: Int, offset: Int) {
    while position < cursorStart {
      cursor -= 1
      cursorStart -= runs[cursor].count
    }
    while cursor < runs.count, position >= cursorStart + runs[cursor].count {
      cursorStart += runs[cursor].count
      cursor += 1
    }
    return (cursor, position - cursorStart)
  }

  /// Splits a run so that one begins at `position`, and returns its index.
  private mutating func split(at position: Int) -> Int {
    let (run, offset) = seek(position)
    if offset == 0 { return run }
    var rest = runs[run]
    runs[run].count = offset
    rest.oldStart += offset
    rest.count -= offset
    runs.insert(rest, at: run + 1)
    cursor = run + 1
    cursorStart = position
    return run + 1
  }

  mutating func insert(at position: Int) {
    let (run, offset) = seek(position)
    if run < runs.count, runs[run].kind == .new {
      runs[run].count += 1
      return
    }
    if offset == 0, run > 0, runs[run - 1].kind == .new {
      runs[run - 1].count += 1
      cursorStart += 1
      return
    }
    let index = split(at: position)
    runs.insert(Run(kind: .new, oldStart: 0, count: 1), at: index)
  }

  mutating func remove(at position: Int) {
    let (run, offset) = seek(position)
    if offset == 0 {
      runs[run].count -= 1
      runs[run].oldStart += 1
    } else if offset == runs[run].count - 1 || runs[run].kind == .new {
      runs[run].count -= 1
    } else {
      let index = split(at: position)
      runs[index].count -= 1
      runs[index].oldStart += 1
    }
    if runs[run].count == 0 { runs.remove(at: run) }
  }

  mutating func update(at position: Int) {
    let (run, _) = seek(position)
    if runs[run].kind != .kept { return }
    let index = split(at: position)
    if runs[index].count > 1 { _ = split(at: position + 1) }
    runs[index].kind = .updated
  }

  func finish() -> CollectionChanges<Int> {
    var changes = CollectionChanges<Int>()
    var (old, new) = (0, 0)
    for run in runs {
      switch run.kind {
      case .new: changes.inserts.append(contentsOf: new..<new + run.count)
      case .kept, .updated:
        changes.deletes.append(contentsOf: old..<run.oldStart)
        if run.kind == .updated { changes.updates.append(contentsOf: new..<new + run.count) }
        old = run.oldStart + run.count
      }
      new += run.count
    }
    changes.deletes.append(contentsOf: old..<oldCount)
    return changes
  }
}
