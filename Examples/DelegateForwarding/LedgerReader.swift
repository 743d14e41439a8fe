/// A line of a ledger.
struct Entry: Equatable {
  var name: String
  var amount: Int
}

/// Receives the results of a reader, and answers its questions.
protocol LedgerReaderDelegate: AnyObject {
  /// Receives an entry, and the account that it belongs to.
  func reader(_ reader: LedgerReader, didRead entry: Entry, account: String)
  /// Returns the account that an entry belongs to.
  func reader(_ reader: LedgerReader, accountFor entry: Entry) -> String
  /// Returns whether to skip a line that is not an entry. If not, the reader stops at that line.
  func reader(_ reader: LedgerReader, shouldSkip line: String) -> Bool
  /// Receives the end: the reader has read everything, or has stopped at `line`.
  func readerDidFinish(_ reader: LedgerReader, at line: Int)
}

extension LedgerReaderDelegate {
  // The default makes the requirement optional.
  func reader(_ reader: LedgerReader, accountFor entry: Entry) -> String { "other" }
}

/// Reads ledgers, which have a name and an amount in each line. Like a class of a library, it knows nothing about streams.
final class LedgerReader {
  weak var delegate: (any LedgerReaderDelegate)?

  func read(_ text: String) {
    let lines = text.split(separator: "\n")
    for (index, line) in lines.enumerated() {
      let words = line.split(separator: " ")
      if words.count == 2, let amount = Int(words[1]) {
        let entry = Entry(name: String(words[0]), amount: amount)
        let account = delegate?.reader(self, accountFor: entry) ?? "other"
        delegate?.reader(self, didRead: entry, account: account)
      } else if delegate?.reader(self, shouldSkip: String(line)) != true {
        delegate?.readerDidFinish(self, at: index + 1)
        return
      }
    }
    delegate?.readerDidFinish(self, at: lines.count)
  }
}
