// Prints the outline of an XML document while it reads it: `xml-outline FILE`. Without FILE, it reads standard input.
import ExpatStreams
import Glibc
import Streams

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// The bytes of a file, read on demand in pieces of up to 4,096 bytes.
nonisolated struct Pieces: Sequence, IteratorProtocol {
  let file: UnsafeMutablePointer<FILE>

  mutating func next() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    if count > 0 { return Array(bytes[..<count]) }
    // An error also ends the file.
    if ferror(file) != 0 {
      perror("xml-outline: cannot read")
      exit(74)
    }
    return nil
  }
}

let path = CommandLine.arguments.dropFirst().first ?? "/dev/stdin"
guard let file = fopen(path, "r") else {
  perror("xml-outline: \(path)")
  exit(66)
}

var depth = 0
var failed = false

func line(_ text: String) { print(String(repeating: "  ", count: depth) + text) }

let subscription = Stream.sequence(Pieces(file: file)).parseXML().joiningCharacters().observe { event in
  switch event {
  case .next(.startElement(let name, let attributes)):
    line(([name] + attributes.map { "\($0.name)=\"\($0.value)\"" }).joined(separator: " "))
    depth += 1
  case .next(.endElement): depth -= 1
  case .next(.characters(let text)):
    let words = text.split(whereSeparator: \.isWhitespace)
    if !words.isEmpty { line("“\(words.joined(separator: " "))”") }
  case .next(.comment(let text)): line("(\(text))")
  case .next: break
  case .completed: print("That is the whole document.")
  case .failed(let error):
    complain("\(path):\(error)")
    failed = true
  }
}
subscription.dispose()
if fflush(nil) != 0 {
  perror("xml-outline: cannot write")
  exit(74)
}
exit(failed ? 65 : 0)
