import TestSupport
import Testing

@testable import EventLoops

@Suite("Bytes")
struct BytesTests {
  @Test func `made of anything that has bytes, and equal where the bytes are`() {
    let bytes: Bytes = "hello"
    #expect(bytes == Bytes(Array("hello".utf8)))
    #expect(bytes == Bytes("hello"))
    #expect(bytes == [104, 101, 108, 108, 111])
    #expect(bytes == Bytes("well, hello".utf8.dropFirst(6)))
    #expect(bytes == Bytes(AnyCollection([104, 101, 108, 108, 111])))
    #expect(Bytes(repeating: 7, count: 3) == [7, 7, 7])
    #expect(Bytes(1...3) == [1, 2, 3])
    #expect(bytes != "hellp" && bytes != "hell")
    #expect(Bytes() == [] && Bytes().isEmpty && Bytes(EmptyCollection()) == Bytes())
    #expect(bytes.hashValue == Bytes("why hello").suffix(5).hashValue)
    #expect(Set<Bytes>(["a", "b", "a"]).count == 2)
    #expect(
      Bytes(unsafeUninitializedCapacity: 10) {
        $0.storeBytes(of: 9, as: UInt8.self); return 1
      } == [9])
  }

  @Test func `a collection like any other, whose slices share the memory and keep their indices`() {
    var random = SeededGenerator(1)
    let array = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
    let bytes = Bytes(array)
    #expect(bytes.count == 200 && bytes.indices == 0..<200 && Array(bytes) == array)
    for _ in 0..<500 {
      let lower = Int.random(in: 0...200, using: &random)
      let upper = Int.random(in: lower...200, using: &random)
      let slice = bytes[lower..<upper]
      let model = array[lower..<upper]
      #expect(slice.indices == model.indices)
      #expect(slice.elementsEqual(model))
      #expect(slice.reversed().elementsEqual(model.reversed()))
      #expect(slice.first == model.first && slice.last == model.last)
      let count = Int.random(in: 0...100, using: &random)
      #expect(slice.prefix(count).elementsEqual(model.prefix(count)))
      #expect(slice.suffix(count).elementsEqual(model.suffix(count)))
      #expect(slice.dropFirst(count).indices == model.dropFirst(count).indices)
      #expect(slice.dropLast(count).elementsEqual(model.dropLast(count)))
      let byte = UInt8.random(in: 0...255, using: &random)
      #expect(slice.firstIndex(of: byte) == model.firstIndex(of: byte))
      #expect(slice.lastIndex(of: byte) == model.lastIndex(of: byte))
      #expect(slice.split(separator: byte).map { Array($0) } == model.split(separator: byte).map { Array($0) })
      #expect(slice.rebased.indices == 0..<model.count)
      #expect(slice.rebased == slice)
      if let index = model.indices.randomElement(using: &random) {
        #expect(slice[index] == model[index])
        #expect(slice.index(after: index) == index + 1)
        #expect(slice.index(before: index) == index - 1)
        #expect(slice.distance(from: slice.startIndex, to: index) == index - lower)
      }
      // No byte has been copied.
      if upper > lower {
        bytes.withUnsafeBytes { all in
          slice.withUnsafeBytes { #expect($0.baseAddress == all.baseAddress! + lower) }
        }
      }
    }
  }

  @Test func `spans, pointers and arrays of the same bytes`() {
    let bytes = Bytes("0123456789")[2..<8]
    #expect(bytes.withUnsafeBytes { Array($0) } == Array("234567".utf8))
    #expect(bytes.withContiguousStorageIfAvailable { Array($0) } == Array("234567".utf8))
    #expect(bytes.span.count == 6 && bytes.span[0] == UInt8(ascii: "2"))
    #expect(
      bytes.rawSpan.byteCount == 6 && bytes.rawSpan.unsafeLoad(fromByteOffset: 5, as: UInt8.self) == UInt8(ascii: "7"))
    #expect(Bytes().span.isEmpty && Bytes().rawSpan.isEmpty)
    #expect(Bytes(copying: bytes.rawSpan) == bytes)
    #expect([UInt8](bytes) == Array("234567".utf8))
    var sum = 0
    for byte in bytes { sum += Int(byte) }
    #expect(sum == "234567".utf8.reduce(0) { $0 + Int($1) })
  }

  @Test func `a literal with interpolations is text`() {
    let bytes: Bytes = "line \(1 + 1)\n"
    #expect(bytes == Bytes("line 2\n"))
  }

  @Test func `text: repaired, validated, described`() {
    #expect(String(Bytes("Grüße, 世界")) == "Grüße, 世界")
    #expect(String([0x61, 0xff, 0x62] as Bytes) == "a\u{fffd}b")
    #expect(String(validating: Bytes("Grüße")) == "Grüße")
    #expect(String(validating: [0x61, 0xff] as Bytes) == nil)
    #expect("\(Bytes("text"))" == "text")
    #expect("\([0x01, 0xff] as Bytes)" == "2 bytes: 01 ff")
    #expect(Bytes(repeating: 0xff, count: 33).description.hasSuffix("ff …"))
    #expect(Bytes("ab".dropFirst()) == "b")
  }

  @Test func `joined in one new buffer, or none where there is nothing to join`() {
    let first: Bytes = "one, "
    #expect(first + "two" == "one, two")
    #expect(Bytes(joining: [first, "", "two", ", three"]) == "one, two, three")
    #expect(Bytes(joining: []) == Bytes())
    let same = first + Bytes()
    same.withUnsafeBytes { a in first.withUnsafeBytes { #expect(a.baseAddress == $0.baseAddress) } }
  }

  @Test func `an empty slice has its place, and retains no buffer`() {
    let all = Bytes(repeating: 7, count: 100)
    for empty in [all.dropFirst(100), all.prefix(0), all[40..<40], all.suffix(0)] {
      #expect(empty.isEmpty && empty.storage == nil)
      #expect(empty == Bytes() && empty.withUnsafeBytes { $0.count } == 0 && empty.rebased.startIndex == 0)
      #expect(empty[empty.startIndex...].isEmpty && empty.firstIndex(of: 7) == nil && Array(empty + all) == Array(all))
    }
    #expect(all[40..<40].indices == 40..<40)
  }

  @Test func `compacted() lets go of a large buffer, and only of a large one`() {
    weak var storage: ByteStorage?
    var kept: Bytes
    do {
      let large = Bytes(repeating: 1, count: 65_536)
      storage = large.storage
      kept = large[100..<104]
    }
    #expect(storage != nil)
    kept = kept.compacted()
    #expect(storage == nil && kept == [1, 1, 1, 1] && kept.indices == 0..<4)
    let most = Bytes(repeating: 2, count: 100).dropFirst(10)
    #expect(most.compacted().storage === most.storage)
    #expect(Bytes().compacted() == Bytes())
  }

  @Test func `bytes outside of the bounds trap, with the reason`() async {
    let index = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Bytes("hello").dropFirst(2)[0]
    }
    let indexText = String(decoding: index?.standardErrorContent ?? [], as: UTF8.self)
    #expect(indexText.contains("There is no byte at 0"))
    let range = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Bytes("hello")[3..<6]
    }
    let rangeText = String(decoding: range?.standardErrorContent ?? [], as: UTF8.self)
    #expect(rangeText.contains("There are no bytes at 3..<6"))
  }

  @Test func `a builder grows, and hands out what it has without copying`() {
    var random = SeededGenerator(2)
    let builder = BytesBuilder()
    for _ in 0..<50 {
      var model: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<20, using: &random) {
        let piece = (0..<Int.random(in: 0..<300, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
        builder.append(Bytes(piece))
        model += piece
      }
      let count = builder.count
      #expect(count == model.count)
      let before = builder.withUnsafeBytes { Array($0) }
      #expect(before == model)
      let taken = builder.take()
      #expect(Array(taken) == model)
      let isEmpty = builder.isEmpty
      #expect(isEmpty)
    }
  }
}
