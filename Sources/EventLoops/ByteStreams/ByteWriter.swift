import CUV
import DequeModule
import Streams

/// The write queue of a connection. Made when a write does not go out at once.
///
/// One libuv request is under way at a time, with up to `batch` buffers; later writes wait.
final class ByteWriter {
  struct Entry {
    let bytes: Bytes
    /// A handle that is sent along with the bytes. For pipes.
    var handle: ByteStreamHandle?
    /// Called when the bytes have been written, or with the error.
    var done: ((UVError?) -> Void)?
  }

  /// The most buffers in one request.
  static let batch = 64

  var marks = Watermarks.bytes
  private(set) var isFull = false
  /// The number of bytes that have been accepted and not written.
  private(set) var count = 0
  private var waiting = Deque<Entry>()
  private var underWay: [Entry] = []
  private var request: UnsafeMutablePointer<uv_write_t>?
  /// The callbacks that wait until the last byte has been written and the peer notified.
  var finishing: [(UVError?) -> Void] = []
  /// Made when it is first observed.
  private var room: PushOperation<Void, UVError>?
  private var shutdown: UnsafeMutablePointer<uv_shutdown_t>?

  deinit {
    request?.deallocate()
    shutdown?.deallocate()
  }

  /// True if nothing is pending and nothing is under way.
  var isIdle: Bool { underWay.isEmpty && waiting.isEmpty && shutdown == nil }

  /// True if libuv has a request that it will answer.
  var isUnderWay: Bool { !underWay.isEmpty }

  func add(_ entry: Entry) {
    count += entry.bytes.count
    if count >= marks.high { isFull = true }
    waiting.append(entry)
  }

  /// Passes the pending writes to libuv if no request is under way. Returns libuv's status.
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
        // The entries under way retain the memory.
        buffers[index] = underWay[index].bytes.withUnsafeBytes { uv_buf_t(reading: $0) }
      }
      if let handle = underWay[0].handle {
        return uv_write2(request, stream, buffers.baseAddress, UInt32(buffers.count), handle.stream, callback)
      }
      return uv_write(request, stream, buffers.baseAddress, UInt32(buffers.count), callback)
    }
  }

  /// Takes the entries of the request that libuv has answered.
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

  /// Takes all pending entries, which will not be written.
  func takeAll() -> Deque<Entry> {
    // The entries of libuv's request are taken when libuv answers.
    var all = Deque<Entry>()
    swap(&all, &waiting)
    for entry in all { count -= entry.bytes.count }
    return all
  }

  /// Returns true if a full queue has just got room again.
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

  /// Called when libuv has answered or refused the shutdown. Until then libuv owns the memory, even if everything else
  /// is over.
  func shutdownDidEnd() {
    shutdown?.deallocate()
    shutdown = nil
  }

  /// Ends writing: notifies everything that waits for the end, with `error` if there is one.
  func end(_ error: UVError?) {
    isFull = false
    let callbacks = finishing
    finishing = []
    for callback in callbacks { callback(error) }
    room?.terminate(error.map { .failed($0) } ?? .completed)
  }
}

extension uv_buf_t {
  /// A buffer that libuv reads and does not write to.
  init(reading bytes: UnsafeRawBufferPointer) {
    self.init(
      base: UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), len: bytes.count)
  }
}
