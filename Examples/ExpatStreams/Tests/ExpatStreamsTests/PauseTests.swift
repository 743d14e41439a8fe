import Delegates
import ExpatStreams
import Glibc
import Streams
import StreamsTesting
import Testing

extension ExpatTests {
  @Suite("Waiting") struct PauseTests {
    @Test func `bytes that wait for a paused parser take time in proportion to their number`() {
      /// The processor time of this thread for as many pieces, in seconds.
      func seconds(_ count: Int) -> Double {
        let parser = ExpatParser()
        var elements = 0
        let subscription = parser.events.observe(next: { _ in elements += 1 }, termination: { _ in })
        let start = clock()
        parser.pause()
        parser.parse(Array("<a>".utf8))
        for _ in 0..<count { parser.parse(Array("<b/>".utf8)) }
        parser.parse(Array("</a>".utf8))
        parser.finish()
        parser.resume()
        let time = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        #expect(elements == 2 * count + 2)
        subscription.dispose()
        return time
      }
      _ = seconds(1_000)
      let (short, long) = (seconds(5_000), seconds(80_000))
      // 16 times as many. Moving all that waits for each piece would take 256 times as long.
      #expect(long < 64 * short, "\(short) s, \(long) s")
    }

    @Test
    func `pausing inside of a handler stops expat; the one event that it still tells is kept, and nothing is lost`() {
      let bytes = PushStream<[UInt8]>()
      let bag = DisposeBag()
      var parser: ExpatParser?
      var log: [String] = []
      var kept: [Int] = []
      var subscription: Subscription?
      subscription = bytes.parseXML { parser = $0 }.observe(
        next: { event in
          log.append(event.summary)
          if event == .startElement("stop", []) { subscription?.pause() }
        },
        termination: { _ in log.append("end") })
      subscription?.dispose(in: bag)
      bytes.next(Array("<a><stop/><b/><stop/><stop/></a>".utf8))
      bytes.completed()

      // Expat reports the start of an empty element together with its end, even after XML_StopParser.
      while parser?.hasEnded == false {
        #expect(parser?.isPaused == true)
        #expect(log.last == "<stop>")
        kept.append(parser?.keptCount ?? -1)
        subscription?.resume()
      }
      #expect(kept == [1, 1, 1])
      #expect(
        log == ["<a>", "<stop>", "</stop>", "<b>", "</b>", "<stop>", "</stop>", "<stop>", "</stop>", "</a>", "end"])
      parser = nil
      subscription = nil
    }

    @Test func `a paused observer reads no further: neither in the bytes expat has, nor in its source`() {
      var pieces = 0
      let source = Stream.sequence(1...).doOn(next: { _ in pieces += 1 }).map { number in
        Array((number == 1 ? "<a>" : "<b>\(number)</b>").utf8)
      }
      var elements: [String] = []
      var subscription: Subscription?
      // Delays the first event until `subscription` is set, so that the observer can pause it.
      let start = PushOperation<Void, ExpatError>()
      subscription = start.flatMap(.concat) { source.parseXML() }.observeNext { (event: XMLEvent) in
        elements.append(event.summary)
        if elements.count.isMultiple(of: 3) { subscription?.pause() }
      }
      start.next()
      var counts: [Int] = []
      for _ in 0..<5 {
        counts.append(elements.count)
        subscription?.resume()
      }
      #expect(counts == [3, 6, 9, 12, 15])
      #expect(pieces < 10, "\(pieces) pieces for \(elements.count) events")
      #expect(elements.prefix(7) == ["<a>", "<b>", "2", "</b>", "<b>", "3", "</b>"])
      subscription?.dispose()
      subscription = nil
    }

    @Test func `where expat goes on, inside of an external entity, all that it tells is kept, and the end after it`() {
      func parser(_ bag: DisposeBag) -> ExpatParser {
        let parser = ExpatParser(ExpatParser.Options(readsExternalDoctypes: true))
        parser.proxy.externalEntity.replaceAnswer { entity in
          Array((entity.systemID == "a.dtd" ? "<!ENTITY e SYSTEM 'e'><!NOTATION n SYSTEM 'v'>" : "<b/>text<c/>").utf8)
        }.dispose(in: bag)
        return parser
      }
      let document = #"<!DOCTYPE a SYSTEM "a.dtd"><a>&e;</a>"#
      let bag = DisposeBag()
      let plain = parser(bag)
      let expected = plain.events.record()
      plain.parse(Array(document.utf8))
      plain.finish()
      #expect(expected.elements.contains(.notationDeclaration("n", systemID: "v", publicID: nil)))
      #expect(expected.elements.contains(.startElement("c", [])))

      let slow = parser(bag)
      let recorder = slow.events.record()
      // Pauses after each event.
      slow.events.observeNext { _ in slow.pause() }.dispose(in: bag)
      slow.parse(Array(document.utf8))
      slow.finish()
      var mostKept = 0
      while !slow.hasEnded {
        mostKept = max(mostKept, slow.keptCount)
        slow.resume()
      }
      #expect(mostKept > 2)
      #expect(recorder.elements == expected.elements)
      #expect(recorder.isCompleted)
      bag.dispose()
    }

    @Test func `an error that expat has found meanwhile comes after what is kept`() {
      let parser = ExpatParser()
      let bag = DisposeBag()
      var log: [String] = []
      parser.events.observe(
        next: {
          log.append($0.summary)
          parser.pause()
        },
        termination: { log.append($0.failure?.message ?? "end") }
      ).dispose(in: bag)
      parser.parse(Array("<a/></b>".utf8))
      #expect(log == ["<a>"])
      parser.resume()
      #expect(log == ["<a>", "</a>"])
      parser.resume()
      #expect(log == ["<a>", "</a>", "not well-formed (invalid token)"])
      #expect(parser.hasEnded)
    }

    @Test func `paused between pieces: they wait in order, and the end with them`() {
      let bytes = PushStream<[UInt8]>()
      let recorder = bytes.parseXML().joiningCharacters().record()
      bytes.next(Array("<a>".utf8))
      recorder.pause()
      // A subject sends regardless of the pause.
      bytes.next(Array("x<b/>".utf8))
      bytes.next(Array("y</a>".utf8))
      bytes.completed()
      #expect(recorder.elements.map(\.summary) == ["<a>"])
      recorder.resume()
      #expect(recorder.elements.map(\.summary) == ["<a>", "x", "<b>", "</b>", "y", "</a>"])
      #expect(recorder.isCompleted)
    }

    @Test func `resumed inside of the same handler it goes on as if nothing had been`() {
      let parser = ExpatParser()
      let recorder = parser.events.record()
      let toggle = parser.events.observeNext { _ in
        parser.pause()
        parser.resume()
      }
      parser.parse(Array("<a><b/><c>text</c></a>".utf8))
      parser.finish()
      #expect(recorder.elements.map(\.summary) == ["<a>", "<b>", "</b>", "<c>", "text", "</c>", "</a>"])
      #expect(recorder.isCompleted)
      toggle.dispose()
    }

    @Test func `disposed of while it waits: the parser goes, and what is kept with it`() {
      weak var released: ExpatParser?
      let bytes = PushStream<[UInt8]>()
      var elements: [XMLEvent] = []
      var subscription: Subscription?
      subscription = bytes.parseXML { released = $0 }.observeNext {
        elements.append($0)
        subscription?.pause()
      }
      bytes.next(Array("<a/>".utf8))
      #expect(released?.keptCount == 1)
      subscription?.dispose()
      subscription = nil
      #expect(released == nil)
      #expect(elements == [.startElement("a", [])])
    }
  }
}
