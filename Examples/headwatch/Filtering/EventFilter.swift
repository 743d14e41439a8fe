import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Which events are shown, or run a command: pure decisions on one event at a time. What is ignored never gets here.
nonisolated struct EventFilter {
  /// The extensions that files must have, without the dot; empty for any.
  let extensions: [[UInt8]]
  /// The kinds of interest. An overflow is always of interest.
  let kinds: Set<EventKind>
  /// The paths of interest.
  let selection: PathSelection
  /// The file that others must be newer than.
  let newerThan: String?

  /// Makes a filter.
  init(extensions: [String], kinds: Set<EventKind>, selection: PathSelection, newerThan: String? = nil) {
    self.extensions = extensions.map { Array($0.utf8) }
    self.kinds = kinds
    self.selection = selection
    self.newerThan = newerThan
  }

  /// Whether the user is to see the event.
  func admits(_ event: FileEvent) -> Bool {
    if event.eventKind == .overflow { return true }
    guard kinds.contains(event.eventKind) else { return false }
    let ends = [event.path, event.destination].compactMap { $0 }
    if !extensions.isEmpty, event.isDirectory || !ends.contains(where: hasExtension) { return false }
    if !selection.isEverything, !ends.contains(where: { selection.contains($0, isDirectory: event.isDirectory) }) {
      return false
    }
    return newerThan.map { event.kind == .removed || isNewer(event.currentPath, than: $0) } ?? true
  }

  private func isNewer(_ path: BytePath, than other: String) -> Bool {
    guard let time = modificationTime(path), let limit = modificationTime(BytePath(other)) else { return true }
    return (time.tv_sec, time.tv_nsec) > (limit.tv_sec, limit.tv_nsec)
  }

  private func modificationTime(_ path: BytePath) -> timespec? {
    var status = stat()
    let result = (path.bytes + [0]).withUnsafeBytes {
      stat($0.baseAddress!.assumingMemoryBound(to: CChar.self), &status)
    }
    #if canImport(Darwin)
    return result == 0 ? status.st_mtimespec : nil
    #else
    return result == 0 ? status.st_mtim : nil
    #endif
  }

  private func hasExtension(_ path: BytePath) -> Bool {
    extensions.contains { wanted in
      let rest = path.bytes.dropLast(wanted.count)
      guard rest.count + wanted.count == path.bytes.count, path.bytes.suffix(wanted.count).elementsEqual(wanted) else {
        return false
      }
      // A name such as `.swift` has no extension.
      let beforeDot = rest.dropLast()
      return rest.last == UInt8(ascii: ".") && beforeDot.last.map { $0 != UInt8(ascii: "/") } ?? false
    }
  }
}
