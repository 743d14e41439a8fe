/// An error in the command line, with a message for the user.
nonisolated struct UsageError: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Returns the error for an unknown option. The message suggests the most similar name, if one is similar enough.
  static func unknown(_ name: String, among names: [String]) -> UsageError {
    let nearest = names.map { (name: $0, distance: distance(name, $0)) }.min { $0.distance < $1.distance }
    // At most half of the letters may be wrong.
    if let nearest, nearest.distance * 2 <= max(2, name.utf8.count - 2) {
      return UsageError("There is no option '\(name)'. Did you mean '\(nearest.name)'?")
    }
    return UsageError("There is no option '\(name)'.")
  }

  /// Returns the edit distance: the number of bytes to replace, insert, delete, or swap with the next one.
  private static func distance(_ one: String, _ other: String) -> Int {
    let one = Array(one.utf8)
    let other = Array(other.utf8)
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for row in 0..<one.count {
      var current = [row + 1]
      for column in 0..<other.count {
        let cost = one[row] == other[column] ? 0 : 1
        var least = min(last[column] + cost, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      beforeLast = last
      last = current
    }
    return last[other.count]
  }
}
