#if Tracing
extension Trace {
  /// The value of an argument.
  @usableFromInline
  package enum Argument {
    case number(Int)
    case text(String)
  }

  /// One event, before its thread and time are known.
  struct Line {
    let phase: Character
    private let category: StaticString?
    private let name: String
    let id: UInt32
    private let arguments: KeyValuePairs<StaticString, Argument>
    /// Nanoseconds, if the event does not happen now.
    var time: UInt64?
    var length: UInt64?
    /// What the event says about an open subscription.
    var subject: Subject?

    init(
      _ phase: Character, _ category: StaticString? = nil, _ name: String = "",
      _ arguments: KeyValuePairs<StaticString, Argument> = [:], id: UInt32 = 0, subject: Subject? = nil
    ) {
      self.phase = phase
      self.category = category
      self.name = name
      self.arguments = arguments
      self.id = id
      self.subject = subject
    }

    init(metadata name: String, _ arguments: KeyValuePairs<StaticString, Argument>) {
      self.init("M", nil, name, arguments)
    }

    /// The event as a line of JSON. The phase is at byte 7 and the digits of an ID begin at byte 16, where `TraceFile` looks for them.
    func line(thread: Int, at now: UInt64) -> String {
      var line = "{\"ph\":\"\(phase)\""
      if id != 0 { line += ",\"id\":\"\(id)\"" }
      if let category { line += ",\"cat\":\"\(category)\"" }
      if phase != "E" { line += ",\"name\":\(Trace.json(Trace.shortened(name, 300)))" }
      line += ",\"pid\":\(Trace.process),\"tid\":\(thread),\"ts\":\(Trace.microseconds(time ?? now))"
      if let length { line += ",\"dur\":\(Trace.microseconds(length))" }
      if phase == "i" { line += ",\"s\":\"t\"" }
      if phase == "f" { line += ",\"bp\":\"e\"" }
      if !arguments.isEmpty {
        var separator = ",\"args\":{"
        for (key, value) in arguments {
          line += "\(separator)\"\(key)\":"
          switch value {
          case .number(let number): line += "\(number)"
          case .text(let text): line += Trace.json(Trace.shortened(text, 300))
          }
          separator = ","
        }
        line += "}"
      }
      return line + "},\n"
    }
  }

  static func microseconds(_ nanoseconds: UInt64) -> String {
    let rest = String(nanoseconds % 1000)
    return "\(nanoseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }

  /// `text` as a JSON string.
  static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\u{0}"..<" ", "\u{7f}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// The first `most` characters of `text`, each a scalar, because one that is composed has no bound.
  static func shortened(_ text: String, _ most: Int) -> String {
    if text.utf8.count <= most { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(most))) + "…"
  }
}
#endif
