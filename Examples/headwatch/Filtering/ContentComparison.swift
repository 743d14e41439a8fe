import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Detects whether the content of a file has changed, so that a new time or a save of the same text is not reported.
///
/// Holds the name and 16 bytes for each file, and reads a file when it changes. If a directory is removed or renamed,
/// all known directories are searched.
nonisolated final class ContentComparison {
  private struct Fingerprint: Equatable {
    let size: Int
    let hash: UInt64
  }

  /// The known files, by the path of their directory with its trailing slash, and by name.
  private var known: [[UInt8]: [[UInt8]: Fingerprint]] = [:]

  /// Records the content of a file that exists at the start.
  func remember(_ event: FileEvent) { _ = isChange(event) }

  /// Returns the event if it is a change, and nil if it is not. If a file replaces another one with the same content,
  /// returns the removal of its old name.
  func change(_ event: FileEvent) -> FileEvent? {
    if isChange(event) { return event }
    if case .renamed = event.kind { return FileEvent(.removed, event.path) }
    return nil
  }

  /// Records the new content of a file, and returns whether the event is a change. Attributes are not. Modified and
  /// renamed files are if their content is different or cannot be read. All other events are.
  func isChange(_ event: FileEvent) -> Bool {
    switch event.kind {
    case .overflow: return true
    case .attributes: return false
    case .removed:
      if event.isDirectory { forgetDirectory(event.path) } else { set(event.path, nil) }
      return true
    case .renamed where event.isDirectory:
      forgetDirectory(event.path)
      return true
    case .created where event.isDirectory, .modified where event.isDirectory:
      return true
    case .renamed:
      set(event.path, nil)
      return update(event.currentPath)
    case .created:
      _ = update(event.path)
      return true
    case .modified: return update(event.path)
    }
  }

  private func update(_ path: BytePath) -> Bool {
    let new = Self.fingerprint(path)
    let old = set(path, new)
    return new == nil || new != old
  }

  /// Stores or removes the fingerprint of a file, and returns the previous one.
  @discardableResult
  private func set(_ path: BytePath, _ new: Fingerprint?) -> Fingerprint? {
    let start = path.bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    let directory = Array(path.bytes[..<start])
    let name = Array(path.bytes[start...])
    let old = known[directory]?[name]
    if let new {
      known[directory, default: [:]][name] = new
    } else if old != nil {
      known[directory]?[name] = nil
      if known[directory]?.isEmpty == true { known[directory] = nil }
    }
    return old
  }

  /// Removes the fingerprints of all files below a directory.
  private func forgetDirectory(_ path: BytePath) {
    let prefix = path.bytes.last == UInt8(ascii: "/") ? path.bytes : path.bytes + [UInt8(ascii: "/")]
    for directory in known.keys where directory.starts(with: prefix) { known[directory] = nil }
  }

  /// The maximum size of a file that is read. Reading blocks the program, also for its signals.
  private static let bound = 1 << 30

  private static func fingerprint(_ path: BytePath) -> Fingerprint? {
    let file = (path.bytes + [0]).withUnsafeBytes {
      // `O_NONBLOCK`, because opening a FIFO without a writer would block.
      open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
    if file < 0 { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= bound else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
      var size = 0
      var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
      while true {
        // Fills the whole buffer, so that the division into words does not depend on the lengths of the reads.
        var filled = 0
        while filled < buffer.count {
          let count = unbufferedRead(file, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
          if count < 0 { return nil }
          if count == 0 { break }
          filled += count
        }
        for index in filled..<min(buffer.count, filled + 7) { buffer[index] = 0 }
        size += filled
        for offset in stride(from: 0, to: filled, by: 8) {
          mix(&hash, buffer.load(fromByteOffset: offset, as: UInt64.self))
        }
        // The file may grow faster than it is read.
        if size > bound { return nil }
        if filled < buffer.count { return Fingerprint(size: size, hash: hash) }
      }
    }
  }

  /// Multiplies to twice the width and folds the product, so that each bit of both factors affects all bits of the
  /// result.
  private static func mix(_ hash: inout UInt64, _ word: UInt64) {
    let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    hash = (product.high ^ product.low) &+ 0xA076_1D64_78BD_642F
  }
}
