import Glibc
import Streams

/// Held while a child is started or a file is written. A child has all descriptors until it executes its program, so a file
/// that is written meanwhile would be closed for the last time, and reported, only then.
private let noInheritance = Lock(())

/// A temporary directory with file operations on paths relative to it. It is removed when the object is deallocated.
final class TestTree {
  let path: String
  private let isOwned: Bool

  /// Refers to a directory that another object owns.
  init(at path: String) {
    self.path = path
    isOwned = false
  }

  init() {
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/headwater-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { fatalError("mkdtemp: \(errno)") }
    path = String(cString: made)
    isOwned = true
    chmod(path, 0o777)
  }

  deinit { if isOwned { shell("chmod -R u+rwx \(path); rm -rf \(path)") } }

  /// The directories above it, which a watcher also watches.
  var ancestors: Int { path.split(separator: "/").count }

  func absolute(_ name: String) -> String { name.isEmpty ? path : "\(path)/\(name)" }

  /// Runs a shell command in the directory, and waits until it ends.
  func shell(_ command: String) {
    let words = ["sh", "-c", "cd \(path) && { \(command); }"]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    var status: Int32 = noInheritance.withLock { _ in posix_spawn(&child, "/bin/sh", nil, nil, &arguments, nil) }
    if status == 0 { while waitpid(child, &status, 0) < 0, errno == EINTR {} }
    if status != 0 { fatalError("`\(command)` has failed: \(status)") }
  }

  func makeDirectory(_ name: String) { check(mkdir(absolute(name), 0o755), "mkdir", name) }

  func removeDirectory(_ name: String) { check(rmdir(absolute(name)), "rmdir", name) }

  /// Creates the file, or replaces its content.
  func write(_ name: String, _ content: String = "content") {
    noInheritance.withLock { _ in
      let file = open(absolute(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      check(file, "open", name)
      check(Int32(Glibc.write(file, content, content.utf8.count)), "write", name)
      close(file)
    }
  }

  /// Creates an empty file.
  func touch(_ name: String) {
    noInheritance.withLock { _ in
      let file = open(absolute(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
      check(file, "open", name)
      close(file)
    }
  }

  func remove(_ name: String) { check(unlink(absolute(name)), "unlink", name) }

  func rename(_ name: String, _ newName: String) {
    check(Glibc.rename(absolute(name), absolute(newName)), "rename", name)
  }

  func link(_ name: String, to target: String) { check(symlink(target, absolute(name)), "symlink", name) }

  var inode: UInt64 {
    var status = stat()
    check(lstat(path, &status), "stat", "")
    return UInt64(status.st_ino)
  }

  func exists(_ name: String) -> Bool { access(absolute(name), F_OK) == 0 }

  static func move(_ path: String, _ newPath: String) {
    if Glibc.rename(path, newPath) != 0 { fatalError("rename \(path): errno \(errno)") }
  }

  private func check(_ result: Int32, _ call: String, _ name: String) {
    if result < 0 { fatalError("\(call) \(name): errno \(errno)") }
  }
}

/// The numbers of the descriptors that the process has open.
func openDescriptors() -> [Int32] {
  guard let directory = opendir("/proc/self/fd") else { return [] }
  defer { closedir(directory) }
  var descriptors: [Int32] = []
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if let descriptor = Int32(name), descriptor != dirfd(directory) { descriptors.append(descriptor) }
  }
  return descriptors
}

/// The content of a small file. Empty if it cannot be read.
func readFile(_ path: String) -> String {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  if file < 0 { return "" }
  defer { close(file) }
  var content: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let length = read(file, &buffer, buffer.count)
    if length <= 0 { return String(decoding: content, as: UTF8.self) }
    content += buffer[..<length]
  }
}
