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
}
