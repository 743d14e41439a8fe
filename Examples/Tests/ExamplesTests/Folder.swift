import Foundation

/// A temporary folder, which is removed on deallocation.
final class Folder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/headwater-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the path of an entry of the folder.
  func path(_ name: String) -> String { path + "/" + name }

  func write(_ name: String, _ text: String) {
    _ = FileManager.default.createFile(atPath: path(name), contents: Data(text.utf8))
  }

  func makeDirectory(_ name: String) {
    try? FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
  }

  /// Appends to a file.
  func append(_ name: String, _ text: String) {
    let descriptor = open(path(name), O_WRONLY | O_APPEND | O_CLOEXEC)
    _ = Array(text.utf8).withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  /// Renames a file. Replaces the file that has the new name, if there is one.
  func move(_ name: String, _ newName: String) { rename(path(name), path(newName)) }
}
