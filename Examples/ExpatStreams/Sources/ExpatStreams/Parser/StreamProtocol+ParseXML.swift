import Delegates
public import Streams

extension StreamProtocol where Element == [UInt8], Failure == ExpatError {
  /// The events of the document whose bytes this stream delivers, in pieces of any size.
  ///
  /// Each observer has a parser of its own, which `configure` may give handlers and a delegate. Pausing stops expat in the
  /// middle of the bytes it has (`XML_StopParser`) and asks the source of the bytes to wait; what expat tells nevertheless is
  /// kept until the observer resumes. Disposal frees the parser. Fails where the document is wrong, or not whole when its
  /// bytes end.
  public func parseXML(
    _ options: ExpatParser.Options = ExpatParser.Options(), configure: @escaping (ExpatParser) -> Void = { _ in }
  ) -> Operation<XMLEvent, ExpatError> {
    parseXML(options) { parser in
      configure(parser)
      return parser.events
    }
  }

  /// The same for what `select` observes of the parser: some of its slots, say. Only their handlers are set in expat, and
  /// those that a delegate wants.
  ///
  /// ```swift
  /// bytes.parseXML(observing: { parser in
  ///   parser.delegate = reader
  ///   return parser.proxy.startElement.stream.map { name, _ in name }
  /// })
  /// ```
  public func parseXML<Output>(
    _ options: ExpatParser.Options = ExpatParser.Options(), observing select: @escaping (ExpatParser) -> Stream<Output>
  ) -> Operation<Output, ExpatError> {
    parseXML(options) { parser in
      let end = parser.proxy.end.stream
      let stream = select(parser)
      return Operation { observer in
        CompositeDisposable([
          stream.observeNext { observer.next($0) },
          end.observeNext { error in error.map { observer.failed($0) } ?? observer.completed() },
        ])
      }
    }
  }

  private func parseXML<Output>(
    _ options: ExpatParser.Options, _ select: @escaping (ExpatParser) -> Operation<Output, ExpatError>
  ) -> Operation<Output, ExpatError> {
    Operation { observer in
      let parser = ExpatParser(options)
      let source = Subscription(downstream: observer.subscription)
      let events = select(parser).observe(
        next: { output in
          observer.next(output)
          if observer.isDisposed { parser.free() } else if observer.isPaused { parser.pause() }
        },
        termination: { observer.terminate($0) })
      source.attach(
        subscribe(
          Observer(
            for: source, next: { parser.parse($0) },
            termination: { end in
              switch end {
              case .completed: parser.finish()
              case .failed(let error): observer.failed(error)
              }
            })))
      return BlockDisposable {
        source.dispose()
        events.dispose()
        parser.free()
      } pause: {
        source.pause()
        parser.pause()
      } resume: {
        parser.resume()
        if !parser.isPaused { source.resume() }
      }
    }
  }
}

extension StreamProtocol where Element == [UInt8], Failure == Never {
  /// The same for bytes that cannot fail.
  public func parseXML(
    _ options: ExpatParser.Options = ExpatParser.Options(), configure: @escaping (ExpatParser) -> Void = { _ in }
  ) -> Operation<XMLEvent, ExpatError> {
    setFailureType(to: ExpatError.self).parseXML(options, configure: configure)
  }

  /// The same for bytes that cannot fail.
  public func parseXML<Output>(
    _ options: ExpatParser.Options = ExpatParser.Options(), observing select: @escaping (ExpatParser) -> Stream<Output>
  ) -> Operation<Output, ExpatError> {
    setFailureType(to: ExpatError.self).parseXML(options, observing: select)
  }
}

extension StreamProtocol where Element == XMLEvent {
  /// Joins texts that follow each other: expat gives a text in as many pieces as its lines, its entities and the pieces of
  /// bytes make.
  ///
  /// Holds one text, which comes right before the next other event or the completion. A failure passes at once, and drops
  /// it. An observer that pauses when it gets the text gets that one event more.
  public func joiningCharacters() -> Operation<XMLEvent, Failure> {
    Operation { observer in
      var text = ""
      func flush() {
        if text.isEmpty { return }
        let whole = text
        text = ""
        observer.next(.characters(whole))
      }
      let source = Subscription(downstream: observer.subscription)
      source.attach(
        subscribe(
          Observer(
            for: source,
            next: { event in
              if case .characters(let piece) = event {
                text += piece
              } else {
                flush()
                observer.next(event)
              }
            },
            termination: { end in
              if case .completed = end { flush() }
              observer.terminate(end)
            })))
      return source
    }
  }
}
