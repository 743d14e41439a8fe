import Delegates
import ExpatStreams
import Streams
import StreamsTesting
import Testing

extension ExpatTests {
  @Suite("Encodings") struct EncodingTests {
    private static func document(_ bytes: [UInt8]) -> [UInt8] {
      Array(#"<?xml version="1.0" encoding="x-own"?><a>"#.utf8) + bytes + Array("</a>".utf8)
    }

    private static func texts(
      _ bytes: [UInt8], _ encoding: @escaping (String) -> ExpatEncoding?
    ) -> Recorder<String, ExpatError> {
      Stream.just(document(bytes)).parseXML { parser in
        parser.proxy.unknownEncoding.replaceAnswer { encoding($0) }
      }.joiningCharacters().map { if case .characters(let text) = $0 { text } else { "" } }.filter { !$0.isEmpty }
        .record()
    }

    @Test func `an encoding of single bytes`() {
      var asked: [String] = []
      let recorder = Self.texts([0xe1, 0x62, 0xff]) { name in
        asked.append(name)
        return ExpatEncoding { byte in byte < 0x80 ? Unicode.Scalar(byte) : Unicode.Scalar(0x0400 + UInt32(byte) - 0x80)
        }
      }
      #expect(asked == ["x-own"])
      #expect(recorder.elements == ["ѡbѿ"])
      #expect(recorder.isCompleted)
    }

    @Test func `an encoding of several bytes is asked for each sequence; what it does not know is an error`() {
      func encoding(_: String) -> ExpatEncoding? {
        var map = (0...255).map { Int32($0) }
        for lead in 0x80...0xbf { map[lead] = -2 }
        for lead in 0xc0...0xdf { map[lead] = -4 }
        return ExpatEncoding(map: map) { sequence in
          let value = sequence.dropFirst().reduce(UInt32(sequence[0] & 0x3f)) { $0 << 8 | UInt32($1) }
          return sequence.count == 2 ? Unicode.Scalar(value) : "☺"
        }
      }
      let good = Self.texts([0x84, 0x10, 0x61, 0xc1, 1, 2, 3], encoding)
      #expect(good.elements == ["\u{410}a☺"])
      #expect(good.isCompleted)
      let wrong = Self.texts([0x80, 0x01], encoding)
      #expect(wrong.failure?.message == "not well-formed (invalid token)")
    }

    @Test func `expat releases the encoding with the parser, and one that it refuses at once (E2)`() {
      weak var released: Witness?
      func encoding(isGood: Bool) -> ExpatEncoding {
        let witness = Witness()
        released = witness
        // Expat rejects a map that changes ASCII characters.
        return ExpatEncoding(map: (0...255).map { isGood ? $0 : 255 - $0 }) { _ in
          withExtendedLifetime(witness) { nil }
        }
      }
      let parser = ExpatParser()
      let answer = parser.proxy.unknownEncoding.replaceAnswer { _ in encoding(isGood: true) }
      parser.parse(Self.document([0x62]))
      #expect(released != nil)
      parser.free()
      #expect(released == nil)
      answer.dispose()

      let refused = Self.texts([0x62]) { _ in encoding(isGood: false) }
      #expect(refused.failure?.message == "unknown encoding")
      #expect(released == nil)
    }

    @Test func `nobody knows the encoding`() {
      #expect(Self.texts([], { _ in nil }).failure?.message == "unknown encoding")
    }
  }
}
