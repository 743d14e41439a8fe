/// The original delegate. It knows nothing about streams, and keeps working while they observe its calls.
final class Bookkeeper: LedgerReaderDelegate {
  private let name: String

  init(_ name: String) { self.name = name }

  func reader(_ reader: LedgerReader, didRead entry: Entry, account: String) {
    print("\(name): \(entry.name) \(entry.amount) to \(account)")
  }

  /// Returns false: a line that is not an entry stops the reader.
  func reader(_ reader: LedgerReader, shouldSkip line: String) -> Bool { false }

  func readerDidFinish(_ reader: LedgerReader, at line: Int) { print("\(name): closed at line \(line)") }
}
