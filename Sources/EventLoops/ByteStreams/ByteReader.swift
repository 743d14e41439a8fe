import CUV
public import Streams

/// The reader of a connection, which receives the bytes as they are read. This is the fastest way to read.
///
/// ```swift
/// final class Echo: ByteReader {
///   let connection: TCPHandle
///   init(_ connection: TCPHandle) { self.connection = connection }
///   override func received(_ bytes: RawSpan) { connection.write(copying: bytes) }
///   override func ended(_ end: Termination<UVError>) { connection.close() }
/// }
/// func serve(_ connection: TCPHandle) { connection.startReading(Echo(connection)) }
/// ```
///
/// The bytes are valid during the call only: they lie in the loop's read buffer, which the next read overwrites.
/// Nothing is allocated, and no reference is counted. To retain the bytes, read the stream `bytes` of the connection
/// instead.
open class ByteReader {
  /// Makes a reader.
  public init() {}

  /// Called with the bytes that have been read, at least one. Runs on the loop's thread.
  open func received(_ bytes: RawSpan) {}

  /// Called when there are no more bytes: the peer has finished, reading has failed, or the handle was closed
  /// (`ECANCELED`). Called once, and never after `stopReading()`.
  open func ended(_ end: Termination<UVError>) {}

  /// Called with bytes that lie in a slab. For the reader behind `bytes`.
  func received(_ count: Int, _ memory: UnsafeMutablePointer<CChar>, _ slabs: ReadSlabs) {
    received(RawSpan(_unsafeStart: memory, byteCount: count))
  }
}

@available(*, unavailable)
extension ByteReader: Sendable {}

/// The reader behind `ByteStreamHandle.bytes`. It is also the disposable of its observer.
final class BytesReader: ByteReader, Disposable {
  private let observer: Observer<Bytes, UVError>
  private var handle: ByteStreamHandle?

  init(_ handle: ByteStreamHandle, _ observer: Observer<Bytes, UVError>) {
    self.handle = handle
    self.observer = observer
  }

  override func received(_ count: Int, _ memory: UnsafeMutablePointer<CChar>, _ slabs: ReadSlabs) {
    slabs.deliver(count) { observer.next($0) }
  }

  override func ended(_ end: Termination<UVError>) {
    if handle.take() == nil { return }
    observer.terminate(end)
  }

  var isDisposed: Bool { handle == nil }

  func dispose() { handle.take()?.stopReading() }

  func pause() { handle?.pauseReading() }

  func resume() { handle?.resumeReading() }
}
