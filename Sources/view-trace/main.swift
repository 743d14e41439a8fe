import Foundation

/// Writes a page that shows a recording, and needs no other file.
let usage = """
  Usage: view-trace TRACE [PAGE]

  Writes PAGE, which shows the recording TRACE in a browser. Without PAGE, it is TRACE with the extension html.
  A program writes a recording if it is built with the trait Tracing of the package headwater, and runs with
  HEADWATER_TRACE=trace.json.

  """

func write(error text: String) {
  let bytes = Array(text.utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}

func fail(_ message: String, _ status: Int32) -> Never {
  write(error: "view-trace: \(message)\n")
  exit(status)
}

func read(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "rb") else { fail("cannot read \(path): \(String(cString: strerror(errno)))", 1) }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&part, 1, part.count, file)
    if count == 0 { break }
    bytes += part[..<count]
  }
  if ferror(file) != 0 { fail("cannot read \(path): \(String(cString: strerror(errno)))", 1) }
  return bytes
}

/// The lines of a recording, without its blank parts. In HTML, `<` could end the element; JSON has an escape for it.
func lines(of trace: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(trace.count)
  for line in trace.split(separator: UInt8(ascii: "\n")) {
    let start = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "[") }
    if !start.starts(with: "{\"ph\":".utf8) { continue }
    for byte in start {
      if byte == UInt8(ascii: "<") { result += "\\u003c".utf8 } else { result.append(byte) }
    }
    result.append(UInt8(ascii: "\n"))
  }
  return result
}

/// A file of the viewer. They are copied beside the command, because the compiler takes half a minute to embed them.
func viewer(_ name: String) -> String {
  guard let path = Bundle.module.path(forResource: "Viewer/\(name)", ofType: nil) else {
    fail("the file Viewer/\(name) is missing beside this command; build it again", 1)
  }
  return String(decoding: read(path), as: UTF8.self)
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") || arguments.contains("-h") {
  print(usage, terminator: "")
  exit(0)
}
guard (1...2).contains(arguments.count), arguments.allSatisfy({ !$0.hasPrefix("-") }) else {
  write(error: usage)
  exit(64)
}
let trace = arguments[0]
let page =
  arguments.count == 2
  ? arguments[1] : (trace.hasSuffix(".json") ? String(trace.dropLast(".json".count)) : trace) + ".html"
let events = lines(of: read(trace))
if events.isEmpty {
  fail("\(trace) has no events. It is a file that a program with the trait Tracing wrote for HEADWATER_TRACE.", 1)
}
let script = ["model.js", "layout.js", "draw.js", "graph.js", "main.js"].map(viewer).joined(separator: "\n")
// The trace comes last, because it can contain anything.
let parts = viewer("viewer.html").components(around: ["/*STYLE*/", "/*TRACE*/", "/*SCRIPT*/"])
let html =
  Array(parts[0].utf8) + Array(viewer("viewer.css").utf8) + Array(parts[1].utf8) + events + Array(parts[2].utf8)
  + Array(script.utf8) + Array(parts[3].utf8)

// Only its user can read it, as the recording.
umask(0o077)
guard let file = fopen(page, "wb") else { fail("cannot write \(page): \(String(cString: strerror(errno)))", 1) }
let count = fwrite(html, 1, html.count, file)
if fclose(file) != 0 || count != html.count { fail("cannot write \(page): \(String(cString: strerror(errno)))", 1) }
print(page)

extension String {
  /// The parts before, between, and after `marks`, which follow one another.
  func components(around marks: [String]) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    for mark in marks {
      guard let range = rest.firstRange(of: mark) else { fatalError("The page has no \(mark).") }
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return parts + [rest]
  }
}
