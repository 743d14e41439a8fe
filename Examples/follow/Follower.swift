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
    } catch let error as UVError where error.isDirectory {
      // `follow()` throws it.
    } catch {
      output.complain("\(error)")
    }
  }

  /// Prints what is appended. Throws when the path can no longer be watched, or belongs to a directory.
  func follow() async throws {
    // `just` causes a first catch-up after the watch has started, because the file may have changed before.
    // `.latest` merges the changes that arrive while one is handled.
    let changes = Self.changes(of: BytePath(path)).map { _ in () }.merge(with: Operation.just(()))
    for try await _ in changes.values(.latest) {
      do {
        try await catchUp()
      } catch let error as UVError where error.isDirectory {
        throw error
      } catch {
        output.complain("\(error)")
      }
    }
  }

  // MARK: Watching

  private static func changes(of path: BytePath) -> Operation<FileEvent, FileWatchError> {
    Operation.fileEvents(at: [path]).flatMapError { error -> Operation<FileEvent, FileWatchError> in
      guard case .cannotWatch(_, let reason) = error, reason.name == "ENOENT" else { return .failed(error) }
      // The file does not exist yet, so its directory is watched until it does.
      let arrival = FileEvent(.created, path)
      var options = FileWatchOptions()
      options.recursive = false
      return Operation.fileEvents(at: [directory(of: path)], options)
        .merge(with: Operation.just(arrival))
        .filter { _ in access("\(path)", F_OK) == 0 }
        .take(1)
        .flatMap(.concat) { _ in changes(of: path).start(with: arrival) }
    }
  }

  private static func directory(of path: BytePath) -> BytePath {
    guard let slash = path.bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return BytePath(bytes: Array(path.bytes[...slash]))
  }

  // MARK: Reading

  /// Opens the file that has the path now, and prints the rest of the previous file. Returns nil if no file has the path,
  /// and reports that once.
  private func open() async throws -> File? {
    do {
      let next = try await Files.open(path).value
      let nextStatus = try await next.status().value
      if nextStatus.kind == .directory {
        next.dispose()
        throw UVError(errno: EISDIR, call: "open", path: path)
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

nonisolated extension UVError {
  /// Whether a path belongs to a directory, which cannot be followed.
  fileprivate var isDirectory: Bool { name == "EISDIR" }
}
