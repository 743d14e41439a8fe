import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A filter for the events that are printed or run a command. It has no state. Events of ignored paths never reach it.
nonisolated struct EventFilter {
  /// The extensions that files must have, without the dot. Empty accepts all files.
  let extensions: [[UInt8]]
  /// The accepted kinds. An overflow is always accepted.
  let kinds: Set<EventKind>
  /// The accepted paths.
  let selection: PathSelection
  /// The path of the file that is compared: only newer files are accepted.
  let newerThan: String?

  /// Creates a filter.
  init(extensions: [String], kinds: Set<EventKind>, selection: PathSelection, newerThan: String? = nil) {
    self.extensions = extensions.map { Array($0.utf8) }
    self.kinds = kinds
    self.selection = selection
    self.newerThan = newerThan
  }

  /// Returns whether the event is accepted. Makes two system calls if `newerThan` is set.
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
