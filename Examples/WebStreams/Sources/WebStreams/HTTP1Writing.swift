import EventLoops

/// The parts of HTTP/1.1 that servers and clients write.
extension [UInt8] {
  mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  mutating func append(_ number: Int) { append(String(number)) }

  /// Appends a header without the fields that the connection writes itself.
  mutating func append(fieldsOf headers: HTTPHeaders) {
    for field in headers.fields {
      switch field.nameEnd - field.start {
      case 10: if headers.isNamed(field, "Connection") { continue }
      case 14: if headers.isNamed(field, "Content-Length") { continue }
      case 17: if headers.isNamed(field, "Transfer-Encoding") { continue }
      default: break
      }
      append(contentsOf: headers.text[Int(field.start)..<Int(field.nameEnd)])
      append(": ")
      append(contentsOf: headers.text[Int(field.nameEnd)..<Int(field.end)])
      append("\r\n")
    }
  }

  /// Appends a part of a body whose length is not known.
  mutating func append(chunk bytes: Bytes) {
    append(String(bytes.count, radix: 16))
    append("\r\n")
    append(contentsOf: bytes)
    append("\r\n")
  }
}
