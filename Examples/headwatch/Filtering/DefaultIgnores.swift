/// What is left out unless the user says otherwise.
nonisolated enum DefaultIgnores {
  /// The stores of version control and of builds with SwiftPM, editors' swap, backup and lock files, and what file managers
  /// leave behind.
  static let patterns = [
    ".git/", ".hg/", ".svn/", ".jj/", ".build/", ".swiftpm/",
    "*.swp", "*.swo", "*.swx", "*~", ".#*", "#*#", "4913", ".*.kate-swp", ".goutputstream-*", ".DS_Store",
  ]

  /// Names of the files with which headwatch itself tells a command what has changed: never reported.
  static let ownFilePrefix = "headwatch-changes-"
}
