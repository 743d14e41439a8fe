/// Returns the fewest deletes and inserts that convert one list into another.
///
/// Myers' algorithm in linear space: it finds the middle of a shortest path from both ends, and continues with both halves. A common
/// beginning and end are skipped first.
///
/// - Complexity: O((n + m)·d) time for d differences, and O(n + m) memory.
func listDifference<Element: Equatable>(from old: [Element], to new: [Element]) -> CollectionChanges<Int> {
  old.withUnsafeBufferPointer { old in
    new.withUnsafeBufferPointer { new in
      var difference = ListDifference(old, new)
      difference.compare(0, old.count, 0, new.count)
      return difference.changes
    }
  }
}

extension Array {
  /// Replaces the elements that `changes` leave unchanged by the equal ones of `old`.
  mutating func keepUnchanged(of old: [Element], _ changes: CollectionChanges<Int>) {
    var (deletes, inserts) = (changes.deletes[...], changes.inserts[...])
    var (from, to) = (0, 0)
    while to < count {
      if deletes.first == from {
        deletes.removeFirst()
        from += 1
      } else if inserts.first == to {
        inserts.removeFirst()
        to += 1
      } else {
        self[to] = old[from]
        from += 1
        to += 1
      }
    }
  }
}

private struct ListDifference<Element: Equatable> {
  private let old: UnsafeBufferPointer<Element>
  private let new: UnsafeBufferPointer<Element>
  private(set) var changes = CollectionChanges<Int>()
  /// The farthest points of the paths on each diagonal, from the front and from the back.
  private var front: [Int]
  private var back: [Int]

  init(_ old: UnsafeBufferPointer<Element>, _ new: UnsafeBufferPointer<Element>) {
    self.old = old
    self.new = new
    front = []
    back = []
  }

  /// Compares `old[oldStart..<oldEnd]` with `new[newStart..<newEnd]`.
  mutating func compare(_ oldStart: Int, _ oldEnd: Int, _ newStart: Int, _ newEnd: Int) {
    // The second half is a further iteration, and the first a recursion with a depth of log d.
    var (oldStart, oldEnd, newStart, newEnd) = (oldStart, oldEnd, newStart, newEnd)
    while true {
      while oldStart < oldEnd, newStart < newEnd, old[oldStart] == new[newStart] {
        oldStart += 1
        newStart += 1
      }
      while oldStart < oldEnd, newStart < newEnd, old[oldEnd - 1] == new[newEnd - 1] {
        oldEnd -= 1
        newEnd -= 1
      }
      if oldStart == oldEnd {
        changes.inserts.append(contentsOf: newStart..<newEnd)
        return
      }
      if newStart == newEnd {
        changes.deletes.append(contentsOf: oldStart..<oldEnd)
        return
      }
      let (oldMiddle, newMiddle) = middle(oldStart, oldEnd, newStart, newEnd)
      compare(oldStart, oldMiddle, newStart, newMiddle)
      (oldStart, newStart) = (oldMiddle, newMiddle)
    }
  }

  /// Returns a point near the middle of a shortest path. Neither list is empty, and they differ in their first and last elements.
  private mutating func middle(
    _ oldStart: Int, _ oldEnd: Int, _ newStart: Int, _ newEnd: Int
  ) -> (Int, Int) {
    let (n, m) = (oldEnd - oldStart, newEnd - newStart)
    let limit = (n + m + 1) / 2
    let delta = n - m
    let width = 2 * limit + 2
    let origin = limit + 1
    if front.count < width + 1 {
      front = Array(repeating: 0, count: width + 1)
      back = front
    }
    front[origin + 1] = 0
    back[origin + 1] = 0
    for d in 0...limit {
      for k in stride(from: -d, through: d, by: 2) {
        var x =
          k == -d || (k != d && front[origin + k - 1] < front[origin + k + 1])
          ? front[origin + k + 1] : front[origin + k - 1] + 1
        var y = x - k
        if x > n || y > m || y < 0 {
          // The path is outside the grid and leads nowhere.
          front[origin + k] = min(x, n + 1)
          continue
        }
        while x < n, y < m, old[oldStart + x] == new[newStart + y] {
          x += 1
          y += 1
        }
        front[origin + k] = x
        let reverse = delta - k
        if delta % 2 != 0, abs(reverse) <= d - 1, x + back[origin + reverse] >= n {
          return (oldStart + x, newStart + y)
        }
      }
      for k in stride(from: -d, through: d, by: 2) {
        var x =
          k == -d || (k != d && back[origin + k - 1] < back[origin + k + 1])
          ? back[origin + k + 1] : back[origin + k - 1] + 1
        var y = x - k
        if x > n || y > m || y < 0 {
          back[origin + k] = min(x, n + 1)
          continue
        }
        while x < n, y < m, old[oldEnd - 1 - x] == new[newEnd - 1 - y] {
          x += 1
          y += 1
        }
        back[origin + k] = x
        let reverse = delta - k
        if delta % 2 == 0, abs(reverse) <= d, x + front[origin + reverse] >= n {
          return (oldEnd - x, newEnd - y)
        }
      }
    }
    fatalError("Two lists have a shortest path between them.")
  }
}
