import Delegates
public import Streams

extension StreamProtocol where Element == [UInt8], Failure == ExpatError {
  /// Parses the bytes of a document, in pieces of any size, and emits its events.
  ///
  /// Each observer has its own parser. Use `configure` to set its delegate and the handlers of its slots.
  ///
  /// Pausing stops expat in the middle of its input (`XML_StopParser`) and pauses the source. Events that expat still sends
  /// are kept until the observer resumes. Disposal frees the parser.
  ///
  /// Fails if the source fails, if the document is not well-formed, or if it is incomplete when the source completes.
  public func parseXML(
    _ options: ExpatParser.Options = ExpatParser.Options(), configure: @escaping (ExpatParser) -> Void = { _ in }
  ) -> Operation<XMLEvent, ExpatError> {
    parseXML(options) { parser in
      configure(parser)
      return parser.events
    }
  }

  /// Parses the bytes of a document, and emits the elements of the stream that `select` returns, for example that of a slot.
  ///
  /// Only the handlers that this stream or the delegate needs are set in expat. Each observer has its own parser. Pausing
  /// stops expat and pauses the source. Fails if the source or the parser fails.
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
  /// Parses the bytes of a document, from a stream that cannot fail, and emits its events.
  ///
  /// Each observer has its own parser. Use `configure` to set its delegate and the handlers of its slots. Pausing stops expat
  /// and pauses the source. Fails if the document is not well-formed, or if it is incomplete when the source completes.
  public func parseXML(
    _ options: ExpatParser.Options = ExpatParser.Options(), configure: @escaping (ExpatParser) -> Void = { _ in }
  ) -> Operation<XMLEvent, ExpatError> {
    setFailureType(to: ExpatError.self).parseXML(options, configure: configure)
  }

  /// Parses the bytes of a document, from a stream that cannot fail, and emits the elements of the stream that `select`
  /// returns, for example that of a slot.
  ///
  /// Only the handlers that this stream or the delegate needs are set in expat. Each observer has its own parser. Pausing
  /// stops expat and pauses the source. Fails if the parser fails.
  public func parseXML<Output>(
    _ options: ExpatParser.Options = ExpatParser.Options(), observing select: @escaping (ExpatParser) -> Stream<Output>
  ) -> Operation<Output, ExpatError> {
    setFailureType(to: ExpatError.self).parseXML(options, observing: select)
  }
}

extension StreamProtocol where Element == XMLEvent {
  /// Joins consecutive `characters` events. Expat divides a text at lines, at entities, and at the ends of the pieces of bytes.
  ///
  /// Holds one text of any length. Emits it right before the next other event, or before the completion. A failure is
  /// delivered immediately, and the text is dropped. An observer that pauses when it receives a text receives one more event.
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
