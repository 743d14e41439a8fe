import Delegates
public import Streams

/// An incremental parser for one XML document. It sends events to a delegate and to any number of observers.
///
/// ```swift
/// let parser = ExpatParser()
/// parser.delegate = self
/// parser.proxy.startElement.stream.observeNext { name, attributes in … }.dispose(in: bag)
/// parser.parse(bytes)
/// parser.finish()
/// ```
///
/// `parseXML()` turns a stream of bytes into a stream of events, with a parser for each observer.
///
/// The parser is confined. When it is deallocated, on any thread, it frees expat's parser in its home domain.
public final class ExpatParser {
  /// The options of a parser.
  public struct Options: Hashable, Sendable {
    /// The encoding, which overrides the one that the document declares. If it is nil, the declaration applies.
    public var encoding: String?
    /// The ASCII character between the namespace and the local name in names. The parser traps for other characters.
    ///
    /// If it is nil, expat does not process namespaces.
    public var namespaceSeparator: Unicode.Scalar?
    /// True to read external parts of document types, unless the document declares `standalone="yes"`.
    public var readsExternalDoctypes: Bool

    /// Creates the options.
    public init(encoding: String? = nil, namespaceSeparator: Unicode.Scalar? = nil, readsExternalDoctypes: Bool = false)
    {
      self.encoding = encoding
      self.namespaceSeparator = namespaceSeparator
      self.readsExternalDoctypes = readsExternalDoctypes
    }
  }

  private let core: ParserCore
  // Frees expat's parser in the home domain, even if another thread releases the last reference.
  private let bag = DisposeBag()

  /// Creates a parser for one document.
  public init(_ options: Options = Options()) {
    let core = ParserCore(options)
    self.core = core
    BlockDisposable { core.free() }.dispose(in: bag)
  }

  /// The delegate, to which `proxy` forwards. It is not retained.
  public var delegate: (any ExpatDelegate)? {
    get { core.proxy.forwardTo }
    set { core.proxy.forwardTo = newValue }
  }

  /// The proxy between expat and the delegate, with a slot for each handler of expat.
  ///
  /// The parser sets the C handlers that a slot or the delegate needs, and null for the others. The set can change
  /// during parsing.
  ///
  /// If a slot returns a result, its handler answers. Without a handler, the delegate answers. Without either, expat's
  /// default applies: a document that is not standalone is accepted, external entities are skipped, and an unknown encoding
  /// is an error.
  public var proxy: ExpatDelegateProxy { core.proxy }

  /// The events that the delegate receives. Each is sent right after the delegate's method has returned.
  ///
  /// Completes at the end of the document, or fails with the error of the parser. The stream is hot, so pausing a
  /// subscription has no effect: pause the parser. While the stream has an observer, all `standard` handlers are set.
  public var events: Operation<XMLEvent, ExpatError> {
    Operation { [core] observer in
      let place = core.events.subscribe(observer)
      core.updateHandlers()
      return BlockDisposable {
        place.dispose()
        core.updateHandlers()
      }
    }
  }

  /// Parses more bytes. While the parser is paused, and inside a handler, the bytes are queued without a limit.
  ///
  /// Does nothing after the end.
  public func parse(_ bytes: [UInt8]) { core.parse(bytes, isLast: false) }

  /// Ends the document after the queued bytes. If the document is incomplete, it fails.
  public func finish() { core.parse([], isLast: true) }

  /// Stops parsing until `resume()`.
  ///
  /// Inside a handler, this stops expat in the middle of its input. Events that expat still sends, usually one, are kept
  /// until `resume()`. Inside an external entity, expat continues to the end of the entity.
  public func pause() { core.pause() }

  /// Delivers the kept events and continues parsing, before it returns.
  ///
  /// Inside a handler, it returns immediately, and parsing continues after the handler.
  public func resume() { core.resume() }

  /// True between `pause()` and `resume()`.
  public var isPaused: Bool { core.isPaused }

  /// The handlers that are currently set in expat.
  public var handlers: ExpatHandlers { core.handlers }

  /// The number of events that are kept until `resume()`.
  public var keptCount: Int { core.kept.count }

  /// True after the end of the document, after an error, and after `free()`. No event follows.
  public var hasEnded: Bool { core.hasEnded }

  /// Ends parsing and frees expat's memory. No event follows. A document that has not ended fails with "parsing aborted".
  ///
  /// Inside a handler, the memory is freed after the running call of expat has returned. A second call does nothing.
  public func free() { core.free() }
}

@available(*, unavailable)
extension ExpatParser: Sendable {}
