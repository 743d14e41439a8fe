#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Where the package says what nobody asked for but somebody should know: a queue that grew beyond its bound, a library
/// that called back too late.
///
/// ```swift
/// let previous = Diagnostics.setSink { message in print("headwater:", message) }
/// _ = Diagnostics.setSink(previous)
/// ```
///
/// The default writes a line to standard error. Reports come from any thread.
public enum Diagnostics {
  /// A closure that lies in a generic box bare is wrapped once more each time the box is opened.
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

  /// Replaces the sink, for the whole process, and returns the one before.
  @discardableResult
  public static func setSink(_ newSink: @escaping @Sendable (String) -> Void) -> @Sendable (String) -> Void {
    sink.withLock { current in
      let previous = current.take
      current = Sink(take: newSink)
      return previous
    }
  }
}

/// Stops the program with a sentence that names the cure, in release builds too.
@usableFromInline
package func misuse(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
  fatalError(message, file: file, line: line)
}
