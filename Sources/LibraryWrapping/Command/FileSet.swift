#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes several files, either all or none of them.
enum FileSet {
  static func write(_ files: [(path: String, text: String)]) throws {
    var temporary: [(from: String, to: String)] = []
    func failed(_ path: String) -> WrappingError {
      let reason = String(cString: strerror(errno))
      for file in temporary { unlink(file.from) }
      return WrappingError("\(path) can't be written: \(reason). Nothing was changed.")
    }
    for (path, _) in files where Files.isDirectory(path) {
      throw WrappingError("\(path) is a directory. Remove it, or choose another place. Nothing was changed.")
    }
    for (path, text) in files {
      if let slash = path.lastIndex(of: "/"), slash != path.startIndex, !Files.makeDirectory(String(path[..<slash])) {
        throw failed(path)
      }
      let name = "\(path).new-\(getpid())"
      let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if file < 0 { throw failed(path) }
      temporary.append((name, path))
      let isWritten = Files.write(Array(text.utf8), to: file)
      close(file)
      if !isWritten { throw failed(path) }
    }
    for file in temporary where rename(file.from, file.to) != 0 { throw failed(file.to) }
  }

  /// Removes the other Swift files of a directory that begin with `mark`.
  static func removeOthers(_ paths: [String], in directory: String, mark: String) {
    guard let entries = opendir(directory) else { return }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let path = "\(directory)/\(name)"
      if name.hasSuffix(".swift"), !paths.contains(path), Files.contents(of: path)?.starts(with: mark.utf8) == true {
        unlink(path)
      }
    }
  }
}
