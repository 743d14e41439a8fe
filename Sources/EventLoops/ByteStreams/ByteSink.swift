public import Streams

/// A destination for bytes: a socket, a pipe, the input of a process, or a file.
///
/// Writing never waits: bytes that cannot be written at once are queued, in order. To limit the queue, check `isFull`
/// after each write, and continue when `readiness` emits. `pipe(to:)` does that for any stream of bytes.
///
/// ```swift
/// func copy(_ source: Operation<Bytes, UVError>, to sink: any ByteSink<UVError>, in bag: DisposeBag) {
///   source.pipe(to: sink).observe { event in print(event) }.dispose(in: bag)
/// }
/// ```
///
/// Errors are reported through `readiness` only: the first write that fails makes it fail, and later writes are
/// dropped.
public protocol ByteSink<Failure>: AnyObject {
  /// The sink's errors: those of the system, or a type that includes them.
  associatedtype Failure: ConnectionError

  /// Writes `bytes` at once if nothing is queued, and queues the rest. Copies nothing.
  func write(_ bytes: Bytes)

  /// True from when the queue has grown to its high watermark until it has shrunk to its low watermark, and after the
  /// sink has failed.
  var isFull: Bool { get }

  /// Ends the sink: queued bytes are still written, and later writes are dropped. Idempotent.
  func finish()

  /// Reports room, the end, and errors of the sink.
  ///
  /// Emits an element each time a full queue has shrunk to its low watermark. Completes when everything has been
  /// written after `finish()`. Fails with the first error, or with `ECANCELED` if the sink is closed first. Hot; an
  /// observer that comes after the end receives the end at once.
  var readiness: Operation<Void, Failure> { get }
}

/// The errors of a connection: those of the system, and possibly those of a protocol such as TLS.
public protocol ConnectionError: Error {
  /// Makes an error of one of the system.
  init(_ error: UVError)
}

extension UVError: ConnectionError {
  /// Returns the error itself.
  public init(_ error: UVError) { self = error }
}

extension Watermarks {
  /// The watermarks of a queue of bytes: 256 KiB and 64 KiB.
  public static let bytes = Watermarks(high: 262_144, low: 65_536)
}
