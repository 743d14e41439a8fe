#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Formats Swift with the formatter of the toolchain.
enum Formatter {
  private static let configuration =
    #"{"version":1,"lineLength":120,"indentation":{"spaces":2},"respectsExistingLineBreaks":true,"lineBreakBeforeEachArgument":false}"#

  /// The texts as `swift format` writes them; unchanged if there is no formatter. One process formats all of them.
  static func format(_ texts: [String], clang: String) -> [String] {
    var template = Array("/tmp/wrap-library.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return texts }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let paths = texts.indices.map { "\(folder)/\($0).swift" }
    defer {
      for path in paths { unlink(path) }
      rmdir(folder)
    }
    for (path, text) in zip(paths, texts) {
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if file < 0 { return texts }
      let isWritten = Files.write(Array(text.utf8), to: file)
      close(file)
      if !isWritten { return texts }
    }
    var commands = [[Toolchain.program("swift-format"), "format"], ["swift", "format"]]
    // The formatter next to the given clang comes first.
    if let slash = clang.lastIndex(of: "/") { commands.insert([clang[..<slash] + "/swift-format", "format"], at: 0) }
    for command in commands {
      let options = ["--configuration", configuration, "--in-place", "--parallel"]
      if let process = FinishedProcess.run(command + options + paths), process.status == 0 {
        return zip(paths, texts).map { path, text in
          Files.contents(of: path).map { String(decoding: $0, as: UTF8.self) } ?? text
        }
      }
    }
    return texts
  }
}
