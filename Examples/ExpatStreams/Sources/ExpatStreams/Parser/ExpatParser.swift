import Delegates
public import Streams

/// One XML document, read by expat as its bytes come: told to a delegate and to any number of observers.
///
/// ```swift
/// let parser = ExpatParser()
/// parser.delegate = self
/// parser.proxy.startElement.stream.observeNext { name, attributes in … }.dispose(in: bag)
/// parser.parse(bytes)
/// parser.finish()
/// ```
///
/// `parseXML()` makes a stream of events out of a stream of bytes, with a parser for each observer.
///
/// Confined. Letting go of the parser frees it.
public final class ExpatParser {
  /// How a document is read.
  public struct Options: Hashable, Sendable {
    /// The encoding, whatever the document says.
    public var encoding: String?
    /// Where set, names in namespaces come as the namespace, this character of ASCII, and the local name.
    public var namespaceSeparator: Unicode.Scalar?
    /// Whether external parts of document types are read, unless the document says `standalone="yes"`.
    public var readsExternalDoctypes: Bool

    /// Makes the options.
    public init(encoding: String? = nil, namespaceSeparator: Unicode.Scalar? = nil, readsExternalDoctypes: Bool = false)
    {
      self.encoding = encoding
      self.namespaceSeparator = namespaceSeparator
      self.readsExternalDoctypes = readsExternalDoctypes
    }
  }

  private let core: ParserCore
  // Frees at home where the last reference goes elsewhere.
  private let bag = DisposeBag()

  /// Makes a parser for one document.
  public init(_ options: Options = Options()) {
    let core = ParserCore(options)
    self.core = core
    BlockDisposable { core.free() }.dispose(in: bag)
  }

  /// Who is told and asked. Held weakly: it is what `proxy` forwards to.
  public var delegate: (any ExpatDelegate)? {
    get { core.proxy.forwardTo }
    set { core.proxy.forwardTo = newValue }
  }

  /// What stands between expat and the delegate: a slot for each handler of expat, to be observed and answered.
  ///
  /// Expat is given the handlers that somebody wants, here or as `delegate`, and null for the others; both may change
  /// while it parses. A question is answered by a handler, else by the delegate, else as expat would by itself: what is
  /// not standalone is accepted, nothing outside of the document is read, and an unknown encoding is an error.
  public var proxy: ExpatDelegateProxy { core.proxy }

  /// All that the delegate is told, at the same moments, for others to observe. Completes at the end of the document; its
  /// failure is the parser's.
  ///
  /// It is hot: pausing a subscription to it has no effect. Pause the parser. While it is observed expat has all
  /// `standard` handlers.
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

  /// Reads more bytes. While the parser is paused, and inside of a handler, they wait.
  public func parse(_ bytes: [UInt8]) { core.parse(bytes, isLast: false) }

  /// There are no more bytes: the document ends here, or is not whole.
  public func finish() { core.parse([], isLast: true) }

  /// Reads no further until `resume()`. From inside of a handler expat is stopped where it stands; what it tells
  /// nevertheless, usually one event, is kept until then.
  public func pause() { core.pause() }

  /// Takes `pause()` back: what has been kept is told, and reading goes on, before this returns.
  public func resume() { core.resume() }

  /// True between `pause()` and `resume()`.
  public var isPaused: Bool { core.isPaused }

  /// The handlers that are set in expat at the moment.
  public var handlers: ExpatHandlers { core.handlers }

  /// The number of events that expat has told after it was stopped, and that wait for `resume()`.
  public var keptCount: Int { core.kept.count }

  /// True when nothing more will be told: at the end of the document, after an error, and after `free()`.
  public var hasEnded: Bool { core.hasEnded }

  /// Lets go of the document: nothing more is told, and expat's memory is freed, inside of a handler when that has returned.
  /// A document that has not ended fails with "parsing aborted".
  public func free() { core.free() }
}

@available(*, unavailable)
extension ExpatParser: Sendable {}
