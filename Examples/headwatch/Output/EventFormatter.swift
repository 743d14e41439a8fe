import EventLoops
import FileWatching
import Streams

/// How an event becomes bytes: a line for people, a JSON object, or NUL-terminated paths.
///
/// Pure: it appends to a buffer and keeps nothing.
nonisolated struct EventFormatter {
  /// The form of the output.
  enum Style: Hashable {
    /// A line for people, with colours or without.
    case human(isColoured: Bool)
    /// A JSON object on a line of its own.
    case json
    /// The path and a zero byte; of a rename the old path and the new one.
    case print0
  }

  /// The form.
  let style: Style
  /// Whether `./` is taken off the front of paths: where nobody asked for `.` by name.
  let hidesDot: Bool

  /// Makes a formatter.
  init(_ style: Style, hidesDot: Bool = false) {
    self.style = style
    self.hidesDot = hidesDot
  }

  /// Appends `event`.
  func append(_ event: FileEvent, to buffer: inout [UInt8]) {
    switch style {
    case .human(let isColoured): appendLine(event, isColoured, to: &buffer)
    case .json: appendObject(event, to: &buffer)
    case .print0:
      for path in [event.path, event.destination].compactMap({ $0 }) {
        buffer.append(contentsOf: shown(path))
        buffer.append(0)
      }
    }
  }

  /// The path as it is printed.
  func shown(_ path: BytePath) -> ArraySlice<UInt8> {
    hidesDot && path.bytes.count > 2 && path.bytes.starts(with: "./".utf8) ? path.bytes[2...] : path.bytes[...]
  }

  // MARK: For people

  private static let column = 10

  private func appendLine(_ event: FileEvent, _ isColoured: Bool, to buffer: inout [UInt8]) {
    let (label, colour): (String, String) =
      switch event.kind {
      case .created: ("created", "32")
      case .modified: ("modified", "33")
      case .removed: ("removed", "31")
      case .renamed: ("renamed", "36")
      case .attributes: ("attrib", "2")
      case .overflow: ("overflow", "1;35")
      }
    if isColoured {
      buffer.append(contentsOf: "\u{1b}[\(colour)m\(label)\u{1b}[0m".utf8)
    } else {
      buffer.append(contentsOf: label.utf8)
    }
    for _ in label.utf8.count..<Self.column { buffer.append(UInt8(ascii: " ")) }
    appendName(event.path, event.isDirectory, to: &buffer)
    if let destination = event.destination {
      buffer.append(contentsOf: " -> ".utf8)
      appendName(destination, event.isDirectory, to: &buffer)
    }
    if event.kind == .overflow { buffer.append(contentsOf: "  (too many changes at once; what differs follows)".utf8) }
    buffer.append(UInt8(ascii: "\n"))
  }

  private func appendName(_ path: BytePath, _ isDirectory: Bool, to buffer: inout [UInt8]) {
    let name = shown(path)
    Escaping.appendForPeople(name, to: &buffer)
    if isDirectory, name.last != UInt8(ascii: "/") { buffer.append(UInt8(ascii: "/")) }
  }

  // MARK: JSON

  private func appendObject(_ event: FileEvent, to buffer: inout [UInt8]) {
    buffer.append(contentsOf: "{\"kind\":\"\(event.eventKind.rawValue)\"".utf8)
    appendMember("path", event.path, to: &buffer)
    if let destination = event.destination { appendMember("to", destination, to: &buffer) }
    buffer.append(contentsOf: ",\"type\":\"\(event.isDirectory ? "directory" : "file")\"}\n".utf8)
  }

  private func appendMember(_ name: String, _ path: BytePath, to buffer: inout [UInt8]) {
    let bytes = shown(path)
    buffer.append(contentsOf: ",\"\(name)\":".utf8)
    if String(validating: bytes, as: UTF8.self) != nil {
      Escaping.appendJSON(bytes, to: &buffer)
    } else {
      Escaping.appendJSON(Array(String(decoding: bytes, as: UTF8.self).utf8)[...], to: &buffer)
      buffer.append(contentsOf: ",\"\(name)_b64\":\"".utf8)
      Escaping.appendBase64(bytes, to: &buffer)
      buffer.append(UInt8(ascii: "\""))
    }
  }
}
