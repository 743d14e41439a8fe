import EventLoops
import FileWatching
import Streams

/// A formatter that turns an event into a line for users, a JSON object, or paths that end with a zero byte.
///
/// It has no state: it appends to a buffer of the caller.
nonisolated struct EventFormatter {
  /// The format of the output.
  enum Style: Hashable {
    /// A line for users, with or without colors.
    case human(isColoured: Bool)
    /// A JSON object on its own line.
    case json
    /// The path and a zero byte. For a renamed file, the old path and then the new one.
    case print0
  }

  /// The format.
  let style: Style
  /// Whether to omit `./` at the beginning of paths, which is the case if the user has named no path.
  let hidesDot: Bool
  /// The directory to prepend to relative paths, with a trailing slash. Empty for none.
  let prefix: [UInt8]

  /// Creates a formatter.
  init(_ style: Style, hidesDot: Bool = false, prefix: [UInt8] = []) {
    self.style = style
    self.hidesDot = hidesDot
    self.prefix = prefix
  }

  /// Appends `event` to `buffer`.
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

  /// Returns the path as it is printed.
  func shown(_ path: BytePath) -> ArraySlice<UInt8> {
    let hasDot = path.bytes.count > 2 && path.bytes.starts(with: "./".utf8)
    let shown = hasDot && (hidesDot || !prefix.isEmpty) ? path.bytes[2...] : path.bytes[...]
    if prefix.isEmpty || shown.first == UInt8(ascii: "/") { return shown }
    return shown.elementsEqual(".".utf8) ? prefix.dropLast() : prefix + shown
  }

  // MARK: Lines

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
