#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The programs of the Swift toolchain.
enum Toolchain {
  /// The program beside `swift`, if there is one there; otherwise the name, for the search path.
  static func program(_ name: String) -> String {
    guard let path = getenv("PATH") else { return name }
    for directory in String(cString: path).split(separator: ":") where access("\(directory)/swift", X_OK) == 0 {
      let swift = Files.resolved("\(directory)/swift")
      guard let slash = swift.lastIndex(of: "/") else { continue }
      let program = "\(swift[..<slash])/\(name)"
      if access(program, X_OK) == 0 { return program }
    }
    return name
  }
}
