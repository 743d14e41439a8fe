import CReadline

/// A request to complete a word.
public struct Completion: Hashable, Sendable {
  /// The word, as typed so far.
  public let word: String
  /// The whole line, as typed so far.
  public let line: String
  /// The offset of the word in the line, in bytes.
  public let offset: Int

  /// Creates a request.
  public init(word: String, line: String, offset: Int) {
    self.word = word
    self.line = line
    self.offset = offset
  }

  /// Copies the line, which readline owns.
  init(_ word: String?, _ start: Int32) {
    self.word = word ?? ""
    line = headwater_rl_line().map { String(cString: $0) } ?? ""
    offset = Int(start)
  }

  /// Returns the array that readline expects: the replacement of the typed word, and the choices if there are several.
  ///
  /// The replacement is the longest common prefix of `words`.
  static func answer(_ words: [String]) -> [String] {
    guard var common = words.first else { return [] }
    for word in words.dropFirst() { common = String(zip(common, word).prefix { $0 == $1 }.map(\.0)) }
    return words.count == 1 ? words : [common] + words
  }
}
