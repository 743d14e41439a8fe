import Streams

/// What happened, on whatever thread.
final class Log: Sendable {
  private let list = Lock<[String]>([])

  var entries: [String] { list.withLock { $0 } }

  func add(_ entry: String) { list.withLock { $0.append(entry) } }
}
