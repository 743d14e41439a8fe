#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The command `wrap-callbacks`.
public enum WrapCallbacks {
  /// Runs the command and returns its exit code.
  public static func run(_ arguments: [String]) -> Int32 {
    do {
      var options = HeaderOptions()
      var json = false
      var iterator = arguments.makeIterator()
      while let a = iterator.next() {
        if a.hasPrefix("-I") { options.includePaths.append(String(a.dropFirst(2))) } else if a.hasPrefix("-D") { options.defines.append(String(a.dropFirst(2))) }
        else if a == "--pkg-config" { options.packages.append(iterator.next() ?? "") }
        else if a == "--only" { options.only.append(iterator.next() ?? "") }
        else if a == "--json" { json = true }
        else { options.headers.append(a) }
      }
      let library = Library(try Headers(options))
      let sites = Classifier.classify(library)
      print(json ? Report.json(sites) : Report.table(sites), terminator: "")
      return 0
    } catch { print(error); return 1 }
  }
}
