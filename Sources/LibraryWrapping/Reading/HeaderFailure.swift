/// The message for a header that does not compile.
enum HeaderFailure {
  static func error(_ options: HeaderOptions, _ flags: [String], _ message: String) -> WrappingError {
    let names = options.headers.joined(separator: ", ")
    var text = "clang can't compile \(names).\n\(message)Flags: "
    text += flags.isEmpty ? "none" : flags.joined(separator: " ")
    if isCPlusPlus(message, options) {
      return WrappingError(
        text
          + "\nThe header is written in C++. Swift callbacks need a C interface: write a header of C functions around it."
      )
    }
    if let before = required(message, options) {
      text += "\nThe source says what must come first: name <\(before)> before \(names)."
    } else if message.contains("file not found") {
      text +=
        "\nName the directory with -I, the package with --pkg-config, or install the library's development package."
    } else if let before = standardHeader(message) {
      text += "\nIt uses a type of <\(before)>: name \(before) before \(names)."
    } else if ["unknown type name", "a type specifier is required", "incomplete type"].contains(where: message.contains)
    {
      text += "\nThe header seems to need another one before it. Name that one first: headers are included in order."
    }
    return WrappingError(text)
  }

  /// The header of the C library that has a type which is missing.
  private static func standardHeader(_ message: String) -> String? {
    let headers = [
      "va_list": "stdarg.h", "bool": "stdbool.h", "sem_t": "semaphore.h", "DIR": "dirent.h",
      "struct dirent": "dirent.h",
      "struct epoll_event": "sys/epoll.h", "struct sockaddr_un": "sys/un.h", "jmp_buf": "setjmp.h",
    ]
    for phrase in ["unknown type name '", "incomplete type '"] {
      guard let start = message.firstRange(of: phrase) else { continue }
      return headers[String(message[start.upperBound...].prefix { $0 != "'" })]
    }
    return nil
  }

  private static func isCPlusPlus(_ message: String, _ options: HeaderOptions) -> Bool {
    if [
      "unknown type name 'class'", "unknown type name 'namespace'", "unknown type name 'template'",
      "unknown type name 'using'", "This header is for C++", "__cplusplus",
    ].contains(where: message.contains) {
      return true
    }
    // Headers of the C++ library have no extension.
    guard let start = message.firstRange(of: "fatal error: '"), message.contains("file not found") else { return false }
    let name = message[start.upperBound...].prefix { $0 != "'" }
    return !name.contains(".") && !name.contains("/")
  }

  /// A header that an `#error`, or a comment above the first include, asks for.
  private static func required(_ message: String, _ options: HeaderOptions) -> String? {
    let texts = message.split(separator: "\n").filter { $0.contains("error:") }.map(String.init)
    for text in texts {
      let lowered = text.lowercased()
      guard lowered.contains("include") || lowered.contains("before") else { continue }
      for word in text.split(whereSeparator: { " <>\"'`,;:()".contains($0) }) where word.hasSuffix(".h") {
        // The place of the error begins its line.
        if options.headers.contains(where: { $0.hasSuffix(word) }) || text.hasPrefix(word) { continue }
        return String(word)
      }
    }
    return nil
  }
}
