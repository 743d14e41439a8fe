import CReadline

/// A word that somebody wants completed.
public struct Completion: Hashable, Sendable {
  /// The word so far.
  public let word: String
  /// The whole line so far.
  public let line: String
  /// Where the word begins in the line, in bytes.
  public let offset: Int

  /// Makes one.
  public init(word: String, line: String, offset: Int) {
    self.word = word
    self.line = line
    self.offset = offset
  }

  /// Copies what readline lends.
  init(_ word: UnsafePointer<CChar>?, _ start: Int32) {
    self.word = word.map { String(cString: $0) } ?? ""
    line = headwater_rl_line().map { String(cString: $0) } ?? ""
    offset = Int(start)
  }

  /// The answer as readline wants it: first what all words begin with, which replaces the one that was typed.
  static func answer(_ words: [String]) -> [String] {
    guard var common = words.first else { return [] }
    for word in words.dropFirst() { common = String(zip(common, word).prefix { $0 == $1 }.map(\.0)) }
    return words.count == 1 ? words : [common] + words
  }
}
