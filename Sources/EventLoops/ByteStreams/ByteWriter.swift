import CUV
import DequeModule
import Streams

/// What a connection has to write and could not yet: made when the first write does not go out at once.
///
/// One request of libuv is under way at a time, with up to `batch` buffers; what comes meanwhile waits.
final class ByteWriter {
  struct Entry {
    let bytes: Bytes
    /// A handle that travels with the bytes. For pipes.
    var handle: ByteStreamHandle?
    /// Told when they have been written, or why not.
    var done: ((UVError?) -> Void)?
  }

  /// The most buffers that one request has.
  static let batch = 64

  var marks = QueueMarks.standard
  private(set) var isFull = false
  /// Bytes that have been accepted and not written.
  private(set) var count = 0
  private var waiting = Deque<Entry>()
  private var underWay: [Entry] = []
  private var request: UnsafeMutablePointer<uv_write_t>?
  /// What waits for the last byte and the word to the other side.
  var finishing: [(UVError?) -> Void] = []
  /// Made for those who observe it.
  private var room: PushOperation<Void, UVError>?
  private var shutdown: UnsafeMutablePointer<uv_shutdown_t>?

  deinit {
    request?.deallocate()
    shutdown?.deallocate()
  }

  /// Nothing waits and nothing is under way.
  var isIdle: Bool { underWay.isEmpty && waiting.isEmpty && shutdown == nil }

  /// libuv has a request, and will answer it.
  var isUnderWay: Bool { !underWay.isEmpty }

  func add(_ entry: Entry) {
    count += entry.bytes.count
    if count >= marks.high { isFull = true }
    waiting.append(entry)
  }

  /// Hands what waits to libuv, where nothing is under way. Returns libuv's status.
  func flush(_ stream: UnsafeMutablePointer<uv_stream_t>, _ callback: uv_write_cb) -> Int32 {
    if !underWay.isEmpty || waiting.isEmpty { return 0 }
    var end = 1
    if waiting[0].handle == nil {
      while end < waiting.count, end < ByteWriter.batch, waiting[end].handle == nil { end += 1 }
    }
    underWay.append(contentsOf: waiting.prefix(end))
    waiting.removeFirst(end)
    let request = self.request ?? .allocate(capacity: 1)
    self.request = request
    return withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: underWay.count) { buffers in
      for index in underWay.indices {
        // What is under way keeps the memory.
        buffers[index] = underWay[index].bytes.withUnsafeBytes { uv_buf_t(reading: $0) }
      }
      if let handle = underWay[0].handle {
        return uv_write2(request, stream, buffers.baseAddress, UInt32(buffers.count), handle.stream, callback)
      }
      return uv_write(request, stream, buffers.baseAddress, UInt32(buffers.count), callback)
    }
  }

  /// The request has come back: what it wrote, to be told.
  func takeWritten() -> [Entry] {
    let written = underWay
    underWay = []
    for entry in written { count -= entry.bytes.count }
    if waiting.isEmpty {
      request?.deallocate()
      request = nil
    }
    return written
  }

  /// Everything that waits, to be told that it will not be written.
  func takeAll() -> Deque<Entry> {
    // What libuv has comes back from there.
    var all = Deque<Entry>()
    swap(&all, &waiting)
    for entry in all { count -= entry.bytes.count }
    return all
  }

  /// True when a full queue has just got room again.
  func didGetRoom() -> Bool {
    guard isFull, count <= marks.low else { return false }
    isFull = false
    return true
  }

  var readiness: PushOperation<Void, UVError> {
    if let room { return room }
    let made = PushOperation<Void, UVError>()
    room = made
    return made
  }

  func tellRoom() { room?.next(()) }

  func startShutdown(_ stream: UnsafeMutablePointer<uv_stream_t>, _ callback: uv_shutdown_cb) -> Int32 {
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    shutdown = request
    return uv_shutdown(request, stream, callback)
  }

  /// libuv has answered the shutdown, or refused it: until then the memory is libuv's, also where all is over already.
  func shutdownDidEnd() {
    shutdown?.deallocate()
    shutdown = nil
  }

  /// Ends it: all that wait for the end are told, with `error` or without.
  func end(_ error: UVError?) {
    isFull = false
    let callbacks = finishing
    finishing = []
    for callback in callbacks { callback(error) }
    room?.terminate(error.map { .failed($0) } ?? .completed)
  }
}

extension uv_buf_t {
  /// A buffer that libuv reads, and does not write to.
  init(reading bytes: UnsafeRawBufferPointer) {
    self.init(
      base: UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), len: bytes.count)
  }
}
