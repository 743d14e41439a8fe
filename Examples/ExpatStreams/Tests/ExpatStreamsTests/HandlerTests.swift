import Delegates
import ExpatStreams
import Streams
import StreamsTesting
import Testing

extension ExpatTests {
  /// Tests which handlers are set in expat, and which are null.
  @Suite("Handlers") struct HandlerTests {
    /// A delegate that records its calls.
    final class Reader: ExpatDelegate {
      let handlers: ExpatHandlers
      var log: [String] = []

      init(_ handlers: ExpatHandlers = .standard) { self.handlers = handlers }

      func didStartElement(_ name: String, attributes: [XMLAttribute]) { log.append("<\(name)>") }
      func didEndElement(_ name: String) { log.append("</\(name)>") }
      func didReadCharacters(_ text: String) { log.append(text) }
      func didReadComment(_ text: String) { log.append("(\(text))") }
      func didReadOther(_ text: String) { log.append("other \(text)") }
      func didEnd(_ error: ExpatError?) { log.append(error?.message ?? "end") }
    }

    /// Each handler, with a closure that observes its slot.
    static let slots: [(ExpatHandlers, @Sendable (ExpatDelegateProxy) -> Subscription)] = [
      (.declaration, { $0.declaration.trigger.observeNext {} }),
      (.startElement, { $0.startElement.trigger.observeNext {} }),
      (.endElement, { $0.endElement.trigger.observeNext {} }),
      (.characters, { $0.characters.trigger.observeNext {} }),
      (.processingInstruction, { $0.processingInstruction.trigger.observeNext {} }),
      (.comment, { $0.comment.trigger.observeNext {} }),
      (.startCDATA, { $0.startCDATA.trigger.observeNext {} }),
      (.endCDATA, { $0.endCDATA.trigger.observeNext {} }),
      (.startNamespace, { $0.startNamespace.trigger.observeNext {} }),
      (.endNamespace, { $0.endNamespace.trigger.observeNext {} }),
      (.startDoctype, { $0.startDoctype.trigger.observeNext {} }),
      (.endDoctype, { $0.endDoctype.trigger.observeNext {} }),
      (.elementDeclaration, { $0.elementDeclaration.trigger.observeNext {} }),
      (.attributeDeclaration, { $0.attributeDeclaration.trigger.observeNext {} }),
      (.entityDeclaration, { $0.entityDeclaration.trigger.observeNext {} }),
      (.unparsedEntity, { $0.unparsedEntity.trigger.observeNext {} }),
      (.notationDeclaration, { $0.notationDeclaration.trigger.observeNext {} }),
      (.skippedEntity, { $0.skippedEntity.trigger.observeNext {} }),
      (.other, { $0.other.trigger.observeNext {} }),
      (.unexpanded, { $0.unexpanded.trigger.observeNext {} }),
      (.notStandalone, { $0.notStandalone.trigger.observeNext {} }),
      (.externalEntity, { $0.externalEntity.trigger.observeNext {} }),
      (.unknownEncoding, { $0.unknownEncoding.trigger.observeNext {} }),
    ]

    @Test func `observing a slot sets its handler and no other; leaving takes it away`() {
      let parser = ExpatParser()
      #expect(parser.handlers == [])
      var all: ExpatHandlers = []
      for (handler, observe) in Self.slots {
        let subscription = observe(parser.proxy)
        #expect(parser.handlers == handler)
        subscription.dispose()
        #expect(parser.handlers == [])
        all.insert(handler)
      }
      #expect(all.subtracting(.unexpanded) == .standard)
      #expect(Self.slots.count == parser.proxy.slots.count - 1)
      parser.free()
    }

    @Test
    func `a handler that answers, the delegate and those who observe all events want theirs, and all of them are set`()
      throws
    {
      let parser = ExpatParser()
      let answer = try parser.proxy.notStandalone.answer { true }
      #expect(parser.handlers == .notStandalone)
      var reader: Reader? = Reader([.comment, .startElement])
      parser.delegate = reader
      #expect(parser.handlers == [.notStandalone, .comment, .startElement])
      let subscription = parser.proxy.comment.stream.observeNext { _ in }
      answer.dispose()
      #expect(parser.handlers == [.comment, .startElement])
      parser.delegate = nil
      #expect(parser.handlers == .comment)
      let events = parser.events.observe(next: { _ in }, termination: { _ in })
      #expect(parser.handlers == .standard)
      events.dispose()
      #expect(parser.handlers == .comment)
      subscription.dispose()
      #expect(parser.handlers == [])
      reader = nil
      parser.free()
    }

    /// Expat passes text to its default handler if no other handler is set. The text therefore shows which handlers are null.
    @Test
    func `what nobody wants is null in C: expat hands its text on as that of no handler, also from the middle on`() {
      let document = #"<a x="1">one<!--c--><b/>two<?go now?><b></b></a>"#
      var others: [String] = []
      let parser = ExpatParser()
      let other = parser.proxy.other.stream.observeNext { others.append($0) }
      parser.parse(Array(document.utf8))
      #expect(others.joined() == document)

      let second = ExpatParser()
      others = []
      var names: [String] = []
      var inside: Subscription?
      let bag = DisposeBag()
      second.proxy.other.stream.observeNext { text in
        others.append(text)
        if text.contains("one"), inside == nil {
          inside = second.proxy.startElement.stream.observeNext { name, _ in
            names.append(name)
            if names.count == 2 { inside?.dispose() }
          }
        }
      }.dispose(in: bag)
      second.parse(Array((document + "<!---->").utf8))
      #expect(names == ["b", "b"])
      #expect(others.joined() == #"<a x="1">one<!--c-->two<?go now?></b></a><!---->"#)
      other.dispose()
      bag.dispose()
    }

    @Test func `a delegate goes on being told all of it while others observe, come and go`() {
      let document = Array("<?xml version='1.0'?>\n<a>one<!--c--><b/>two</a>\n".utf8)
      func log(_ prepare: (ExpatParser, DisposeBag) -> Void) -> [String] {
        let (parser, reader, bag) = (ExpatParser(), Reader(), DisposeBag())
        parser.delegate = reader
        prepare(parser, bag)
        parser.parse(document)
        parser.finish()
        bag.dispose()
        return reader.log
      }
      let alone = log { _, _ in }
      #expect(alone == ["other \n", "<a>", "one", "(c)", "<b>", "</b>", "two", "</a>", "other \n", "end"])
      let observed = log { parser, bag in
        for (handler, observe) in Self.slots where handler != .unexpanded { observe(parser.proxy).dispose(in: bag) }
      }
      #expect(observed == alone)
      let changing = log { parser, bag in
        var comments: Subscription?
        parser.proxy.startElement.stream.observeNext { name, _ in
          comments?.dispose()
          comments = parser.proxy.comment.stream.observeNext { _ in }
        }.dispose(in: bag)
      }
      #expect(changing == alone)
    }

    @Test func `whoever wants text as it is written keeps expat from expanding entities, as expat has it`() {
      let document = Array(#"<!DOCTYPE a [<!ENTITY e "all">]><a>x&e;&lt;y</a>"#.utf8)
      func texts(_ prepare: (ExpatParser, DisposeBag) -> Void) -> String {
        let (parser, bag) = (ExpatParser(), DisposeBag())
        var text = ""
        parser.proxy.characters.stream.observeNext { text += $0 }.dispose(in: bag)
        parser.proxy.startElement.stream.observeNext { _ in text = "" }.dispose(in: bag)
        parser.proxy.unexpanded.willInvoke.observeNext { text += "[\($0)]" }.dispose(in: bag)
        prepare(parser, bag)
        parser.parse(document)
        bag.dispose()
        return text
      }
      #expect(texts { _, bag in bag.dispose() } == "")
      #expect(texts { _, _ in } == "x[&e;]<y[</a>]")
      let skipping = texts { parser, bag in
        parser.proxy.skippedEntity.stream.observeNext { _ in }.dispose(in: bag)
        parser.proxy.endElement.stream.observeNext { _ in }.dispose(in: bag)
      }
      #expect(skipping == "x<y")
    }

    @Test func `an unparsed entity is told to those who want it and to those who want all entities`() {
      let document = Array(
        #"<!DOCTYPE a [<!NOTATION n SYSTEM "v"><!ENTITY p SYSTEM "p.gif" NDATA n><!ENTITY e "x">]><a/>"#.utf8)
      var log: [String] = []
      let parser = ExpatParser()
      let bag = DisposeBag()
      parser.proxy.entityDeclaration.stream.observeNext { log.append("entity \($0.name)") }.dispose(in: bag)
      parser.proxy.unparsedEntity.stream.observeNext { log.append("unparsed \($0.name) \($0.notation ?? "")") }
        .dispose(in: bag)
      parser.parse(document)
      #expect(log == ["entity p", "unparsed p n", "entity e"])
      bag.dispose()
    }

    @Test func `inside of an external entity, too, handlers are set when somebody comes`() throws {
      let parser = ExpatParser()
      let bag = DisposeBag()
      var comments: [String] = []
      try parser.proxy.externalEntity.answer { _ in Array("<!--early--><b/><!--late-->".utf8) }.dispose(in: bag)
      parser.proxy.startElement.stream.filter { name, _ in name == "b" }.take(1).observeNext { _ in
        parser.proxy.comment.stream.observeNext { comments.append($0) }.dispose(in: bag)
      }.dispose(in: bag)
      parser.parse(Array(#"<!DOCTYPE a [<!ENTITY e SYSTEM "e">]><a><!--before-->&e;<!--after--></a>"#.utf8))
      // The parser of the entity has been freed. Its handlers must not be updated.
      bag.dispose()
      #expect(parser.handlers == [])
      parser.finish()
      #expect(comments == ["late", "after"])
      #expect(parser.hasEnded)
    }

    @Test func `the streams of slots complete at the end of the document, also where it fails`() {
      for (document, message) in [("<a/>", nil), ("<a></b>", "mismatched tag")] {
        let parser = ExpatParser()
        let names = parser.proxy.startElement.stream.map { name, _ in name }.record()
        let end = parser.proxy.end.stream.record()
        parser.parse(Array(document.utf8))
        #expect(message != nil || !names.isCompleted)
        parser.finish()
        #expect(names.elements == ["a"] && names.isCompleted)
        #expect(end.elements.map { $0?.message } == [message] && end.isCompleted)
      }
    }

    @Test
    func `others install proxies of their own before the delegate: expat has the handlers that are wanted there, too`()
      throws
    {
      let parser = ExpatParser()
      let reader = Reader([.comment])
      parser.delegate = reader
      let inner = ExpatDelegateProxy.install(on: parser, at: \.delegate)
      let outer = ExpatDelegateProxy.install(on: parser, at: \.delegate)
      #expect(parser.delegate === outer && outer.forwardTo === inner && inner.forwardTo === reader)
      #expect(parser.handlers == .comment)
      var names: [String] = []
      let subscription = inner.endElement.stream.observeNext { names.append($0) }
      #expect(parser.handlers == [.comment, .endElement])
      try outer.notStandalone.answer { true }
      #expect(parser.handlers == [.comment, .endElement, .notStandalone])
      parser.parse(Array("<a><b/>".utf8))
      #expect(names == ["b"])
      subscription.dispose()
      #expect(parser.handlers == [.comment, .notStandalone])
      outer.dispose()
      inner.dispose()
      #expect(parser.delegate === reader)
      #expect(parser.handlers == .comment)
      parser.parse(Array("<!--c--></a>".utf8))
      parser.finish()
      // The delegate also receives the calls of the handler that only the observer needed.
      #expect(reader.log == ["</b>", "(c)", "end"])
    }

    @Test func `whoever observes or answers may free the parser in there: it ends once, and nothing follows`() throws {
      let document = Array(#"<!DOCTYPE a SYSTEM "d" [<!ENTITY e SYSTEM "e">]><a>&e;<b/></a>"#.utf8)
      let ways: [(ExpatParser, DisposeBag) throws -> Void] = [
        { parser, bag in parser.proxy.startElement.stream.observeNext { _ in parser.free() }.dispose(in: bag) },
        { parser, bag in parser.proxy.startElement.willInvoke.observeNext { _ in parser.free() }.dispose(in: bag) },
        { parser, bag in
          try parser.proxy.notStandalone.answer {
            parser.free()
            return true
          }.dispose(in: bag)
        },
        { parser, bag in
          try parser.proxy.externalEntity.answer { _ in
            parser.free()
            return Array("<c/>".utf8)
          }.dispose(in: bag)
        },
      ]
      // The recorder receives the element only if it was notified before the parser was freed.
      let expected = [["a"], [], [], ["a"]]
      for (number, way) in ways.enumerated() {
        let (parser, bag) = (ExpatParser(), DisposeBag())
        let ends = parser.proxy.end.stream.map { $0?.message }.record()
        let names = parser.proxy.startElement.stream.map { name, _ in name }.record()
        try way(parser, bag)
        parser.parse(document)
        parser.finish()
        #expect(ends.elements == ["parsing aborted"] && ends.isCompleted)
        #expect(names.elements == expected[number] && names.isCompleted)
        #expect(parser.hasEnded)
        bag.dispose()
      }
    }

    @Test
    func `several delegates are told in the order in which they came, and the parser asks them all what they want`() {
      let parser = ExpatParser()
      let (first, second) = (Reader([.startElement]), Reader([.comment]))
      parser.delegate = first
      let place = parser.proxy.addForwardee(second)
      #expect(parser.handlers == [.startElement, .comment])
      parser.parse(Array("<a><!--c-->".utf8))
      place.dispose()
      #expect(parser.handlers == .startElement)
      parser.parse(Array("<!--d--></a>".utf8))
      parser.finish()
      #expect(first.log == ["<a>", "(c)", "end"])
      #expect(second.log == ["<a>", "(c)"])
    }
  }
}
