#if Tracing
extension Trace {
  /// A short text for an element: its description, or what `String(describing:)` gives, down to some levels and elements, because an
  /// element can contain millions of values, and itself.
  static func text<Value>(_ value: Value) -> String {
    if Value.self == Void.self { return "" }
    return shortened(text(of: value, levels: 4), 100)
  }

  private static func text(of value: Any, levels: Int, isNested: Bool = false) -> String {
    if let string = value as? any StringProtocol {
      let short = shortened(String(string.prefix(101)), 100)
      return isNested ? "\"\(short)\"" : short
    }
    if levels == 0 { return "…" }
    // A range is described by its bounds. The number of its elements can be too large for an Int.
    if let many = value as? any Collection, !(value is any RangeExpression) {
      if _typeName(type(of: value)).hasPrefix("Swift.") { return list(many, levels) }
      if many is any RandomAccessCollection, many.count > 32 { return "\(type(of: value)) × \(many.count)" }
    }
    if let described = value as? any CustomStringConvertible { return described.description }
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.prefix(mostChildren).map { child in
      (child.label, text(of: child.value, levels: levels - 1, isNested: true))
    }
    let fields = children.map { label, text in
      label.map { $0.hasPrefix(".") ? text : "\($0): \(text)" } ?? text
    }.joined(separator: ", ")
    switch mirror.displayStyle {
    case .optional: return children.first.map { "Optional(\($0.1))" } ?? "nil"
    case .tuple: return "(\(fields))"
    case .struct: return "\(mirror.subjectType)(\(fields))"
    case .enum:
      guard let (name, payload) = children.first else { return String(describing: value) }
      return "\(name ?? "")" + (payload.hasPrefix("(") ? payload : "(\(payload))")
    default: return children.isEmpty ? String(describing: value) : "\(mirror.subjectType)"
    }
  }

  private static let mostChildren = 8

  private static func list<Elements: Collection>(_ many: Elements, _ levels: Int) -> String {
    if many is any RandomAccessCollection, many.count > 32 { return "\(Elements.self) × \(many.count)" }
    let isDictionary = _typeName(Elements.self).hasPrefix("Swift.Dictionary<")
    if isDictionary, many.isEmpty { return "[:]" }
    var texts: [String] = []
    for element in many {
      if texts.count == 32 {
        texts.append("…")
        break
      }
      texts.append(isDictionary ? entry(element, levels) : text(of: element, levels: levels - 1, isNested: true))
    }
    return "[\(texts.joined(separator: ", "))]"
  }

  private static func entry(_ pair: Any, _ levels: Int) -> String {
    Mirror(reflecting: pair).children.map { text(of: $0.value, levels: levels - 1, isNested: true) }
      .joined(separator: ": ")
  }
}
#endif
