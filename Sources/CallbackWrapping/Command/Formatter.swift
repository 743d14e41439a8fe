/// Formats Swift with the formatter of the toolchain.
enum Formatter {
  private static let configuration =
    #"{"version":1,"lineLength":120,"indentation":{"spaces":2},"respectsExistingLineBreaks":true,"lineBreakBeforeEachArgument":false}"#

  /// The text as `swift format` writes it; unchanged if there is no formatter.
  static func format(_ text: String, clang: String) -> String {
    var commands = [[Toolchain.program("swift-format"), "format"], ["swift", "format"]]
    // The formatter next to the given clang comes first.
    if let slash = clang.lastIndex(of: "/") { commands.insert([clang[..<slash] + "/swift-format", "format"], at: 0) }
    for command in commands {
      if let process = FinishedProcess.run(command + ["--configuration", configuration, "-"], input: text),
        process.status == 0,
        !process.output.isEmpty
      {
        return process.text
      }
    }
    return text
  }
}
