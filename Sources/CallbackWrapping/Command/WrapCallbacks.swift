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
      var iterator = arguments.makeIterator()
      while let a = iterator.next() {
        if a.hasPrefix("-I") { options.includePaths.append(String(a.dropFirst(2))) } else if a.hasPrefix("-D") { options.defines.append(String(a.dropFirst(2))) }
        else if a == "--pkg-config" { options.packages.append(iterator.next() ?? "") }
        else if a == "--only" { options.only.append(iterator.next() ?? "") }
        else { options.headers.append(a) }
      }
      let library = Library(try Headers(options))
      for site in SiteFinder.sites(of: library) {
        print("### \(site.key)  [\(site.kind)]\(site.isArray ? " array" : "")\(site.isIndirect ? " indirect" : "") \(site.header):\(site.line)\n    \(site.signature)")
        if site.kind == .parameter, let i = library.functionIndex[site.owner] {
          let f = library.functions[i]
          print("    in: " + CType.function(CFunction(result: f.result, parameters: f.parameters, isVariadic: f.isVariadic)).spelled(f.name))
        }
        if !site.comment.isEmpty { print("      // " + site.comment.split(separator: "\n").joined(separator: "\n      // ")) }
      }
      return 0
    } catch { print(error); return 1 }
  }
}
