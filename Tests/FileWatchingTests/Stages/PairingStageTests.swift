import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import FileWatching

/// The pairing of renames, with records from a pipe instead of the kernel, and with virtual time.
@Suite(.noLiveResources)
struct PairingStageTests {
  @Test func `both halves of a rename come as one`() throws {
    let queue = try FakeQueue()
    queue.put(.created, "x")
    queue.put(.movedFrom, "a", cookie: 7)
    queue.put(.modified, "x")
    queue.put(.movedTo, "b", cookie: 7)
    queue.put(.deleted, "x")
    #expect(queue.take() == ["1:x", "a -> b", "1:x", "1:x"])
    #expect(queue.stage.count == 0)
  }

  @Test func `a departure waits for its arrival and what follows waits`() throws {
    let queue = try FakeQueue()
    queue.put(.created, "x")
    queue.put(.movedFrom, "a", cookie: 7)
    queue.put(.created, "y")
    #expect(queue.take() == ["1:x"])
    #expect(queue.stage.count > 0)
    queue.scheduler.advance(by: .milliseconds(4))
    queue.put(.movedTo, "b", cookie: 7)
    #expect(queue.take() == ["a -> b", "1:y"])
    queue.scheduler.advance(by: .seconds(1))
    #expect(queue.dueTimes == [])
  }

  @Test func `a departure that has waited long enough is gone`() throws {
    let queue = try FakeQueue()
    queue.put(.movedFrom, "a", cookie: 7)
    queue.put(.created, "y")
    #expect(queue.take() == [])
    queue.scheduler.advance(by: .milliseconds(4))
    #expect(queue.dueTimes == [])
    queue.scheduler.advance(by: .milliseconds(1))
    #expect(queue.dueTimes == [PairingStage.holdTime])
    #expect(queue.take() == ["a ->", "1:y"])
    // The arrival follows after all, and is delivered alone.
    queue.put(.movedTo, "b", cookie: 7)
    #expect(queue.take() == ["-> b"])
  }

  @Test func `what does not matter does not wait`() throws {
    let queue = try FakeQueue()
    queue.mayPair = { $0.name.first != UInt8(ascii: "i") }
    queue.put(.movedFrom, "ignored", cookie: 7)
    queue.put(.created, "y")
    #expect(queue.take() == ["ignored ->", "1:y"])
  }

  @Test func `names are valid until more is read`() throws {
    let queue = try FakeQueue()
    for index in 0..<2_000 { queue.put(.created, "a-name-of-some-length-\(index)") }
    #expect(queue.take() == (0..<2_000).map { "1:a-name-of-some-length-\($0)" })
  }

  @Test func `what is dropped is not given`() throws {
    let queue = try FakeQueue()
    queue.put(.movedFrom, "a", cookie: 7)
    #expect(queue.take() == [])
    queue.stage.removeAll()
    queue.scheduler.advance(by: .seconds(1))
    #expect(queue.dueTimes == [])
    queue.put(.movedTo, "b", cookie: 7)
    #expect(queue.take() == ["-> b"])
  }
}

/// A pipe that contains records as the kernel writes them.
private final class FakeQueue {
  let scheduler = VirtualScheduler()
  let stage: PairingStage
  var mayPair: (RawEvent) -> Bool = { _ in true }
  /// The times at which the stage has called back.
  private(set) var dueTimes: [Duration] = []
  private var ends: [Int32] = [-1, -1]

  init() throws {
    stage = PairingStage(scheduler)
    try #require(pipe(&ends) == 0)
    for end in ends { _ = (fcntl(end, F_SETFL, O_NONBLOCK), fcntl(end, F_SETFD, FD_CLOEXEC)) }
    // F_SETPIPE_SZ.
    _ = fcntl(ends[1], 1031, 1 << 20)
    stage.onDue = { [unowned self] in dueTimes.append(scheduler.now) }
  }

  deinit { for end in ends { close(end) } }

  func put(_ mask: RawEventMask, _ name: String, cookie: UInt32 = 0) {
    let length = (name.utf8.count + 16) / 16 * 16
    var header = inotify_event()
    header.wd = 1
    header.mask = mask.rawValue
    header.cookie = cookie
    header.len = UInt32(length)
    var bytes = withUnsafeBytes(of: header) { Array($0.prefix(RawEvent.headerSize)) }
    bytes += Array(name.utf8) + [UInt8](repeating: 0, count: length - name.utf8.count)
    #expect(write(ends[1], bytes, bytes.count) == bytes.count)
  }

  /// Reads the records in the pipe, and returns all steps that the stage delivers.
  func take() -> [String] {
    var error: Int32 = 0
    _ = stage.fill(from: ends[0], error: &error)
    #expect(error == 0)
    var texts: [String] = []
    func text(_ event: RawEvent?) -> String { event.map { String(decoding: $0.name, as: UTF8.self) } ?? "" }
    while let step = stage.next(mayPair: mayPair) {
      switch step {
      case .event(let event): texts.append("\(event.watch):\(text(event))")
      case .departure(let event, let arrival):
        texts.append("\(text(event)) ->\(arrival == nil ? "" : " ")\(text(arrival))")
      case .arrival(let event): texts.append("-> \(text(event))")
      }
    }
    return texts
  }
}
