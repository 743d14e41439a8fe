import CExpat
import Callbacks
import Delegates
import DequeModule
import Expat
import Streams

/// The state of an `ExpatParser`, which its C handlers retain.
///
/// Ownership: ExpatParser ===> ParserCore <===> HandlerTable, cut by `free()`; ParserCore ===> proxy ~~~> delegate.
final class ParserCore {
  private static let pieceSize = 1 << 30

  let parser: Parser
  let events = PushOperation<XMLEvent, ExpatError>()
  let proxy = ExpatDelegateProxy()
  /// The handlers that are set in expat.
  private(set) var handlers: ExpatHandlers = []
  private(set) var isPaused = false
  private(set) var hasEnded = false
  /// The events that expat has sent after it was stopped.
  private(set) var kept: Deque<XMLEvent> = []
  private let calls = Deferral()
  /// The observation of the proxy, which updates the handlers when a slot or the delegate changes.
  private var changes: (any Disposable)?
  /// The handlers of the document's parser, followed by those of the external entities that are being read, from the
  /// outermost to the innermost.
  private var tables: [HandlerTable] = []
  /// The bytes that have not been passed to expat.
  private var waiting: Deque<(bytes: ArraySlice<UInt8>, isLast: Bool)> = []
  /// True if expat has stopped in the middle of its input.
  private var isSuspended = false
  /// The end of the document, which is sent after the kept events.
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
    parser = Parser(created, isOwned: true)
    if options.readsExternalDoctypes { _ = try? parser.setParamEntityParsing(.unlessStandalone) }
    tables = [HandlerTable(parser, self)]
    changes = proxy.handlerChanges.observeNext { [unowned self] in updateHandlers() }
  }

  /// Sets the handlers that are needed, and null for the others. Expat permits this at any time, even inside a handler.
  func updateHandlers() {
    if hasEnded { return }
    let wanted = events.observerCount > 0 ? proxy.handlers.union(.standard) : proxy.handlers
    if wanted == handlers { return }
    handlers = wanted
    for table in tables { table.update(wanted) }
  }

  /// Parses an external entity with `inner`, sets the current handlers in it, and frees it.
  func parse(_ bytes: [UInt8], in inner: Parser) -> Status {
    let table = HandlerTable(inner, self)
    table.update(handlers)
    tables.append(table)
    defer {
      tables.removeLast().remove()
      inner.free()
    }
    return inner.parse(bytes.span, isFinal: 1)
  }

  func parse(_ bytes: [UInt8], isLast: Bool) {
    if hasEnded { return }
    // Expat takes the number of bytes as an `Int32`.
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
    // Inside an external entity, expat continues to the end of the entity, and its events are kept.
    if isParsing { try? parser.stopParser(1) }
  }

  func resume() {
    guard isPaused else { return }
    isPaused = false
    run()
  }

  /// Sends the event of a handler, or keeps it while the parser is paused.
  func tell(_ event: XMLEvent) {
    if hasEnded { return }
    if isPaused || !kept.isEmpty { kept.append(event) } else { send(event) }
  }

  /// Sends text for which no other handler is set, as `other`, as `unexpanded`, or as both.
  func tellOther(_ text: String) {
    if handlers.contains(.other) { tell(.other(text)) }
    if handlers.contains(.unexpanded) { tell(.unexpanded(text)) }
  }

  private func send(_ event: XMLEvent) {
    event.tell(proxy)
    // The delegate may have freed the parser.
    if !hasEnded { events.next(event) }
  }

  /// Runs until there is nothing to do, or the parser is paused. A nested call returns, and the outer call continues.
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
        call { parser.resumeParser() }
      } else if !waiting.isEmpty {
        let (bytes, isLast) = waiting.removeFirst()
        call { parser.parse(bytes.span, isFinal: isLast ? 1 : 0) }
      } else {
        return
      }
    }
  }

  private func call(_ body: () -> Status) {
    calls.during {
      isParsing = true
      let status = body()
      isParsing = false
      isSuspended = status == .suspended
      if hasEnded || isSuspended { return }
      if status == .error { termination = .failed(ExpatError(parser)) }
      var progress = ParsingStatus()
      parser.parsingStatus(&progress)
      if status == .ok, progress.parsing == XML_FINISHED { termination = .completed }
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
    // Expat stops as soon as it can, and cannot be resumed.
    if isParsing { try? parser.stopParser(0) }
    if !hasEnded { end(.failed(ExpatError(parser, code: .aborted))) }
    calls.afterCall { [self] in
      for table in tables { table.remove() }
      tables = []
      parser.free()
    }
  }
}
