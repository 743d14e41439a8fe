/// Ignore rules in the language of .gitignore files, and the files that contain such rules.
///
/// The first source in this list with a matching rule decides. Within a source, the last matching rule decides:
/// 1. `patterns`.
/// 2. The files in the directories, the deepest directory first. In one directory, `fileNames` precede .gitignore.
/// 3. `files`, the last one first.
/// 4. The repository's info/exclude, and then the user's global file.
///
/// A path below an ignored directory is ignored, regardless of rules for the path itself.
///
/// A file with more than 4 MiB is left out, with a notice.
public struct IgnoreRules: Hashable, Sendable {
  /// Rules, relative to each watched path. A rule that begins with `!` includes again what an earlier rule has ignored.
  public var patterns: [BytePath] = []
  /// The paths of files of rules, relative to each watched path. They need not exist, and are read again when they
  /// change.
  public var files: [BytePath] = []
  /// The names of files of rules that apply to their own directory, such as `.ignore`.
  public var fileNames: [BytePath] = []
  /// Whether git's own rules apply: .gitignore files, from the top of the repository down, .git/info/exclude, and the
  /// file in `core.excludesFile`. A directory outside a repository has none of them. False by default.
  public var usesGit = false

  /// Makes rules that ignore nothing.
  public init() {}

  var isEmpty: Bool { patterns.isEmpty && files.isEmpty && fileNames.isEmpty && !usesGit }

  /// The names of the files of rules in a directory, in increasing precedence.
  var namesInDirectories: [[UInt8]] { (usesGit ? [Self.gitIgnoreName] : []) + fileNames.map(\.bytes) }

  static let gitIgnoreName = Array(".gitignore".utf8)
  static let gitName = Array(".git".utf8)
}
