/// Rules in the language of .gitignore files, and the files to read them from.
///
/// If several rules match a path, the last one of the first of these that has one decides:
/// 1. `patterns`.
/// 2. The files in the directories, the deepest directory first. In one directory, `fileNames` precede .gitignore.
/// 3. `files`, the last one first.
/// 4. The repository's info/exclude, and then the user's global file.
///
/// A path below an ignored directory is ignored, whatever the rules say about the path itself.
public struct IgnoreRules: Hashable, Sendable {
  /// Rules, relative to each watched path. A rule that begins with `!` takes back what an earlier one has ignored.
  public var patterns: [BytePath] = []
  /// Files of rules, relative to each watched path. They need not exist, and are read again when they change.
  public var files: [BytePath] = []
  /// The names of files of rules for the directory that they are in, such as `.ignore`.
  public var fileNames: [BytePath] = []
  /// Whether git's own rules count: .gitignore files, from the top of the repository downwards, .git/info/exclude, and the
  /// file that `core.excludesFile` names. A directory that is in no repository has none of them.
  public var usesGit = false

  /// Makes rules that ignore nothing.
  public init() {}

  var isEmpty: Bool { patterns.isEmpty && files.isEmpty && fileNames.isEmpty && !usesGit }

  /// The names of files of rules in a directory, from the weakest.
  var namesInDirectories: [[UInt8]] { (usesGit ? [Self.gitIgnoreName] : []) + fileNames.map(\.bytes) }

  static let gitIgnoreName = Array(".gitignore".utf8)
  static let gitName = Array(".git".utf8)
}
