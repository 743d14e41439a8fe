import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

/// Lines that are cut if they are too long.
@Suite(.noLiveResources) struct CutLineTests {
  static func lines(_ pieces: [Bytes], _ limit: Int) -> Recorder<String, Never> {
    Stream.sequence(pieces).lines(cutAt: limit).record()
  }

  @Test func `long lines come in pieces, others as they are`() {
    let recorder = Self.lines(["short\n", "exactly8\n", "nine nine\r\n", "\n", "a very long line\nend"], 8)
    #expect(recorder.elements == ["short", "exactly8", "nine nin", "e", "", "a very l", "ong line", "end"])
    #expect(recorder.isCompleted)
  }

  @Test func `a CR that ends a line does not count`() {
    #expect(Self.lines(["12345678\r\n"], 8).elements == ["12345678"])
    #expect(Self.lines(["12345678", "\r", "\n"], 8).elements == ["12345678"])
    #expect(Self.lines(["12345678\r", "9\n"], 8).elements == ["12345678", "\r9"])
    #expect(Self.lines(["12345678\r"], 8).elements == ["12345678", "\r"])
    #expect(Self.lines(["1234567\r"], 8).elements == ["1234567\r"])
  }

  @Test func `characters are not cut through`() {
    #expect(Self.lines(["1234567äbc\n"], 8).elements == ["1234567", "äbc"])
    #expect(Self.lines(["12345", "😀", "6\n"], 8).elements == ["12345", "😀6"])
    #expect(Self.lines(["1234😀6\n"], 8).elements == ["1234😀", "6"])
    // Bytes that are not UTF-8 are cut anywhere.
    #expect(Self.lines([Bytes(repeating: 0x80, count: 10)], 4).elements.map(\.unicodeScalars.count) == [4, 4, 2])
  }

  @Test(arguments: 4...9) func `however the bytes come, nothing is lost`(_ limit: Int) {
    var random = SeededGenerator(UInt64(limit))
    for _ in 0..<300 {
      let text = String(
        (0..<Int.random(in: 0...60, using: &random)).map { _ in "abcdefä€😀\n".randomElement(using: &random)! })
      let whole = Self.lines([Bytes(text)], limit).elements
      #expect(Self.lines(FramingTests.pieces(Bytes(text), &random), limit).elements == whole)
      #expect(whole.allSatisfy { $0.utf8.count <= limit })
      #expect(whole.joined() == text.filter { $0 != "\n" })
      // Lines that are short enough are unchanged.
      for line in text.split(separator: "\n") where line.utf8.count <= limit { #expect(whole.contains(String(line))) }
    }
  }

  @Test func `there has to be room for a character`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.just("x" as Bytes).lines(cutAt: 3)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("there has to be room for a character"))
  }
}
