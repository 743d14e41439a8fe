import Delegates
import ExpatStreams
import Foundation
import Streams
import StreamsTesting
import Testing

extension ExpatTests {
  /// Tests with the MIME types of freedesktop.org, as Debian installs them: 2.4 MB with a document type. The content is
  /// repeated inside its root element, to 12 MB, and parsed in pieces of 64 KiB.
  @Suite("A big document") struct BigDocumentTests {
    // The full size takes minutes under a sanitizer.
    static let copies = ProcessInfo.processInfo.environment["HEADWATER_SANITIZER"] == nil ? 5 : 1

    static let document: [UInt8] = {
      let path = "/usr/share/mime/packages/freedesktop.org.xml"
      guard let text = try? String(contentsOfFile: path, encoding: .utf8),
        let start = text.range(of: #"<mime-info xmlns="[^"]*">"#, options: .regularExpression),
        let end = text.range(of: "</mime-info>", options: .backwards)
      else { return [] }
      let content = String(repeating: String(text[start.upperBound..<end.lowerBound]), count: copies)
      return Array((text[..<start.upperBound] + content + text[end.lowerBound...]).utf8)
    }()

    static var pieces: [[UInt8]] {
      stride(from: 0, to: document.count, by: 1 << 16).map { Array(document[$0..<min($0 + 1 << 16, document.count)]) }
    }

    /// Counts the start tags with this name, without a parser.
    static func count(of name: String) -> Int {
      let (open, space, close) = (UInt8(ascii: "<"), UInt8(ascii: " "), UInt8(ascii: ">"))
      let name = Array(name.utf8)
      return document.withUnsafeBytes { document in
        var count = 0
        for place in 0..<(document.count - name.count - 1) where document[place] == open {
          let end = place + 1 + name.count
          // Excludes longer names that begin with this one.
          if document[end] == space || document[end] == close, document[(place + 1)..<end].elementsEqual(name) {
            count += 1
          }
        }
        return count
      }
    }

    /// A delegate that hashes everything that it receives.
    final class Digest: ExpatDelegate {
      private var hasher = Hasher()
      private var text = ""
      private(set) var count = 0
      private(set) var ends = 0
      var isComplete = false

      /// Hashes the pending text and then the event. Texts are joined, so that their division into pieces does not matter.
      private func take(_ event: XMLEvent) {
        if !text.isEmpty {
          hasher.combine(text)
          text = ""
        }
        hasher.combine(event)
        count += 1
      }

      func didReadDeclaration(version: String?, encoding: String?, isStandalone: Bool?) {
        take(.declaration(version: version, encoding: encoding, isStandalone: isStandalone))
      }
      func didStartElement(_ name: String, attributes: [XMLAttribute]) { take(.startElement(name, attributes)) }
      func didEndElement(_ name: String) {
        take(.endElement(name))
        ends += 1
      }
      func didReadCharacters(_ text: String) { self.text += text }
      func didReadComment(_ text: String) { take(.comment(text)) }
      func didStartDoctype(_ name: String, systemID: String?, publicID: String?, hasInternalSubset: Bool) {
        take(.startDoctype(name, systemID: systemID, publicID: publicID, hasInternalSubset: hasInternalSubset))
      }
      func didEndDoctype() { take(.endDoctype) }
      func didDeclareElement(_ name: String, model: String) { take(.elementDeclaration(name, model: model)) }
      func didDeclareAttribute(of element: String, _ name: String, type: String, default: String?, isRequired: Bool) {
        take(.attributeDeclaration(element: element, name, type: type, default: `default`, isRequired: isRequired))
      }
      func didEnd(_ error: ExpatError?) { isComplete = error == nil }

      var value: Int { hasher.finalize() }
    }

    /// The digest of a delegate without any observer.
    static let undisturbed: (value: Int, count: Int) = {
      let (parser, digest) = (ExpatParser(), Digest())
      parser.delegate = digest
      for piece in pieces { parser.parse(piece) }
      parser.finish()
      return digest.isComplete ? (digest.value, digest.count) : (0, 0)
    }()

    @Test func `elements are observed while the delegate that was there gets everything`() {
      let types = Self.count(of: "mime-type")
      #expect(types > 500 * Self.copies)
      #expect(Self.document.count > 2_000_000 * Self.copies)
      let digest = Digest()
      var seen = 0
      let outcome = Stream.sequence(Self.pieces).parseXML(observing: { parser in
        parser.delegate = digest
        return parser.proxy.startElement.stream.filter { name, _ in name == "mime-type" }
      }).observe(next: { _ in seen += 1 }, termination: { end in #expect(end.failure == nil) })
      #expect(outcome.isDisposed)
      #expect(seen == types)
      #expect(digest.isComplete)
      #expect(digest.value == Self.undisturbed.value)
      #expect(digest.count == Self.undisturbed.count)
      #expect(digest.ends > types)
    }

    @Test
    func `paused by its subscription again and again the parser stops, and nothing is lost, doubled or out of order`() {
      let digest = Digest()
      var names: [String] = []
      var globs = 0
      var pauses = 0
      var hasEnded = false
      var parser: ExpatParser?
      var subscription: Subscription?
      let start = PushOperation<Void, ExpatError>()
      subscription = start.flatMap(.concat) {
        Stream.sequence(Self.pieces).parseXML(observing: {
          parser = $0
          $0.delegate = digest
          return $0.proxy.startElement.stream
        })
      }.observe(
        next: { name, attributes in
          if name == "glob" { globs += 1 }
          names.append(name)
          if names.count.isMultiple(of: 97) { subscription?.pause() }
        },
        termination: { end in hasEnded = end.failure == nil })
      start.next(())
      start.terminate(.completed)
      while let paused = parser, paused.isPaused {
        pauses += 1
        // The parser has stopped at the pause. Expat has sent at most one more event, which is kept.
        #expect(names.count == pauses * 97)
        #expect(paused.keptCount <= 1)
        subscription?.resume()
      }
      #expect(hasEnded)
      #expect(pauses == names.count / 97)
      #expect(globs == Self.count(of: "glob"))
      #expect(digest.value == Self.undisturbed.value)
      #expect(digest.count == Self.undisturbed.count)
      subscription?.dispose()
      (subscription, parser) = (nil, nil)
    }

    @Test func `where only elements are observed expat has one handler, and its texts are nobody's`() {
      var handlers: Set<ExpatHandlers> = []
      var comments = 0
      let observing = Stream.sequence(Self.pieces).parseXML(observing: { parser in
        parser.proxy.startElement.stream.doOn(next: { _ in handlers.insert(parser.handlers) })
      }).observe(
        next: { name, _ in if name == "comment" { comments += 1 } },
        termination: { end in #expect(end.failure == nil) })
      #expect(observing.isDisposed)
      #expect(handlers == [.startElement])
      #expect(comments == Self.count(of: "comment"))
    }
  }
}
