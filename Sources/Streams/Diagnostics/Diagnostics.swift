#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The channel for reports that no observer receives, for example of a queue that exceeds its bound or a late C callback.
///
/// ```swift
/// let previous = Diagnostics.setSink { message in print("headwater:", message) }
/// _ = Diagnostics.setSink(previous)
/// ```
///
/// The default sink writes a line to standard error. Any thread can report.
public enum Diagnostics {
  /// A struct around the closure, because Swift wraps a bare closure in a generic box again at each access.
  private struct Sink: Sendable {
    let take: @Sendable (String) -> Void
  }

  private static let sink = Lock(
    Sink { message in
      let line = "headwater: \(message)\n"
      line.utf8.withContiguousStorageIfAvailable { _ = write(2, $0.baseAddress, $0.count) }
    })

  /// Sends a message to the sink.
  public static func report(_ message: @autoclosure () -> String) {
    let sink = sink.withLock { $0 }
    sink.take(message())
  }

  /// Replaces the sink of the process, and returns the previous one.
  @discardableResult
  public static func setSink(_ newSink: @escaping @Sendable (String) -> Void) -> @Sendable (String) -> Void {
    sink.withLock { current in
      let previous = current.take
      current = Sink(take: newSink)
      return previous
    }
  }
}

/// Traps with a message that names the fix, in release builds too.
@usableFromInline
package func misuse(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
  fatalError(message, file: file, line: line)
}
