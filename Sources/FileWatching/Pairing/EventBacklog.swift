import Glibc

/// The events that have been read from the kernel's queue and not been handled yet, in order.
///
/// It pairs the two halves of a rename. While reading, it records the cookies of arrivals (`IN_MOVED_TO`), so that a
/// departure (`IN_MOVED_FROM`) finds its arrival at any later position.
struct EventBacklog: ~Copyable {
  /// The size of one read, and the capacity of the empty buffer.
  static let readSize = 65_536
  /// The most bytes to read in one loop iteration, so that a flood does not starve other handles.
  static let turnSize = 1_048_576

  private var buffer: UnsafeMutableRawPointer
  private var capacity = Self.readSize
  private var cursor = 0
  private var end = 0
  /// The cookies of the arrivals between the cursor and the end, and their positions.
  private var arrivals: [UInt32: Int] = [:]

  init() { buffer = .allocate(byteCount: capacity, alignment: 8) }

  deinit { buffer.deallocate() }

  /// The number of pending bytes.
  var count: Int { end - cursor }

  /// The offset of the next event to be read. Valid until the backlog is empty.
  var endOffset: Int { end }

  /// Reads the queue, up to `turnSize` bytes. Returns true if the queue is empty. Stores `errno` in `error` if `read`
  /// fails for another reason.
  mutating func fill(from descriptor: Int32, error: inout Int32) -> Bool {
    var total = 0
    while total < Self.turnSize {
      if capacity - end < Self.readSize / 2 { makeRoom() }
      let room = capacity - end
      let length = Glibc.read(descriptor, buffer + end, room)
      if length < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { error = errno }
        return true
      }
      note(end, end + length)
      end += length
      total += length
      // The read ended because the queue was empty, not because the buffer was full: another read would only return
      // EAGAIN.
      if room - length > RawEvent.maxSize { return true }
    }
    return false
  }

  /// Returns the next event without removing it. If there is none, offsets begin at 0 again.
  mutating func next() -> RawEvent? {
    if cursor < end { return RawEvent(at: buffer, offset: cursor) }
    removeAll()
    return nil
  }

  /// Removes the next event. Its name stays valid until the backlog is filled again.
  mutating func advance(over event: RawEvent) { cursor = event.offset + event.size }

  /// Returns true if the arrival of a departure has been read.
  func hasArrival(_ cookie: UInt32) -> Bool { arrivals[cookie] != nil }

  /// Takes the arrival with `cookie`. Returns nil if it has already been taken.
  mutating func takeArrival(_ cookie: UInt32) -> RawEvent? {
    guard let offset = arrivals.removeValue(forKey: cookie) else { return nil }
    return RawEvent(at: buffer, offset: offset)
  }

  /// Removes all events. The bytes stay valid until the next `fill`.
  mutating func removeAll() {
    cursor = 0
    end = 0
    if !arrivals.isEmpty { arrivals = [:] }
  }

  /// Releases the additional memory that a flood has needed.
  mutating func shrink() {
    guard count == 0, capacity > Self.readSize else { return }
    buffer.deallocate()
    capacity = Self.readSize
    buffer = .allocate(byteCount: capacity, alignment: 8)
  }

  private mutating func note(_ start: Int, _ end: Int) {
    var offset = start
    while offset < end {
      let header = (buffer + offset).loadUnaligned(as: inotify_event.self)
      if header.mask & UInt32(IN_MOVED_TO) != 0 { arrivals[header.cookie] = offset }
      offset += RawEvent.headerSize + Int(header.len)
    }
  }

  private mutating func makeRoom() {
    capacity *= 2
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: buffer, byteCount: end)
    buffer.deallocate()
    buffer = larger
  }
}
