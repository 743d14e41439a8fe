import Delegates
import ExpatStreams
import Streams
import StreamsTesting
import Testing

extension ExpatTests {
  @Suite("Parser and delegate") struct ParserTests {
    /// A delegate that records its calls.
    final class Reader: ExpatDelegate {
      var log: [String] = []
      var onStart: (String) -> Void = { _ in }
      var acceptsNotStandalone = true

      func didStartElement(_ name: String, attributes: [XMLAttribute]) {
        log.append("<\(name)>")
        onStart(name)
      }
      func didEndElement(_ name: String) { log.append("</\(name)>") }
      func didReadCharacters(_ text: String) { log.append(text) }
      func didEnd(_ error: ExpatError?) { log.append(error.map { "\($0)" } ?? "end") }
      func shouldAcceptNotStandalone() -> Bool { acceptsNotStandalone }
      func content(of entity: XMLEntity) -> [UInt8]? { Array("<from>\(entity.systemID ?? "")</from>".utf8) }
    }

    @Test func `a delegate is told, and observers see the same at the same time`() {
      let parser = ExpatParser()
      let reader = Reader()
      parser.delegate = reader
      var log: [String] = []
      let observer = parser.events.observe(
        next: { log.append($0.summary) }, termination: { _ in log.append("end") })
      parser.parse(Array("<a>x<b/>".utf8))
      #expect(reader.log == ["<a>", "x", "<b>", "</b>"])
      #expect(log == reader.log)
      parser.parse(Array("</a>".utf8))
      parser.finish()
      #expect(reader.log == ["<a>", "x", "<b>", "</b>", "</a>", "end"])
      #expect(log == reader.log)
      #expect(parser.hasEnded)
      observer.dispose()
    }

    @Test func `the delegate is held weakly, and the parser reads on without it`() {
      let parser = ExpatParser()
      do {
        let reader = Reader()
        parser.delegate = reader
        parser.parse(Array("<a>".utf8))
        #expect(reader.log == ["<a>"])
      }
      #expect(parser.delegate == nil)
      parser.parse(Array("</a>".utf8))
      parser.finish()
      #expect(parser.hasEnded)
    }

    @Test func `NotStandalone is answered by a handler, else by the delegate, else with yes`() {
      let document = #"<!DOCTYPE a SYSTEM "a.dtd"><a/>"#
      #expect(events(of: document).isCompleted)
      var asked = 0
      let bag = DisposeBag()
      let refused = events(of: document) { parser in
        parser.proxy.notStandalone.replaceAnswer {
          asked += 1
          return false
        }.dispose(in: bag)
      }
      #expect(refused.failure?.message == "document is not standalone")
      #expect(asked == 1)
      let reader = Reader()
      reader.acceptsNotStandalone = false
      #expect(events(of: document) { $0.delegate = reader }.failure?.code == refused.failure?.code)
      let overruled = events(of: document) { parser in
        parser.delegate = reader
        parser.proxy.notStandalone.replaceAnswer { true }.dispose(in: bag)
      }
      #expect(overruled.isCompleted)
      #expect(events(of: #"<?xml version="1.0" standalone="yes"?>"# + document) { $0.delegate = reader }.isCompleted)
      bag.dispose()
    }

    @Test func `external entities come from a handler or the delegate; without one they are skipped`() {
      let document = #"<!DOCTYPE a [<!ENTITY e SYSTEM "e.xml">]><a>&e;</a>"#
      func texts(_ configure: @escaping (ExpatParser) -> Void) -> String {
        events(of: document, configure: configure).elements.compactMap {
          switch $0 {
          case .startElement, .endElement, .characters: $0.summary
          default: nil
          }
        }.joined()
      }
      #expect(texts { _ in } == "<a></a>")
      let reader = Reader()
      #expect(texts { $0.delegate = reader } == "<a><from>e.xml</from></a>")
      let bag = DisposeBag()
      #expect(
        texts { $0.proxy.externalEntity.replaceAnswer { _ in Array("text".utf8) }.dispose(in: bag) } == "<a>text</a>")
      let wrong = events(of: document) {
        $0.proxy.externalEntity.replaceAnswer { _ in Array("<b>".utf8) }.dispose(in: bag)
      }
      #expect(wrong.failure?.message == "error in processing external entity reference")
      bag.dispose()
    }

    @Test
    func `freed inside of a handler, by whomever: no further event, and expat's memory goes when it has returned (N2)`()
    {
      let reader = Reader()
      let parser = ExpatParser()
      parser.delegate = reader
      let recorder = parser.events.record()
      reader.onStart = { if $0 == "b" { parser.free() } }
      parser.parse(Array("<a><b/><c/></a>".utf8))
      #expect(reader.log == ["<a>", "<b>", "1:3: parsing aborted"])
      #expect(recorder.elements.map(\.summary) == ["<a>"])
      #expect(recorder.failure?.message == "parsing aborted")
      // After `free()`, all of these do nothing.
      parser.parse(Array("<d/>".utf8))
      parser.pause()
      parser.resume()
      parser.finish()
      parser.free()
      #expect(reader.log.count == 3)
      reader.onStart = { _ in }
    }

    @Test func `the last reference to the parser may go inside of its own handler`() {
      weak var released: ExpatParser?
      let reader = Reader()
      var parser: ExpatParser? = ExpatParser()
      released = parser
      parser?.delegate = reader
      reader.onStart = { _ in parser = nil }
      parser?.parse(Array("<a><b/></a>".utf8))
      #expect(released == nil)
      #expect(reader.log.first == "<a>")
      #expect(reader.log.last?.hasSuffix("parsing aborted") == true || reader.log.last == "</a>")
    }

    @Test func `bytes that a handler gives to the parser come after those that it reads`() {
      let reader = Reader()
      let parser = ExpatParser()
      parser.delegate = reader
      reader.onStart = { name in
        if name == "a" { parser.parse(Array("<late/></a>".utf8)) }
      }
      parser.parse(Array("<a><b/>".utf8))
      parser.finish()
      #expect(reader.log == ["<a>", "<b>", "</b>", "<late>", "</late>", "</a>", "end"])
      reader.onStart = { _ in }
    }
  }
}
