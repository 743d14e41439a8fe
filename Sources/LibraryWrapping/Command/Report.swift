/// The output of `--list`.
enum Report {
  static func json(_ sites: [ClassifiedSite]) -> String {
    "[\n" + sites.map { object($0) }.joined(separator: ",\n") + "\n]\n"
  }

  private static func object(_ classified: ClassifiedSite) -> String {
    let site = classified.site
    let context =
      classified.context.value.map { "{\"index\": \($0.index), \"registeredBy\": \(quoted($0.registeredBy))}" }
      ?? "null"
    let endings = classified.endings.value
      .map { "{\"function\": \(quoted($0.function)), \"withNull\": \($0.withNull)}" }.joined(separator: ", ")
    let fails = classified.fails.map { quoted($0.value.rawValue) } ?? "null"
    let certainties = [
      ("role", classified.role.certainty), ("context", classified.context.certainty),
      ("life", classified.life.certainty),
      ("thread", classified.thread.certainty), ("result", classified.result.certainty),
      ("fails", classified.fails?.certainty ?? .told),
      ("unregister", classified.endings.certainty),
    ].map { "\"\($0)\": \"\($1.rawValue)\"" }.joined(separator: ", ")
    let members: [(String, String)] = [
      ("header", quoted(site.header)), ("line", "\(site.line)"), ("kind", quoted(site.kind.rawValue)),
      ("owner", quoted(site.owner)), ("name", quoted(site.name)), ("index", "\(site.index)"), ("key", quoted(site.key)),
      ("signature", quoted(site.signature)), ("context", context),
      ("life", classified.life.value.map { quoted($0.rawValue) } ?? "null"),
      ("thread", classified.thread.value.map { quoted($0.rawValue) } ?? "null"),
      ("result", quoted(classified.result.value.rawValue)),
      ("fails", fails),
      ("arguments", "[" + classified.arguments.map { quoted($0.rawValue) }.joined(separator: ", ") + "]"),
      ("role", quoted(classified.role.value.rawValue)), ("unregister", "[\(endings)]"),
      ("certainty", quoted(classified.certainty.rawValue)), ("certainties", "{\(certainties)}"),
      ("why", quoted(why(classified))),
    ]
    return "  {" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }

  private static func why(_ classified: ClassifiedSite) -> String {
    let role = classified.role.value
    if role != .callback { return [role.reason, classified.role.why].filter { !$0.isEmpty }.joined(separator: " ") }
    return [classified.context.why, classified.life.why, classified.thread.why, classified.fails?.why ?? ""].filter {
      !$0.isEmpty
    }.joined(
      separator: " ")
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      default:
        if scalar.value < 0x20 {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// A table with a column for each kind of decision.
  static func table(_ sites: [ClassifiedSite]) -> String {
    var rows = [["site", "kind", "role", "context", "life", "thread", "result", "fails if", "ends with", "certainty"]]
    for classified in sites {
      let site = classified.site
      let ends = classified.endings.value.map { $0.function + ($0.withNull ? "(NULL)" : "") }.joined(separator: ", ")
      rows.append([
        site.key, site.kind.rawValue, classified.role.value.rawValue,
        classified.context.value.map { "\($0.index) < \($0.registeredBy)" } ?? "-",
        classified.role.value == .callback ? classified.life.value.map { "\($0.words) (\($0.rawValue))" } ?? "?" : "-",
        classified.role.value == .callback
          ? classified.thread.value.map { "\($0.words) (\($0.rawValue))" } ?? "?" : "-",
        "\(classified.result.value.words) (\(classified.result.value.rawValue))",
        classified.fails.map { $0.value.rawValue + ($0.certainty == .asked ? "?" : "") } ?? "-",
        ends.isEmpty ? "-" : ends, classified.certainty.rawValue,
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
