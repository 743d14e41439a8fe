import Streams

/// A log that any thread can write.
package final class Log: Sendable {
  private let list = Lock<[String]>([])

  package init() {}

  package var entries: [String] { list.withLock { $0 } }

  package func add(_ entry: String) { list.withLock { $0.append(entry) } }
}
