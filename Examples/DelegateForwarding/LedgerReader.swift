/// A line of a ledger.
struct Entry: Equatable {
  var name: String
  var amount: Int
}

/// Who is told what a reader finds, and asked what it cannot know.
protocol LedgerReaderDelegate: AnyObject {
  /// An entry has been read and belongs to an account.
  func reader(_ reader: LedgerReader, didRead entry: Entry, account: String)
  /// Which account an entry belongs to.
  func reader(_ reader: LedgerReader, accountFor entry: Entry) -> String
  /// Whether a line that is no entry is passed over; if not, the reader stops there.
  func reader(_ reader: LedgerReader, shouldSkip line: String) -> Bool
  /// There is nothing more to read, or the reader has stopped.
  func readerDidFinish(_ reader: LedgerReader, at line: Int)
}

extension LedgerReaderDelegate {
  // Optional, as far as Swift has such a thing.
  func reader(_ reader: LedgerReader, accountFor entry: Entry) -> String { "other" }
}

/// Reads ledgers: a name and an amount in each line. It knows nothing of streams: take it for a class of a library.
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
