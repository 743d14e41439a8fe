/// A line of text that describes events and their times: `--a-(bc)-|`.
///
/// | text | meaning |
/// |---|---|
/// | `-` | one frame passes |
/// | a letter or digit | an element, which takes one frame |
/// | `\|` | completed |
/// | `#` | failed |
/// | `(…)` | the events inside come in one frame, that of the opening parenthesis |
/// | `^` | time zero; in a line of subscriptions, the time of observing |
/// | `!` | in a line of subscriptions, the time of disposal |
/// | ` 5s `, ` 10ms `, ` 2m ` | that much time passes; between spaces |
/// | space | nothing, for alignment |
///
/// Each character takes a frame, also those of a group and its parentheses, so that characters below each other have the same time. This is
/// the rule of RxJS.
struct MarbleDiagram {
  enum Mark: Equatable {
    case element(Character)
    case completed
    case failed
    case observed
    case disposed
  }

  struct Entry: Equatable {
    let time: Duration
    let mark: Mark
  }

  /// The error of a line that cannot be read.
  struct Malformed: Error, Equatable, CustomStringConvertible {
    let line: String
    let problem: String

    var description: String { "The marbles \"\(line)\" cannot be read: \(problem)." }
  }

  /// The events in the order of their times.
  let entries: [Entry]

  /// Reads a line. `^` is time zero unless `keepsZero`.
  init(_ line: String, frame: Duration, keepsZero: Bool = false) throws(Malformed) {
    func malformed(_ problem: String) -> Malformed { Malformed(line: line, problem: problem) }
    var entries: [Entry] = []
    var time = Duration.zero
    var zero = Duration.zero
    var groupStart: Duration?
    var rest = Substring(line)
    while let character = rest.first {
      if character.isNumber, groupStart == nil, let (duration, length) = Self.duration(at: rest, of: line) {
        time += duration
        rest = rest.dropFirst(length)
        continue
      }
      rest = rest.dropFirst()
      if character.isWhitespace { continue }
      let now = groupStart ?? time
      switch character {
      case "-":
        if groupStart != nil { throw malformed("time does not pass inside of parentheses") }
      case "(":
        if groupStart != nil { throw malformed("parentheses do not nest") }
        groupStart = time
      case ")":
        if groupStart == nil { throw malformed("a parenthesis closes that has not been opened") }
        groupStart = nil
      case "|": entries.append(Entry(time: now, mark: .completed))
      case "#": entries.append(Entry(time: now, mark: .failed))
      case "!": entries.append(Entry(time: now, mark: .disposed))
      case "^":
        if !keepsZero { zero = now }
        entries.append(Entry(time: now, mark: .observed))
      default:
        if !character.isLetter, !character.isNumber { throw malformed("\(character) means nothing") }
        entries.append(Entry(time: now, mark: .element(character)))
      }
      time += frame
    }
    if groupStart != nil { throw malformed("a parenthesis is not closed") }
    self.entries = entries.map { Entry(time: $0.time - zero, mark: $0.mark) }
  }

  /// Reads a time such as `10ms` between spaces or at an end of the line.
  private static func duration(at rest: Substring, of line: String) -> (Duration, length: Int)? {
    if rest.startIndex > line.startIndex, !line[line.index(before: rest.startIndex)].isWhitespace { return nil }
    let word = rest.prefix { !$0.isWhitespace }
    let digits = word.prefix { $0.isNumber || $0 == "." }
    let units: [Substring: Duration] = ["ms": .milliseconds(1), "s": .seconds(1), "m": .seconds(60)]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard let unit = units[word.dropFirst(digits.count)], parts.count <= 2, let whole = Int(parts[0]) else {
      return nil
    }
    var duration = unit * whole
    // Digit by digit, because a binary fraction would differ from the written time.
    var place = unit
    for digit in parts.dropFirst().joined() {
      guard let value = digit.wholeNumberValue else { return nil }
      place = place / 10
      duration += place * value
    }
    return (duration, word.count)
  }
}
