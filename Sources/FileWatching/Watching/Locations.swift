import Glibc

/// Returns `path` as an absolute path without a trailing slash. Symbolic links are not resolved. Returns nil with `errno` set if the
/// working directory is unknown.
func absoluteLocation(_ path: [UInt8]) -> [UInt8]? {
  var location = path
  while location.count > 1, location.last == BytePath.slash { location.removeLast() }
  let last = split(location).name
  // A path that ends in a dot has no name by which it could reappear.
  if last.isEmpty || last == [46] || last == [46, 46], let real = realLocation(location) { return real }
  if location.first == BytePath.slash { return location }
  guard let directory = getcwd(nil, 0) else { return nil }
  defer { free(directory) }
  let current = UnsafeRawPointer(directory).assumingMemoryBound(to: UInt8.self)
  return Array(NameBytes(start: current, count: strlen(directory))).appendingName(location)
}

/// Resolves all symbolic links of a path. Returns nil with `errno` set if the path does not exist.
func realLocation(_ location: [UInt8]) -> [UInt8]? {
  let real = location.withUnsafeBufferPointer { name in withTerminated(name) { realpath($0, nil) } }
  guard let real else { return nil }
  defer { free(real) }
  return Array(NameBytes(start: UnsafeRawPointer(real).assumingMemoryBound(to: UInt8.self), count: strlen(real)))
}

/// Splits an absolute path into its directory and its last name. The name is empty for `/`.
func split(_ location: [UInt8]) -> (above: [UInt8], name: [UInt8]) {
  guard let slash = location.lastIndex(of: BytePath.slash) else { return ([46], location) }
  return (slash == 0 ? [BytePath.slash] : Array(location[..<slash]), Array(location[(slash + 1)...]))
}

extension [UInt8] {
  /// Returns this path, a slash, and a name.
  func appendingName(_ name: [UInt8]) -> [UInt8] {
    last == BytePath.slash ? self + name : self + [BytePath.slash] + name
  }
}

/// Returns whether an absolute path is that of a directory, or of something below it. Neither has symbolic links.
func isLocation(_ location: [UInt8], inside top: [UInt8]) -> Bool {
  location.starts(with: top)
    && (location.count == top.count || top.last == BytePath.slash || location[top.count] == BytePath.slash)
}
