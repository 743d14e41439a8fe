#if Tracing
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The receiver of a recording. Used under the lock of `Trace`.
protocol TraceTarget: AnyObject {
  /// Returns what must be reported, once.
  func write(_ line: String, keeping open: Trace.OpenRecords) -> String?
  func close()
}

/// A file that always holds a complete JSON array, also after a crash, because it is mapped memory.
///
/// It grows to its limit, then the oldest lines are overwritten. What has no line is blank, which JSON allows. Lines that say what is
/// open or waits, and those that name threads, move to the front again if it is their turn, as long as they take less than half of the
/// area, and an eighth.
///
/// The layout: `[` and a line feed, the area with the lines, a last line without a comma, and `]`.
final class TraceFile: TraceTarget {
  private static let start = 2
  private static let step = 1 << 20

  private let descriptor: Int32
  private let path: String
  /// The bound that was asked for, and the one that the system allows.
  private let wanted: Int
  private let limit: Int
  private let base: UnsafeMutablePointer<UInt8>
  private let tail: [UInt8]
  private var size = 0
  /// Where the next line is written.
  private var head = TraceFile.start
  /// Where the next line to overwrite can begin. Between `head` and here the area is blank.
  private var oldest = TraceFile.start
  private var hasWrapped = false
  private var report: String?

  /// - Parameter path: If another process that runs writes to this file, the process ID is added to the name.
  init(_ path: String, limit: Int, program: String) throws(TracingError) {
    self.path = path
    wanted = limit
    // Writing more would be a signal.
    self.limit = min(limit, Self.largestFile)
    guard self.limit >= 4096 else {
      throw TracingError("'\(path)' cannot be written: the limit for the size of a file (ulimit -f) is too small.")
    }
    tail = Array(
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":\(Trace.process),\"args\":{\"name\":\(Trace.json(program))}}\n]\n"
        .utf8)
    var file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if file >= 0, flock(file, LOCK_EX | LOCK_NB) != 0 {
      _ = Self.closeFile(file)
      file = open("\(path).\(getpid())", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    guard file >= 0 else { throw TracingError("'\(path)' cannot be written: \(String(cString: strerror(errno))).") }
    let memory = mmap(nil, self.limit, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let memory, memory != MAP_FAILED, ftruncate(file, 0) == 0 else {
      let reason = String(cString: strerror(errno))
      _ = Self.closeFile(file)
      throw TracingError("'\(path)' cannot be mapped: \(reason). Name a regular file.")
    }
    base = memory.assumingMemoryBound(to: UInt8.self)
    descriptor = file
    guard grow() else {
      _ = Self.closeFile(file)
      throw TracingError("There is no space for '\(path)'.")
    }
    base[0] = UInt8(ascii: "[")
    base[1] = UInt8(ascii: "\n")
  }

  private static var largestFile: Int {
    var bound = rlimit()
    #if canImport(Glibc)
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &bound) == 0 else { return .max }
    #else
    guard getrlimit(RLIMIT_FSIZE, &bound) == 0 else { return .max }
    #endif
    return Int(clamping: bound.rlim_cur)
  }

  private static func closeFile(_ file: Int32) -> Int32 {
    #if canImport(Glibc)
    Glibc.close(file)
    #else
    Darwin.close(file)
    #endif
  }

  /// The end of the area.
  private var end: Int { size - tail.count }

  /// Reserves another step of the file, so that writing to the memory cannot fail. Returns false at the limit, and if the disk is full.
  private func grow() -> Bool {
    let new = min(size + Self.step, limit)
    guard new > size else { return false }
    // Blanks are allowed after the array, so the file is complete until the array's end moves.
    let blanks = [UInt8](repeating: UInt8(ascii: " "), count: new - size)
    var written = 0
    while written < blanks.count {
      let count = blanks.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress! + written, blanks.count - written, off_t(size + written))
      }
      if count < 0, errno == EINTR { continue }
      if count <= 0 {
        _ = ftruncate(descriptor, off_t(size))
        return false
      }
      written += count
    }
    if size > 0 { memset(base + size - tail.count, Int32(UInt8(ascii: " ")), tail.count) }
    tail.withUnsafeBufferPointer { _ = memcpy(base + new - tail.count, $0.baseAddress!, tail.count) }
    size = new
    return true
  }

  func write(_ line: String, keeping open: Trace.OpenRecords) -> String? {
    var moved: [[UInt8]] = []
    var line = line
    line.withUTF8 { put($0, open, &moved) }
    // Those that are moved can displace others. All together are less than two thirds of the area.
    while !moved.isEmpty {
      let lines = moved
      moved = []
      for line in lines { line.withUnsafeBufferPointer { put($0, open, &moved) } }
    }
    return report.take()
  }

  /// The first time that the oldest lines make room.
  private func wrap(_ moved: inout [[UInt8]]) {
    hasWrapped = true
    moved.append(Array("{\"ph\":\"M\",\"name\":\"recording_wrapped\",\"pid\":\(Trace.process)},\n".utf8))
    if size < wanted {
      report = """
        The recording '\(path)' holds only the newest \(size >> 10) KB: the disk is full, or files may not be larger \
        (ulimit -f).
        """
    }
  }

  private func put(_ line: UnsafeBufferPointer<UInt8>, _ open: Trace.OpenRecords, _ moved: inout [[UInt8]]) {
    while head + line.count > end, !hasWrapped, grow() {}
    if head + line.count > end {
      // Not even an empty area has room.
      if line.count > end - Self.start { return }
      clear(to: end, open, &moved)
      if !hasWrapped { wrap(&moved) }
      head = Self.start
      oldest = Self.start
    }
    if hasWrapped { clear(to: head + line.count, open, &moved) }
    _ = memcpy(base + head, line.baseAddress!, line.count)
    head += line.count
    oldest = max(oldest, head)
  }

  /// Blanks all lines that begin before `position`.
  private func clear(to position: Int, _ open: Trace.OpenRecords, _ moved: inout [[UInt8]]) {
    while oldest < position {
      if base[oldest] != UInt8(ascii: "{") {
        oldest += 1
        continue
      }
      let length = (memchr(base + oldest, Int32(UInt8(ascii: "\n")), end - oldest)).map {
        $0 - UnsafeMutableRawPointer(base + oldest) + 1
      }
      let line = UnsafeMutableBufferPointer(start: base + oldest, count: length ?? end - oldest)
      keep(line, open, &moved)
      memset(line.baseAddress!, Int32(UInt8(ascii: " ")), line.count)
      oldest += line.count
    }
  }

  /// Adds what must stay of a line that is overwritten to `moved`.
  private func keep(
    _ line: UnsafeMutableBufferPointer<UInt8>, _ open: Trace.OpenRecords, _ moved: inout [[UInt8]]
  ) {
    let area = end - Self.start
    if line.count < 24 { return }
    switch line[7] {
    case UInt8(ascii: "M"): if open.namesSize <= area / 8 { moved.append(Array(line)) }
    case UInt8(ascii: "C"): if open.size <= area / 2, open.isLastOfWaiting(line) { moved.append(Array(line)) }
    case UInt8(ascii: "b"), UInt8(ascii: "n"):
      let digits = line[16...].prefix { $0 != UInt8(ascii: "\"") }
      guard open.size <= area / 2, let id = UInt32(String(decoding: digits, as: UTF8.self)), open.contains(id) else {
        return
      }
      if line[7] == UInt8(ascii: "b") {
        moved.append(Array(line))
        // Only the last pause counts, so those in the file are not moved.
        if let pause = open.pause(of: id) { moved.append(Array(pause.utf8)) }
      } else if line[digits.endIndex...].starts(with: "\",\"cat\":\"chain\"".utf8) {
        moved.append(Array(line))
      }
    default: break
    }
  }

  /// Removes the unused end of a file that is not full.
  func close() {
    if !hasWrapped {
      tail.withUnsafeBufferPointer { _ = memcpy(base + head, $0.baseAddress!, tail.count) }
      ftruncate(descriptor, off_t(head + tail.count))
    }
    munmap(base, limit)
    _ = Self.closeFile(descriptor)
  }
}
#endif
