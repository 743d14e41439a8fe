import Glibc

/// What has been read from the kernel's queue and not been handled yet, in order.
///
/// It pairs the two halves of a rename: while reading, it notes the cookies of arrivals (`IN_MOVED_TO`), so that a departure
/// (`IN_MOVED_FROM`) finds its arrival wherever it lies behind it.
struct EventBacklog: ~Copyable {
  /// The size of one read, and what the buffer shrinks to when it is empty.
  static let readSize = 65_536
  /// The most that is read in one turn of the loop, so that a flood does not starve the loop's other users.
  static let turnSize = 1_048_576

  private var buffer: UnsafeMutableRawPointer
  private var capacity = Self.readSize
  private var cursor = 0
  private var end = 0
  /// Cookies of arrivals that lie between the cursor and the end, and where.
  private var arrivals: [UInt32: Int] = [:]

  init() { buffer = .allocate(byteCount: capacity, alignment: 8) }

  deinit { buffer.deallocate() }

  /// The number of bytes that wait.
  var count: Int { end - cursor }

  /// Where the next event that is read will begin. Valid until the backlog is empty.
  var endOffset: Int { end }

  /// Reads all that the queue holds, up to `turnSize`. True when the queue has been found empty. Negative results of
  /// `read` other than that leave `errno` in `error`.
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
      // It stopped for want of events and not for want of room: another read would only say EAGAIN.
      if room - length > RawEvent.maxSize { return true }
    }
    return false
  }

  /// The next event, which stays. Offsets begin anew when there is none.
  mutating func next() -> RawEvent? {
    if cursor < end { return RawEvent(at: buffer, offset: cursor) }
    removeAll()
    return nil
  }

  /// Takes the next event. Its name stays valid until the backlog is filled again.
  mutating func advance(over event: RawEvent) { cursor = event.offset + event.size }

  /// Whether the arrival of a departure has been read.
  func hasArrival(_ cookie: UInt32) -> Bool { arrivals[cookie] != nil }

  /// The arrival with `cookie`, unless it has been taken already. Its own turn in the backlog then finds it taken.
  mutating func takeArrival(_ cookie: UInt32) -> RawEvent? {
    guard let offset = arrivals.removeValue(forKey: cookie) else { return nil }
    return RawEvent(at: buffer, offset: offset)
  }

  /// Drops all. The bytes stay where they are until the next `fill`.
  mutating func removeAll() {
    cursor = 0
    end = 0
    if !arrivals.isEmpty { arrivals = [:] }
  }

  /// Gives back what a flood has needed.
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
