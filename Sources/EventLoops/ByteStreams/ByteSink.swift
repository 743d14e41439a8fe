public import Streams

/// What takes bytes: a socket, a pipe, the input of a process, a file.
///
/// Writing never waits: what cannot be written at once is queued, in order. Who can wait asks `isFull` after each write, and
/// goes on when `readiness` has an element. `pipe(to:)` does that for any stream of bytes.
///
/// ```swift
/// func copy(_ source: Operation<Bytes, UVError>, to sink: any ByteSink, in bag: DisposeBag) {
///   source.pipe(to: sink).observe { event in print(event) }.dispose(in: bag)
/// }
/// ```
///
/// There is one channel for what goes wrong, `readiness`: the first write that fails fails it, and what is written afterwards
/// is dropped.
public protocol ByteSink: AnyObject {
  /// Takes `bytes`: writes them at once where nothing is queued, and queues what is left. Copies nothing.
  func write(_ bytes: Bytes)

  /// True from the moment at which the queue has grown to its high mark until it has shrunk to its low one.
  var isFull: Bool { get }

  /// Ends it: nothing may be written afterwards, what is queued still is. A second call does nothing.
  func finish()

  /// What becomes of what is written: an element each time the queue has shrunk to its low mark after it was full; completes when
  /// everything has been written after `finish()`; fails with the first error, and with `ECANCELED` where the sink is
  /// closed before. Hot; who observes after the end gets it at once.
  var readiness: Operation<Void, UVError> { get }
}

/// Between which marks a queue of bytes makes its feeder wait.
public struct QueueMarks: Hashable, Sendable {
  /// A queue of this many bytes is full.
  public var high: Int
  /// A full queue that has shrunk to this many bytes has room again.
  public var low: Int

  /// Makes marks. Traps unless `0 <= low < high`.
  public init(high: Int, low: Int) {
    if low < 0 || low >= high {
      fatalError("The marks of a queue are \(low) and \(high): the low one is at least 0 and below the high one.")
    }
    self.high = high
    self.low = low
  }

  /// 256 KiB and 64 KiB.
  public static let standard = QueueMarks(high: 262_144, low: 65_536)
}
