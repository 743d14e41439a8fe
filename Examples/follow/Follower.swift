import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is followed by its path, even if another file takes the path.
final class Follower {
  private let path: String
  private let output: Output
  /// The open file and its status. The device and the inode identify the file, whatever its path.
  private var file: File?
  private var status: FileStatus?
  /// The number of bytes that have been printed.
  private var offset: Int64 = 0
  private var isMissing = false

  /// Creates a follower that has printed nothing.
  init(_ path: String, _ output: Output) {
    self.path = path
    self.output = output
  }

  /// Prints the last lines of the file, if it exists.
  func begin(lines: Int) async {
    do {
      guard let file = try await open() else { return }
      offset = try await start(ofLast: lines, in: file, size: status?.size ?? 0)
      await printRest(of: file)
    } catch is NotRegularFile {
      // `follow()` throws it.
    } catch {
      output.complain("\(error)")
    }
  }

  /// Prints what is appended. Throws when the path cannot be watched, or belongs to something else than a regular file.
  func follow() async throws {
    // `just` causes a first catch-up after the watch has started, because the file may have changed before.
    // `.latest` merges the changes that arrive while one is handled.
    let changes = Self.changes(of: BytePath(path)).map { _ in () }.merge(with: Operation.just(()))
    for try await _ in changes.values(.latest) {
      do {
        try await catchUp()
      } catch let error as NotRegularFile {
        throw error
      } catch {
        output.complain("\(error)")
      }
    }
  }

  // MARK: Watching

  private static func changes(of path: BytePath) -> Operation<FileEvent, FileWatchError> {
    events(at: path).flatMapError { error in
      error.isMissingPath ? arrival(of: path).flatMap(.concat) { changes(of: path).start(with: $0) } : .failed(error)
    }
  }

  /// Emits one element when `path` exists. Watches its directory, which may have to be awaited first.
  private static func arrival(of path: BytePath) -> Operation<FileEvent, FileWatchError> {
    let arrival = FileEvent(.created, path)
    let directory = directory(of: path)
    return events(at: directory)
      .merge(with: Operation.just(arrival))
      .filter { _ in access("\(path)", F_OK) == 0 }
      .take(1)
      .map { _ in arrival }
      .flatMapError { error in
        error.isMissingPath && directory != path
          ? Self.arrival(of: directory).flatMap(.concat) { _ in Self.arrival(of: path) } : .failed(error)
      }
  }

  private static func events(at path: BytePath) -> Operation<FileEvent, FileWatchError> {
    var options = FileWatchOptions()
    options.recursive = false
    return .fileEvents(at: [path], options)
  }

  /// Returns the path of the directory that contains `path`, with a slash at its end. That of "/" and "." is itself.
  private static func directory(of path: BytePath) -> BytePath {
    let slash = UInt8(ascii: "/")
    let name = path.bytes.reversed().drop { $0 == slash }.prefix { $0 != slash }
    let directory = path.bytes[..<name.endIndex.base]
    return directory.isEmpty ? (path.bytes.first == slash ? "/" : ".") : BytePath(bytes: Array(directory))
  }

  // MARK: Reading

  /// Opens the file that has the path now, and prints the rest of the previous file. Returns nil if no file has the path,
  /// and reports that once.
  private func open() async throws -> File? {
    do {
      // Opening a FIFO would block until it has a writer, so the kind is checked before.
      if try await Files.status(of: path).value.kind != .file { throw NotRegularFile(path: path) }
      let next = try await Files.open(path).value
      let nextStatus = try await next.status().value
      if nextStatus.kind != .file {
        // Another file has taken the path meanwhile.
        next.dispose()
        throw NotRegularFile(path: path)
      }
      // The previous file may have been written to until now, under another path.
      if let file { await printRest(of: file) }
      file?.dispose()
      (file, status, offset, isMissing) = (next, nextStatus, 0, false)
      return next
    } catch let error as UVError where error.name == "ENOENT" {
      if !isMissing { output.complain("\(path) is not there: waiting for it") }
      isMissing = true
      return nil
    }
  }

  private func catchUp() async throws {
    if let file { await printRest(of: file) }
    let now = try? await Files.status(of: path).value
    if let file, let now, let status, now.device == status.device, now.inode == status.inode {
      isMissing = false
      if now.size >= offset { return }
      output.complain("\(path) has been cut off")
      offset = 0
      return await printRest(of: file)
    }
    let isFirst = file == nil
    guard let file = try await open() else { return }
    if !isFirst { output.complain("\(path) is another file now") }
    await printRest(of: file)
  }

  private func printRest(of file: File) async {
    do {
      for try await chunk in file.reading(from: offset).values() {
        offset += Int64(chunk.count)
        output.put(chunk, from: path)
      }
    } catch {
      output.complain("\(error)")
    }
  }

  /// Returns the offset at which the last `count` lines begin. Searches backward from the end, in chunks of 64 KiB.
  private func start(ofLast count: Int, in file: File, size: Int64) async throws -> Int64 {
    var (found, end) = (0, size)
    while count > 0, end > 0 {
      let start = max(0, end - 65_536)
      let chunk = try await file.read(Int(end - start), at: start).value
      // A newline at the end of the file does not begin another line.
      for index in chunk.indices.reversed() where chunk[index] == 0x0A && start + Int64(index) + 1 < size {
        found += 1
        if found == count { return start + Int64(index) + 1 }
      }
      end = start
    }
    return count == 0 ? size : 0
  }
}

/// The error of a path that belongs to a directory, a FIFO, or a device, which cannot be followed.
nonisolated private struct NotRegularFile: Error, CustomStringConvertible {
  let path: String

  var description: String { "cannot follow \(path): it is not a regular file" }
}

nonisolated extension FileWatchError {
  /// Whether the path to watch does not exist.
  fileprivate var isMissingPath: Bool {
    if case .cannotWatch(_, let reason) = self { reason.name == "ENOENT" } else { false }
  }
}
