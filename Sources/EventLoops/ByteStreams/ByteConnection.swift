public import Streams

/// A connection of bytes: a TCP connection, a pipe, a terminal, or one that is encrypted.
///
/// Code that takes `some ByteConnection` serves a connection in the clear and an encrypted one alike:
/// ```swift
/// func greet(_ connection: some ByteConnection) -> Stream<String> {
///   connection.write("welcome\n")
///   return connection.bytes.lines().toStream(logError: false)
/// }
/// ```
///
/// What each requirement guarantees is described at `ByteStreamHandle`.
public protocol ByteConnection<Failure>: ByteSink, Disposable {
  /// Emits the bytes of the peer as they are read. Cold. There is one reader at a time.
  var bytes: Operation<Bytes, Failure> { get }

  /// True once the peer has finished, or reading has failed.
  var hasReadEnd: Bool { get }

  /// Writes a copy of `bytes`.
  func write(copying bytes: RawSpan)

  /// Writes `bytes` when observed. Emits one element when the system has accepted the last byte, and completes.
  func writing(_ bytes: Bytes) -> Operation<Void, Failure>

  /// Closes the writing side when observed. Emits one element when everything has been written and the peer has been
  /// notified, and completes.
  func finishing() -> Operation<Void, Failure>

  /// The number of bytes that have been accepted and not yet passed to the system.
  var queuedBytes: Int { get }

  /// The high and low watermarks of the write queue.
  var watermarks: Watermarks { get set }

  /// Writes the queued bytes, and closes. Does not read what the peer still sends.
  func close()

  /// Writes the queued bytes, reads until the peer has finished, and closes, after `patience` at the latest.
  func close(within patience: Duration)

  /// The connection of the system that carries the bytes: for one that is not encrypted, the connection itself.
  var carrier: ByteStreamHandle { get }
}

extension ByteStreamHandle: ByteConnection {
  /// The connection itself.
  public final var carrier: ByteStreamHandle { self }
}
