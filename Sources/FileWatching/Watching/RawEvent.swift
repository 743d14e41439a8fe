import Glibc

/// The kinds of an event, as the kernel defines them.
struct RawEventMask: OptionSet {
  let rawValue: UInt32

  static let created = RawEventMask(rawValue: UInt32(IN_CREATE))
  static let deleted = RawEventMask(rawValue: UInt32(IN_DELETE))
  static let movedFrom = RawEventMask(rawValue: UInt32(IN_MOVED_FROM))
  static let movedTo = RawEventMask(rawValue: UInt32(IN_MOVED_TO))
  static let modified = RawEventMask(rawValue: UInt32(IN_MODIFY))
  static let closedAfterWriting = RawEventMask(rawValue: UInt32(IN_CLOSE_WRITE))
  static let attributes = RawEventMask(rawValue: UInt32(IN_ATTRIB))
  static let directory = RawEventMask(rawValue: UInt32(IN_ISDIR))
  static let watchGone = RawEventMask(rawValue: UInt32(IN_IGNORED))
  static let overflow = RawEventMask(rawValue: UInt32(IN_Q_OVERFLOW))
  static let unmounted = RawEventMask(rawValue: UInt32(IN_UNMOUNT))
  /// A name in the directory was added, removed, or replaced.
  static let nameChanged: RawEventMask = [.created, .deleted, .movedFrom, .movedTo]
  /// The watched directory itself was deleted, moved, or unmounted.
  static let selfChanged = RawEventMask(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT))
}

/// The borrowed bytes of a file name. They belong to the backlog or to a table.
typealias NameBytes = UnsafeBufferPointer<UInt8>

/// A `struct inotify_event` at its place in the backlog.
struct RawEvent {
  let watch: Int32
  let mask: RawEventMask
  let cookie: UInt32
  /// The name in the watched directory, without padding. Empty if the event is about the directory itself.
  let name: NameBytes
  /// Its offset in the backlog.
  let offset: Int
  /// Its size in the backlog.
  let size: Int

  static let headerSize = MemoryLayout<inotify_event>.size
  /// The greatest size of one event. A read fails if there is less room.
  static let maxSize = headerSize + 1024 + 1

  init(at base: UnsafeRawPointer, offset: Int) {
    let header = (base + offset).loadUnaligned(as: inotify_event.self)
    watch = header.wd
    mask = RawEventMask(rawValue: header.mask)
    cookie = header.cookie
    self.offset = offset
    size = Self.headerSize + Int(header.len)
    let bytes = (base + offset + Self.headerSize).assumingMemoryBound(to: UInt8.self)
    name = NameBytes(start: bytes, count: header.len == 0 ? 0 : strnlen(bytes, Int(header.len)))
  }

  var isDirectory: Bool { mask.contains(.directory) }
}
