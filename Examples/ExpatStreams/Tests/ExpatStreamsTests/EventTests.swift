import ExpatStreams
import Streams
import StreamsTesting
import Testing

extension ExpatTests {
  @Suite("Events") struct EventTests {
    @Test func `every handler of expat is an event`() {
      let document = """
        <?xml version="1.0" encoding="utf-8" standalone="yes"?>
        <!DOCTYPE book [
        <!ELEMENT book (title,(para|note)*,end?)>
        <!ELEMENT title (#PCDATA|em)*>
        <!ELEMENT end EMPTY>
        <!ELEMENT any ANY>
        <!ATTLIST book lang CDATA #REQUIRED kind (a|b) "a">
        <!ENTITY who "the author">
        <!ENTITY photo SYSTEM "p.gif" NDATA gif>
        <!NOTATION gif PUBLIC "-//GIF" "viewer">
        ]>
        <book lang="en" xmlns="urn:b" xmlns:x="urn:x"><!-- a comment --><?go now?>by &who;<![CDATA[<&>]]></book>
        """
      let recorder = events(of: document, ExpatParser.Options(namespaceSeparator: "|"))
      let expected: [XMLEvent] = [
        .declaration(version: "1.0", encoding: "utf-8", isStandalone: true),
        .startDoctype("book", systemID: nil, publicID: nil, hasInternalSubset: true),
        .elementDeclaration("book", model: "(title,(para|note)*,end?)"),
        .elementDeclaration("title", model: "(#PCDATA|em)*"),
        .elementDeclaration("end", model: "EMPTY"),
        .elementDeclaration("any", model: "ANY"),
        .attributeDeclaration(element: "book", "lang", type: "CDATA", default: nil, isRequired: true),
        .attributeDeclaration(element: "book", "kind", type: "(a|b)", default: "a", isRequired: false),
        .entityDeclaration(XMLEntity("who", value: "the author")),
        .entityDeclaration(XMLEntity("photo", systemID: "p.gif", notation: "gif")),
        .unparsedEntity(XMLEntity("photo", systemID: "p.gif", notation: "gif")),
        .notationDeclaration("gif", systemID: "viewer", publicID: "-//GIF"),
        .endDoctype,
        .startNamespace(prefix: nil, uri: "urn:b"),
        .startNamespace(prefix: "x", uri: "urn:x"),
        .startElement("urn:b|book", [XMLAttribute("lang", "en"), XMLAttribute("kind", "a")]),
        .comment(" a comment "),
        .processingInstruction(target: "go", data: "now"),
        .characters("by the author"),
        .startCDATA,
        .characters("<&>"),
        .endCDATA,
        .endElement("urn:b|book"),
        .endNamespace(prefix: "x"),
        .endNamespace(prefix: nil),
      ]
      let isOther: (XMLEvent) -> Bool = { if case .other = $0 { true } else { false } }
      #expect(recorder.elements.filter { !isOther($0) } == expected)
      // No other handler receives the white space in the document type declaration.
      #expect(recorder.elements.contains(where: isOther))
      #expect(recorder.isCompleted)
    }

    @Test func `references to entities that are not read are events, too`() {
      let recorder = events(of: #"<!DOCTYPE a SYSTEM "a.dtd"><a>x&unknown;y</a>"#)
      #expect(recorder.elements.map(\.summary).contains(#"skippedEntity("unknown", isParameter: false)"#))
      #expect(recorder.isCompleted)
    }

    @Test func `a document comes in pieces of any size, and its texts are joined`() {
      let document = Array("<a>one &amp; two\nthree<b/>vier: ä€😀</a>".utf8)
      let whole = ["<a>", "one & two\nthree", "<b>", "</b>", "vier: ä€😀", "</a>"]
      for size in 1...document.count {
        let pieces = stride(from: 0, to: document.count, by: size).map {
          Array(document[$0..<min($0 + size, document.count)])
        }
        let plain = Stream.sequence(pieces).parseXML().record()
        let joined = Stream.sequence(pieces).parseXML().joiningCharacters().record()
        #expect(plain.isCompleted && joined.isCompleted)
        #expect(joined.elements.map(\.summary) == whole)
        // Expat itself ends a text at each line and entity.
        #expect(plain.elements.count > joined.elements.count)
        #expect(plain.elements.map(\.summary).joined() == whole.joined())
      }
    }

    @Test(arguments: [("(", ")"), ("(b,", ")")])
    func `content that is nested deeply is text`(_ start: String, _ end: String) {
      let count = 50_000
      let model = String(repeating: start, count: count) + "b" + String(repeating: end, count: count)
      let recorder = events(of: "<!DOCTYPE a [<!ELEMENT a \(model)>]><a/>")
      let texts = recorder.elements.compactMap { event in
        if case .elementDeclaration(_, model: let text) = event { text } else { nil }
      }
      #expect(texts == [model] && recorder.isCompleted)
    }

    @Test func `a failure is typed, says where, comes once, and drops the text that is held`() {
      let recorder = events(of: "<a>\n  <b>text</c></a>")
      #expect(recorder.failure == ExpatError(code: 7, message: "mismatched tag", line: 2, column: 11))
      #expect(recorder.elements.map(\.summary) == ["<a>", "\n  ", "<b>"])
      #expect(recorder.failure?.description == "2:11: mismatched tag")
      #expect(events(of: "<a>").failure?.message == "no element found")
    }

    @Test func `a failure of the bytes passes through`() {
      let error = ExpatError(code: 0, message: "read", line: 0, column: 0)
      let bytes = PushOperation<[UInt8], ExpatError>()
      let recorder = bytes.parseXML().record()
      bytes.next(Array("<a>".utf8))
      bytes.failed(error)
      #expect(recorder.elements == [.startElement("a", [])])
      #expect(recorder.failure == error)
    }

    @Test func `a stream is cold: each observer has a parser, and an infinite source ends with its observer`() {
      let endless = Stream.sequence(
        sequence(first: Array("<a>".utf8)) { _ in Array("<b>x</b>".utf8) }
      ).parseXML()
      for _ in 0..<2 {
        #expect(endless.take(4).record().elements.map(\.summary) == ["<a>", "<b>", "x", "</b>"])
      }
    }
  }
}
