import Foundation

/// A folder of the test's own, which goes with it.
final class Folder {
  /// Where it is.
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/headwater-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of what is in it.
  func path(_ name: String) -> String { path + "/" + name }

  func write(_ name: String, _ text: String) {
    _ = FileManager.default.createFile(atPath: path(name), contents: Data(text.utf8))
  }

  /// Adds to the end of a file.
  func append(_ name: String, _ text: String) {
    let descriptor = open(path(name), O_WRONLY | O_APPEND | O_CLOEXEC)
    _ = Array(text.utf8).withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  /// Gives a file another name, which may be that of another one.
  func move(_ name: String, _ newName: String) { rename(path(name), path(newName)) }
}
