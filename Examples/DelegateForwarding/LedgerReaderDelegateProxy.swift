import Headwater

/// Stands in the place of a reader's delegate: two lines for each requirement, a slot and the call that goes through it.
///
/// Here everything belongs to the main actor unless it says otherwise, and a proxy has to: its superclass serves any actor. Its
/// methods are the main actor's all the same, because those of the protocol are.
nonisolated final class LedgerReaderDelegateProxy: ProtocolProxy<any LedgerReaderDelegate>, LedgerReaderDelegate {
  let didRead = ProxyMethod<Void, LedgerReader, Entry, String>()
  func reader(_ reader: LedgerReader, didRead entry: Entry, account: String) {
    call(didRead, (reader, entry, account)) { $0.reader(reader, didRead: entry, account: account) }
  }

  let accountFor = ProxyMethod<String, LedgerReader, Entry>()
  func reader(_ reader: LedgerReader, accountFor entry: Entry) -> String {
    // What the protocol's extension does where nobody answers.
    call(accountFor, (reader, entry), default: "other") { $0.reader(reader, accountFor: entry) }
  }

  let shouldSkip = ProxyMethod<Bool, LedgerReader, String>()
  func reader(_ reader: LedgerReader, shouldSkip line: String) -> Bool {
    call(shouldSkip, (reader, line)) { $0.reader(reader, shouldSkip: line) }
  }

  let didFinish = ProxyMethod<Void, LedgerReader, Int>()
  func readerDidFinish(_ reader: LedgerReader, at line: Int) {
    call(didFinish, (reader, line)) { $0.readerDidFinish(reader, at: line) }
  }
}
