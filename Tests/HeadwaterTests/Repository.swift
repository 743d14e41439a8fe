import Foundation

/// The files that the tests read.
enum Repository {
  /// The root of the package.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The files whose names end in `suffix`, except those in hidden folders such as .build.
  static func files(endingIn suffix: String) throws -> [URL] {
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    return (files?.compactMap { $0 as? URL } ?? []).map(\.standardizedFileURL).filter { $0.path.hasSuffix(suffix) }
      .sorted { $0.path < $1.path }
  }
}
