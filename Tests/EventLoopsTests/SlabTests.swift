import CUV
import Foundation
import Streams
import StreamsTesting
import TestSupport
import Testing

@testable import EventLoops

@Suite("Read slabs")
struct SlabTests {
  /// Reads `text` as a socket would.
  private func read(_ text: String, _ slabs: ReadSlabs, _ body: (Bytes) -> Void = { _ in }) {
    let room = slabs.room()
    Bytes(text).withUnsafeBytes { bytes in
      UnsafeMutableRawPointer(room.base!).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    }
    slabs.deliver(text.utf8.count, body)
  }

  @Test func `what nobody keeps is overwritten by the next read; what is kept is not`() {
    let slabs = ReadSlabs()
    let start = slabs.room().base
    read("first", slabs) { #expect($0 == "first") }
    #expect(slabs.room().base == start && slabs.room().len == ReadSlabs.size)
    var kept: [Bytes] = []
    read("second", slabs) { kept.append($0) }
    #expect(slabs.room().base == start! + 6)
    read("third", slabs)
    read("fourth", slabs) { kept.append($0.dropFirst(3)) }
    #expect(kept == ["second", "rth"])
    kept = []
    // If no slice is retained, the next read that is not retained resets the slab.
    read("fifth", slabs)
    #expect(slabs.room().base == start)
    #expect(slabs.count == 1)
  }

  @Test func `full slabs are used again when what was kept of them has gone, and their number has a bound`() {
    let slabs = ReadSlabs()
    let line = String(repeating: "x", count: 60_000)
    var kept: [Bytes] = []
    for _ in 0..<4 { read(line, slabs) { kept.append($0) } }
    #expect(slabs.count == 4)
    kept.removeFirst(3)
    for _ in 0..<3 { read(line, slabs) { kept.append($0) } }
    #expect(slabs.count == 4)
    for _ in 0..<30 { read(line, slabs) { kept.append($0) } }
    #expect(slabs.count == 1 + ReadSlabs.most)
    #expect(kept.allSatisfy { $0.count == 60_000 && $0.allSatisfy { $0 == UInt8(ascii: "x") } })
  }

  @Test func `slices that are let go of on other threads: the slab is used again, and no byte changes under a reader`()
    async throws
  {
    try await onOwnThread {
      let slabs = ReadSlabs()
      let start = slabs.room().base
      let queue = DispatchQueue(label: "readers", attributes: .concurrent)
      let wrong = Lock(0)
      for round in 0..<(Effort.isSanitized ? 100 : 300) {
        let text = String(repeating: Character(UnicodeScalar(UInt8(97 + round % 26))), count: 5_000)
        for _ in 0..<3 {
          read(text, slabs) { bytes in
            queue.async {
              let first = bytes.first!
              if !bytes.allSatisfy({ $0 == first }) { wrong.withLock { $0 += 1 } }
            }
          }
        }
        // Only the reference count shows that the readers have finished.
        while slabs.room().base != start { slabs.reclaim() }
      }
      #expect(wrong.withLock { $0 } == 0)
      #expect(slabs.count == 1)
    }
  }
}
