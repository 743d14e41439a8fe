#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reading and writing whole files.
enum Files {
  static func contents(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    return contents(of: file)
  }

  /// The bytes of a file that may not be there.
  ///
  /// - Throws: An error if it is there and cannot be read.
  static func optionalContents(of path: String) throws -> [UInt8]? {
    if let bytes = contents(of: path), !isDirectory(path) { return bytes }
    let reason = isDirectory(path) ? EISDIR : errno
    if reason == ENOENT || reason == ENOTDIR { return nil }
    throw WrappingError("\(path) can't be read: \(String(cString: strerror(reason))). Nothing was changed.")
  }

  /// The bytes of a descriptor, up to its end.
  static func contents(of file: Int32) -> [UInt8] {
    var result: [UInt8] = []
    let size = 1 << 18
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(file, buffer.baseAddress, size)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return result }
      result.append(contentsOf: buffer[..<count])
    }
  }

  static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        #if canImport(Glibc)
        let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        #else
        let count = Darwin.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        #endif
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func isDirectory(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }

  /// The path without symbolic links and `..`; the path itself if there is no such file.
  static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Makes a directory and those above it.
  static func makeDirectory(_ path: String) -> Bool {
    if isDirectory(path) { return true }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex, !makeDirectory(String(path[..<slash])) {
      return false
    }
    return mkdir(path, 0o777) == 0 || isDirectory(path)
  }
}
