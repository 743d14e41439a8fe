#if Tracing
extension Trace {
  /// A short text for an element, like that of `String(describing:)`.
  static func text<Value>(_ value: Value) -> String {
    if Value.self == Void.self { return "" }
    var writer = TextWriter()
    return shortened(writer.text(of: value, isNested: false), 100)
  }
}

/// Describes values down to some levels and up to some number, because an element can contain millions of values, and itself.
private struct TextWriter {
  private var values = 64
  private var levels = 16

  mutating func text(of value: Any, isNested: Bool = true) -> String {
    if levels == 0 || values == 0 { return "…" }
    levels -= 1
    values -= 1
    defer { levels += 1 }
    let type = _typeName(type(of: value))
    // Before the casts, which unwrap it.
    if type.hasPrefix("Swift.Optional<") {
      return Mirror(reflecting: value).children.first.map { "Optional(\(text(of: $0.value)))" } ?? "nil"
    }
    if let string = value as? String ?? (value as? Substring).map(String.init) {
      let short = Trace.shortened(string, 100)
      return isNested ? "\"\(short)\"" : short
    }
    // A range is described by its bounds. The number of its elements can be too large for an Int.
    if let many = value as? any Collection, !(value is any RangeExpression) {
      if many is any RandomAccessCollection, many.count > 32 { return "\(Swift.type(of: value)) × \(many.count)" }
      if type.hasPrefix("Swift.") { return list(many, isDictionary: type.hasPrefix("Swift.Dictionary<")) }
    }
    if let described = value as? any CustomStringConvertible { return described.description }
    return fields(of: value)
  }

  private mutating func list(_ many: some Collection, isDictionary: Bool) -> String {
    if isDictionary, many.isEmpty { return "[:]" }
    var texts: [String] = []
    for element in many {
      if values == 0 {
        texts.append("…")
        break
      }
      if isDictionary {
        texts.append(Mirror(reflecting: element).children.map { text(of: $0.value) }.joined(separator: ": "))
      } else {
        texts.append(text(of: element))
      }
    }
    return "[\(texts.joined(separator: ", "))]"
  }

  private mutating func fields(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum {
      guard let (name, payload) = mirror.children.first else { return String(describing: value) }
      let text = text(of: payload)
      return (name ?? "") + (text.hasPrefix("(") ? text : "(\(text))")
    }
    guard mirror.displayStyle == .struct || mirror.displayStyle == .tuple else { return "\(mirror.subjectType)" }
    var texts: [String] = []
    for (label, child) in mirror.children {
      let name = label.map { $0.hasPrefix(".") ? "" : "\($0): " } ?? ""
      texts.append(name + text(of: child))
      if values == 0 { break }
    }
    return (mirror.displayStyle == .struct ? "\(mirror.subjectType)" : "") + "(\(texts.joined(separator: ", ")))"
  }
}
#endif
