import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

@Suite("Lines and frames", .noLiveResources)
struct FramingTests {
  /// `bytes` in pieces of random sizes, some of them empty.
  static func pieces(_ bytes: Bytes, _ random: inout SeededGenerator) -> [Bytes] {
    var rest = bytes
    var pieces: [Bytes] = []
    while !rest.isEmpty {
      let count = Int.random(in: 0...min(rest.count, Bool.random(using: &random) ? 4 : 60), using: &random)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }

  /// The result of the model: the parts up to the first that is too long, and whether there is one.
  static func model(_ text: [UInt8], _ delimiter: [UInt8], _ limit: Int) -> ([[UInt8]], Bool) {
    var parts: [[UInt8]] = []
    var rest = text[...]
    while !rest.isEmpty {
      var end = rest.startIndex
      while end + delimiter.count <= rest.endIndex, !rest[end...].starts(with: delimiter) { end += 1 }
      let isLast = end + delimiter.count > rest.endIndex
      let part = isLast ? Array(rest) : Array(rest[..<end])
      if part.count > limit { return (parts, true) }
      parts.append(part)
      rest = isLast ? [] : rest[(end + delimiter.count)...]
    }
    return (parts, false)
  }

  @Test(arguments: 0..<4)
  func `parts are the same however the bytes are cut, also through the middle of a delimiter`(_ kind: Int) {
    let delimiter = ([[59], [59, 59], [1, 2, 1], [0, 0, 0, 1]] as [[UInt8]])[kind]
    var random = SeededGenerator(UInt64(kind + 10))
    for _ in 0..<400 {
      let text = (0..<Int.random(in: 0..<200, using: &random)).map { _ -> UInt8 in
        Int.random(in: 0..<3, using: &random) > 0 ? delimiter.randomElement(using: &random)! : 97
      }
      let limit = Int.random(in: 1...40, using: &random)
      let (parts, isTooLong) = Self.model(text, delimiter, limit)
      let recorder = Stream.sequence(Self.pieces(Bytes(text), &random)).split(on: Bytes(delimiter), limit: limit)
        .record()
      #expect(recorder.elements.map { Array($0) } == parts)
      #expect(recorder.failure == (isTooLong ? .tooLong(limit: limit) : nil))
      #expect(recorder.isCompleted == !isTooLong)
    }
  }

  @Test func `lines end with LF or CR LF, the last one with the stream`() {
    var random = SeededGenerator(20)
    for _ in 0..<400 {
      var text = ""
      var lines: [String] = []
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        let line = String(
          (0..<Int.random(in: 0..<20, using: &random)).map { _ in "aü\r €".randomElement(using: &random)! })
        // A CR before an LF belongs to the line end, so no line ends in a CR.
        let clean = line.last == "\r" ? line + "." : line
        lines.append(clean)
        text += clean + (Bool.random(using: &random) ? "\n" : "\r\n")
      }
      if Bool.random(using: &random) {
        text += "last\r"
        lines.append("last\r")
      }
      let pieces = Self.pieces(Bytes(text), &random)
      let recorder = Stream.sequence(pieces).lines().record()
      #expect(recorder.elements == lines)
      #expect(recorder.isCompleted)
    }
    #expect(Stream.just([0x61, 0xff, 0x0a] as Bytes).lines().record().elements == ["a\u{fffd}"])
  }

  @Test func `the limit of a line does not count its end, and fails before the end has come`() {
    func lines(_ pieces: Bytes...) -> (elements: [String], failure: FramingError<Never>?) {
      let recorder = Stream.sequence(pieces).lines(limit: 4).record()
      return (recorder.elements, recorder.failure)
    }
    #expect(lines("abcd\r\nabcd\n", "abc", "d\r", "\nabcd").elements == ["abcd", "abcd", "abcd", "abcd"])
    #expect(lines("ok\nabcde\nnot").failure == .tooLong(limit: 4))
    #expect(lines("ok\nabcde\nnot").elements == ["ok"])
    #expect(lines("abcd", "e").failure == nil ? false : true)
    #expect(lines("abc", "de\r", "\n").failure == .tooLong(limit: 4))
    // Without a line end, the operator retains no more than the limit.
    let endless = PushStream<Bytes>()
    let recorder = endless.lines(limit: 1_000).record()
    for _ in 0..<11 { endless.next(Bytes(repeating: 65, count: 100)) }
    #expect(recorder.failure == .tooLong(limit: 1_000))
  }

  @Test func `frames are the same however the bytes are cut, in both byte orders and all sizes of the length`() {
    var random = SeededGenerator(30)
    func check<Length: FixedWidthInteger & UnsignedInteger>(_ type: Length.Type, _ order: ByteOrder) {
      let frames = (0..<Int.random(in: 0..<10, using: &random)).map { _ in
        Bytes((0..<Int.random(in: 0..<100, using: &random)).map { UInt8($0) })
      }
      let all = Bytes(joining: frames.map { $0.framed(lengthPrefix: type, byteOrder: order) })
      let recorder = Stream.sequence(Self.pieces(all, &random))
        .frames(lengthPrefix: type, byteOrder: order, limit: 99).record()
      #expect(recorder.elements == frames)
      #expect(recorder.isCompleted)
    }
    for _ in 0..<100 {
      for order in [ByteOrder.bigEndian, .littleEndian] {
        check(UInt8.self, order)
        check(UInt16.self, order)
        check(UInt32.self, order)
        check(UInt64.self, order)
      }
    }
  }

  @Test func `a frame that is announced as too long, or that is cut off, fails`() {
    func frames(_ pieces: Bytes...) -> FramingError<Never>? {
      Stream.sequence(pieces).frames(lengthPrefix: UInt16.self, limit: 300).record().failure
    }
    #expect(frames([1, 45]) == .tooLong(limit: 300))
    #expect(frames([1], [45], "x") == .tooLong(limit: 300))
    #expect(frames([0, 0, 0]) == .incomplete(count: 1))
    #expect(frames([0, 3, 65], [66]) == .incomplete(count: 4))
    #expect(frames([0, 0], [0], [1], [7]) == nil)
    let huge = Stream.just(Bytes(repeating: 0xff, count: 8)).frames(lengthPrefix: UInt64.self, limit: .max).record()
    #expect(huge.failure == .tooLong(limit: .max))
    #expect(Bytes("hello").framed(lengthPrefix: UInt8.self) == [5, 104, 101, 108, 108, 111])
  }

  @Test func `a frame within one element shares its memory`() {
    let text: Bytes = "one;two;three"
    for part in Stream.just(text).split(on: ";", limit: 10).record().elements.dropLast() {
      #expect(part.storage === text.storage && part.startIndex == 0)
    }
    let frame = Bytes("hello").framed(lengthPrefix: UInt32.self)
    let whole = Stream.just(frame).frames(lengthPrefix: UInt32.self, limit: 10).record().elements
    #expect(whole == ["hello"] && whole[0].storage === frame.storage)
  }

  @Test func `a pause between two parts holds the others, and the end; a failure does not wait`() {
    let source = PushOperation<Bytes, TestError>()
    var parts: [String] = []
    var ends = 0
    var subscription: Subscription?
    subscription = source.split(on: ",", limit: 10).observe(
      next: {
        parts.append(String($0))
        if parts.count == 2 { subscription?.pause() }
      }, termination: { _ in ends += 1 })
    source.next("a,b,c,d")
    #expect(parts == ["a", "b"])
    subscription?.resume()
    #expect(parts == ["a", "b", "c"])
    subscription?.pause()
    // The source cannot wait, so the elements that it sends are delivered.
    source.next("e,f,")
    source.next(",g")
    #expect(parts == ["a", "b", "c", "de", "f"])
    source.completed()
    #expect(ends == 0)
    subscription?.resume()
    #expect(parts == ["a", "b", "c", "de", "f", "", "g"] && ends == 1)

    let failing = PushOperation<Bytes, TestError>()
    let events = failing.split(on: ",", limit: 10).record()
    failing.next("a,b")
    failing.failed(TestError())
    #expect(events.elements == ["a"] && events.failure == .source(TestError()))
  }

  @Test func `what is held is delivered although the source has gone without an end, and is then released`() {
    weak var watched: DisposeBag?
    var source: PushStream<Bytes>? = PushStream()
    var parts: [String] = []
    var subscription: Subscription?
    do {
      let canary = DisposeBag()
      watched = canary
      subscription = source?.split(on: ",", limit: 10).observeNext {
        _ = canary
        parts.append(String($0))
        if parts.count == 1 { subscription?.pause() }
      }
    }
    source?.next("a,b,c,d")
    source = nil
    #expect(parts == ["a"])
    #expect(watched != nil)
    subscription?.resume()
    #expect(parts == ["a", "b", "c"])
    #expect(watched == nil)
    subscription?.dispose()
  }

  @Test func `disposal from inside of a part ends it, and take(1) takes one`() {
    #expect(Stream.just("a,b,c" as Bytes).split(on: ",", limit: 9).take(1).record().elements == ["a"])
    let source = PushStream<Bytes>()
    let bag = DisposeBag()
    var parts = 0
    source.split(on: ",", limit: 9).observeNext { _ in
      parts += 1
      bag.dispose()
    }.dispose(in: bag)
    source.next("a,b,c")
    #expect(parts == 1 && source.observerCount == 0)
  }

  @Test func `nonsensical limits trap`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream<Bytes>.never().lines(limit: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Lines and frames need room: their limit is 0 bytes"))
    await #expect(processExitsWith: .failure) { _ = Stream<Bytes>.never().split(on: "", limit: 1) }
  }

  @Test func `a limit of 0 accepts empty frames only, and a smaller one traps`() async {
    let empty = Stream.just("\0\0" as Bytes).frames(lengthPrefix: UInt8.self, limit: 0).record()
    #expect(empty.events == [.next(""), .next(""), .completed])
    let long = Stream.just("\0\u{1}x" as Bytes).frames(lengthPrefix: UInt8.self, limit: 0).record()
    #expect(long.elements == [""] && long.failure == .tooLong(limit: 0))
    await #expect(processExitsWith: .failure) {
      _ = Stream<Bytes>.never().frames(lengthPrefix: UInt8.self, limit: -1)
    }
  }

  @Test func `the greatest limit is as good as none`() {
    let text = Stream.just("one\r\ntwo" as Bytes)
    #expect(text.lines(limit: .max).record().elements == ["one", "two"])
    #expect(text.split(on: "\r\n", limit: .max).record().elements == ["one", "two"])
    #expect(text.lines(cutAt: .max).record().elements.count == 2)
  }

  @Test func `the length of a frame takes no memory before the frame comes; a long frame is put together`() {
    let announced = Stream.just("\0\0\0\u{64}\0\0\0\0x" as Bytes).frames(lengthPrefix: UInt64.self, limit: .max)
    #expect(announced.record().failure == .incomplete(count: 9))
    let long = Bytes(Array(repeating: Array(UInt8.min...UInt8.max), count: 10_000).joined())
    let framed = long.framed(lengthPrefix: UInt32.self)
    for size in [65_536, 1_500_000] {
      let pieces = stride(from: 0, to: framed.count, by: size).map { framed.dropFirst($0).prefix(size) }
      #expect(Stream.sequence(pieces).frames(lengthPrefix: UInt32.self, limit: .max).record().elements == [long])
    }
  }
}
