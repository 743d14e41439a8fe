import Headwater

/// A proxy for the delegate of a reader. For each requirement, it has a slot and a method that calls through the slot.
///
/// In this module, declarations are isolated to the main actor by default. The class is `nonisolated`, as its superclass
/// is. Its methods are isolated to the main actor nevertheless, because the requirements of the protocol are.
nonisolated final class LedgerReaderDelegateProxy: ProtocolProxy<any LedgerReaderDelegate>, LedgerReaderDelegate {
  let didRead = ProxyMethod<Void, LedgerReader, Entry, String>()
  func reader(_ reader: LedgerReader, didRead entry: Entry, account: String) {
    call(didRead, (reader, entry, account)) { $0.reader(reader, didRead: entry, account: account) }
  }

  let accountFor = ProxyMethod<String, LedgerReader, Entry>()
  func reader(_ reader: LedgerReader, accountFor entry: Entry) -> String {
    // The default of the protocol's extension, used if neither a handler nor a forwardee answers.
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
