/// The paths that headwatch ignores by default.
nonisolated enum DefaultIgnores {
  /// The directories of version control systems and SwiftPM builds; the swap, backup, and lock files of editors; and
  /// the temporary files of desktops.
  static let patterns = [
    ".git/", ".hg/", ".svn/", ".jj/", ".build/", ".swiftpm/",
    "*.swp", "*.swo", "*.swx", "*~", ".#*", "#*#", "4913", ".*.kate-swp", ".goutputstream-*", ".DS_Store",
  ]

  /// The prefix of the files that list the changes for a command. headwatch never reports these files.
  static let ownFilePrefix = "headwatch-changes-"
}
