/// The high and low watermarks of a buffer: the lengths at which its sender pauses and resumes.
///
/// ```swift
/// for await number in Stream.sequence(1...3).values(.pausing(Watermarks(high: 16))) { print(number) }
/// ```
///
/// Every buffer of the package that must not lose an element has watermarks: operators that hold elements, `Inlet.onPressure`,
/// `values(.pausing)`, `observe(on:watermarks:_:)`, and, counted in bytes, the sinks of the product EventLoops. A sender that
/// cannot pause can exceed the high watermark. Operators, `values(.pausing)`, and `observe(on:watermarks:_:)` report that once
/// through `Diagnostics`, at more than twice the high watermark.
public struct Watermarks: Hashable, Sendable {
  /// The length at which the sender pauses, at least 1.
  public let high: Int
  /// The length at which a paused sender resumes, less than `high`.
  public let low: Int

  /// Creates watermarks. Traps unless `0 <= low < high`.
  ///
  /// - Parameters:
  ///   - high: The length at which the sender pauses.
  ///   - low: The length at which it resumes. Defaults to half of `high`.
  public init(high: Int, low: Int? = nil) {
    let low = low ?? high / 2
    if low < 0 || low >= high {
      misuse("Watermarks(high: \(high), low: \(low)): low is at least 0, and high is more than low.")
    }
    self.high = high
    self.low = low
  }

  /// The watermarks of operators that hold elements, for each source: 1,024 and 512 elements.
  public static let standard = Watermarks(high: 1_024)
  /// The watermarks of `delay`: 16,384 and 8,192 elements.
  public static let delay = Watermarks(high: 16_384)
}
