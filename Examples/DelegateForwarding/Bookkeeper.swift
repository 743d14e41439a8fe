/// The delegate that is there already. It goes on working, whoever else listens.
final class Bookkeeper: LedgerReaderDelegate {
  private let name: String

  init(_ name: String) { self.name = name }

  func reader(_ reader: LedgerReader, didRead entry: Entry, account: String) {
    print("\(name): \(entry.name) \(entry.amount) to \(account)")
  }

  /// Strict: what is no entry ends it.
  func reader(_ reader: LedgerReader, shouldSkip line: String) -> Bool { false }

  func readerDidFinish(_ reader: LedgerReader, at line: Int) { print("\(name): closed at line \(line)") }
}
