import CExpat
import Callbacks
import Delegates
import Streams

/// Expat's parser and all that its handlers need.
///
/// Ownership: ExpatParser ===> ParserCore <===> HandlerTable, cut by `free()`; ParserCore ===> proxy ~~~> delegate.
final class ParserCore {
  private static let pieceSize = 1 << 30

  let parser: XML_Parser
  let events = PushOperation<XMLEvent, ExpatError>()
  let proxy = ExpatDelegateProxy()
  /// The handlers that are set in expat.
  private(set) var handlers: ExpatHandlers = []
  private(set) var isPaused = false
  private(set) var hasEnded = false
  /// What expat has told after it was stopped.
  private(set) var kept: [XMLEvent] = []
  private let calls = Deferral()
  /// Tells when a slot of the proxy is taken or left, or the delegate changes.
  private var changes: (any Disposable)?
  /// The handlers of the document's parser, and of those of the external entities that are being read, each inside of the
  /// one before.
  private var tables: [HandlerTable] = []
  /// Bytes that have come while they could not be read.
  private var waiting: [(bytes: ArraySlice<UInt8>, isLast: Bool)] = []
  /// Expat has stopped in the middle of what it was given.
  private var isSuspended = false
  /// How the document has ended, which is told after what is kept.
  private var termination: Termination<ExpatError>?
  private var isParsing = false
  private var isRunning = false
  private var isFreed = false

  init(_ options: ExpatParser.Options) {
    let created =
      if let separator = options.namespaceSeparator {
        XML_ParserCreateNS(options.encoding, XML_Char(bitPattern: UInt8(ascii: separator)))
      } else {
        XML_ParserCreate(options.encoding)
      }
    guard let created else { fatalError("Out of memory.") }
    parser = created
    if options.readsExternalDoctypes {
      XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE)
    }
    tables = [HandlerTable(parser, self)]
    changes = proxy.handlerChanges.observeNext { [unowned self] in updateHandlers() }
  }

  /// Sets what somebody wants in C, and null for the rest. Expat takes it at any time, also from inside of a handler.
  func updateHandlers() {
    if hasEnded { return }
    let wanted = events.observerCount > 0 ? proxy.handlers.union(.standard) : proxy.handlers
    if wanted == handlers { return }
    handlers = wanted
    for table in tables { table.update(wanted) }
  }

  /// Reads an external entity with a parser that has the handlers of the one that has met the reference.
  func parse(_ bytes: [UInt8], in inner: XML_Parser) -> XML_Status {
    let table = HandlerTable(inner, self)
    table.update(handlers)
    tables.append(table)
    defer {
      tables.removeLast().remove()
      XML_ParserFree(inner)
    }
    return bytes.withUnsafeBytes { bytes in
      let text = bytes.assumingMemoryBound(to: CChar.self)
      return XML_Parse(inner, text.baseAddress, Int32(text.count), 1)
    }
  }

  func parse(_ bytes: [UInt8], isLast: Bool) {
    if hasEnded { return }
    // Expat counts bytes in 32 bits.
    var rest = bytes[...]
    while rest.count > Self.pieceSize {
      waiting.append((rest.prefix(Self.pieceSize), false))
      rest.removeFirst(Self.pieceSize)
    }
    waiting.append((rest, isLast))
    run()
  }

  func pause() {
    if isPaused || hasEnded { return }
    isPaused = true
    // Inside of an external entity expat goes on to its end: what it tells is kept.
    if isParsing { XML_StopParser(parser, XML_Bool(XML_TRUE)) }
  }

  func resume() {
    guard isPaused else { return }
    isPaused = false
    run()
  }

  /// What a handler has got.
  func tell(_ event: XMLEvent) {
    if hasEnded { return }
    if isPaused || !kept.isEmpty { kept.append(event) } else { send(event) }
  }

  /// Text for which no handler is set.
  func tellOther(_ text: String) {
    if handlers.contains(.other) { tell(.other(text)) }
    if handlers.contains(.unexpanded) { tell(.unexpanded(text)) }
  }

  private func send(_ event: XMLEvent) {
    event.tell(proxy)
    // It may have freed the parser.
    if !hasEnded { events.next(event) }
  }

  /// Goes on until there is nothing to do or the parser is paused. Inside of itself it leaves that to the outer one.
  private func run() {
    if isRunning { return }
    isRunning = true
    defer { isRunning = false }
    while !isPaused, !hasEnded {
      if !kept.isEmpty {
        send(kept.removeFirst())
      } else if let termination {
        end(termination)
      } else if isSuspended {
        call { XML_ResumeParser(parser) }
      } else if !waiting.isEmpty {
        let (bytes, isLast) = waiting.removeFirst()
        call {
          bytes.withUnsafeBytes { bytes in
            let text = bytes.assumingMemoryBound(to: CChar.self)
            return XML_Parse(parser, text.baseAddress, Int32(text.count), isLast ? 1 : 0)
          }
        }
      } else {
        return
      }
    }
  }

  private func call(_ body: () -> XML_Status) {
    calls.during {
      isParsing = true
      let status = body()
      isParsing = false
      isSuspended = status == XML_STATUS_SUSPENDED
      if hasEnded || isSuspended { return }
      if status == XML_STATUS_ERROR { termination = .failed(ExpatError(parser)) }
      var progress = XML_ParsingStatus()
      XML_GetParsingStatus(parser, &progress)
      if status == XML_STATUS_OK, progress.parsing == XML_FINISHED { termination = .completed }
    }
  }

  private func end(_ termination: Termination<ExpatError>) {
    hasEnded = true
    kept = []
    waiting = []
    changes?.dispose()
    proxy.didEnd(termination.failure)
    events.terminate(termination)
    proxy.dispose()
  }

  func free() {
    if isFreed { return }
    isFreed = true
    // No further event, and expat stops at the next opportunity.
    if isParsing { XML_StopParser(parser, XML_Bool(XML_FALSE)) }
    if !hasEnded { end(.failed(ExpatError(parser, code: XML_ERROR_ABORTED))) }
    calls.afterCall { [self] in
      for table in tables { table.remove() }
      tables = []
      XML_ParserFree(parser)
    }
  }
}
