/// Which headers are read, and how.
struct HeaderOptions: Equatable {
  var headers: [String] = []
  var defines: [String] = []
  var includePaths: [String] = []
  var packages: [String] = []
  /// Paths of the files and directories whose declarations count.
  var only: [String] = []
  var clang = Toolchain.program("clang")
}

/// An error that the user can fix.
struct WrappingError: Error, CustomStringConvertible, Equatable {
  var description: String

  init(_ description: String) { self.description = description }
}
