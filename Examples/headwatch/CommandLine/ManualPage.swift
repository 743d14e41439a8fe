/// The manual page, generated from the option specifications.
nonisolated enum ManualPage {
  static var text: String {
    var page = """
      .TH HEADWATCH 1 "" "\(HelpText.version)" "User Commands"
      .SH NAME
      headwatch \\- watch files, and run commands when they change
      .SH SYNOPSIS
      .B headwatch
      \(escaped(String(HelpText.usage.dropFirst("headwatch ".count))))
      .SH DESCRIPTION
      \(escaped(HelpText.summary))

      """
    for paragraph in HelpText.paragraphs { page += ".PP\n\(escaped(paragraph))\n" }
    page += ".SH OPTIONS\n"
    for section in OptionSpecification.Section.allCases {
      page += ".SS \(section.rawValue)\n"
      for option in Options.specifications where option.section == section {
        let text = option.details.isEmpty ? option.summary : "\(option.summary) \(option.details)"
        page += ".TP\n.B \(escaped(option.usage))\n\(escaped(text))\n"
      }
    }
    page += ".SH EXAMPLES\n"
    for (command, meaning) in HelpText.examples { page += ".TP\n.B \(escaped(command))\n\(escaped(meaning))\n" }
    return page
  }

  /// Escapes text for troff: dashes remain ASCII, backslashes are printed, and a leading `.` or `'` does not begin a
  /// request.
  private static func escaped(_ text: String) -> String {
    let characters = text.map { $0 == "\\" ? "\\e" : $0 == "-" ? "\\-" : String($0) }.joined()
    return characters.hasPrefix(".") || characters.hasPrefix("'") ? "\\&" + characters : characters
  }
}
