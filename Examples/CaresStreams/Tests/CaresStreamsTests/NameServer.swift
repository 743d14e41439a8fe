import EventLoops
import Streams

/// A small name server on the loop of the test.
final class NameServer {
  /// The record type of a question.
  enum Kind: UInt16 {
    case a = 1
    case pointer = 12
    case aaaa = 28
  }

  /// The reply to a question.
  enum Reply {
    /// Records with these data. An empty array is a reply without records.
    case records([[UInt8]])
    case noSuchName
    case silence
    /// Bytes that are not a DNS message.
    case garbage
  }

  let port: UInt16
  /// The names of all received questions, including repeated ones.
  private(set) var questions: [String] = []
  /// Returns the reply to a question.
  var reply: (String, Kind) -> Reply = { _, _ in .noSuchName }
  private let handle: UDPHandle
  private let bag = DisposeBag()

  init() throws {
    handle = try UDPHandle()
    try handle.bind(to: .loopback(port: 0))
    port = try handle.localAddress().port
    handle.datagrams.observeNext { [unowned self] in receive($0) }.dispose(in: bag)
  }

  func close() {
    bag.dispose()
    handle.dispose()
  }

  private func receive(_ datagram: Datagram) {
    let bytes = Array(datagram.bytes)
    guard bytes.count > 12 else { return }
    var labels: [String] = []
    var place = 12
    while place < bytes.count, bytes[place] != 0 {
      labels.append(String(decoding: bytes[(place + 1)...].prefix(Int(bytes[place])), as: UTF8.self))
      place += Int(bytes[place]) + 1
    }
    guard place + 4 < bytes.count, let kind = Kind(rawValue: UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place + 2]))
    else { return }
    let name = labels.joined(separator: ".")
    questions.append(name)
    let question = bytes[12...(place + 4)]
    switch reply(name, kind) {
    case .silence: break
    case .garbage: send([1, 2, 3], to: datagram.sender)
    case .noSuchName: send(Self.header(bytes, code: 3, count: 0) + question, to: datagram.sender)
    case .records(let records):
      var answer = Self.header(bytes, code: 0, count: records.count) + question
      for record in records {
        // A pointer to the name of the question, its type, the class IN, a TTL of one minute, and the data.
        answer += [0xc0, 12, 0, UInt8(kind.rawValue), 0, 1, 0, 0, 0, 60, 0, UInt8(record.count)] + record
      }
      send(answer, to: datagram.sender)
    }
  }

  private static func header(_ question: [UInt8], code: UInt8, count: Int) -> [UInt8] {
    [question[0], question[1], 0x81, 0x80 | code, 0, 1, 0, UInt8(count), 0, 0, 0, 0]
  }

  private func send(_ bytes: [UInt8], to address: SocketAddress) {
    handle.send(Bytes(bytes), to: address).observe { _ in }.dispose(in: bag)
  }

  /// Returns a name in the format of a DNS message.
  static func name(_ text: String) -> [UInt8] {
    text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }
}
