import EventLoops
import Streams

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
}

extension Exchange {
  /// Writes a body as it is produced, and pauses its source while the connection is full. Calls `end` with nil if
  /// everything has been written.
  func write(
    _ body: Operation<Bytes, any Error>, _ count: Int64?, to wire: Wire, isChunked: Bool,
    end: @escaping ((any Error)?) -> Void
  ) {
    var chunk: [UInt8] = []
    observe(
      body, count,
      next: { [self] bytes in
        if isChunked {
          chunk.removeAll(keepingCapacity: true)
          chunk.append(String(bytes.count, radix: 16))
          chunk.append("\r\n")
          chunk.append(contentsOf: bytes)
          chunk.append("\r\n")
          wire.write(copying: chunk)
        } else {
          wire.write(bytes)
        }
        if wire.isFull { source?.pause() }
      },
      end: { error in
        if error == nil, isChunked { wire.write("0\r\n\r\n") }
        end(error)
      })
    if wire.isFull { source?.pause() }
  }
}
