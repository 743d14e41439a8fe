import Headwater

/// The settings of the server. A configuration file has one setting per line, such as `port 7000`.
nonisolated struct Configuration: Equatable {
  /// The first word of each reply.
  var greeting = "hello"
  /// The port on 127.0.0.1. The system chooses one if it is 0.
  var port: UInt16 = 7000
  /// The number of clients that the server serves at the same time.
  var clients = 100
  /// The time after which a client that sends nothing is disconnected.
  var idle = Duration.seconds(60)

  /// Reads the lines of a configuration file. A setting without a line has its default value.
  init(lines: [String]) throws(ConfigurationError) {
    for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
      func problem(_ reason: String) -> ConfigurationError { ConfigurationError(line: index + 1, reason: reason) }
      let words = line.split(separator: " ", maxSplits: 1)
      let value = words.count > 1 ? String(words[1]) : ""
      switch words.first {
      case "greeting":
        if value.isEmpty { throw problem("greeting needs a text") }
        greeting = value
      case "port":
        guard let number = UInt16(value) else { throw problem("port needs a number from 0 to 65535") }
        port = number
      case "clients":
        guard let number = Int(value), number > 0 else { throw problem("clients needs a number above 0") }
        clients = number
      case "idle":
        guard let seconds = Double(value), 0.001...86_400 ~= seconds else {
          throw problem("idle needs a number of seconds from 0.001 to 86400")
        }
        idle = .seconds(seconds)
      default: throw problem("\"\(line)\" is none of greeting, port, clients, and idle")
      }
    }
  }
}

/// The error of a line in a configuration file.
nonisolated struct ConfigurationError: Error, CustomStringConvertible {
  let line: Int
  let reason: String

  var description: String { "line \(line): \(reason)" }
}

/// Reads the file once. If the file cannot be read or is not valid, reports the error and emits nothing.
func readConfiguration(_ path: String) -> Stream<Configuration> {
  Operation.reading(path)
    .lines(cutAt: 4096)
    .collect()
    .mapError { $0 as any Error }
    .tryMap { lines throws(any Error) in try Configuration(lines: lines) }
    .doOn(failed: { complain("\(path): \($0)") })
    .toStream(logError: false)
}
