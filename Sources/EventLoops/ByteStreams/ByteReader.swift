import CUV
public import Streams

/// What a connection calls with the bytes it has read: the fastest way to read, and the plainest.
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
/// It has the bytes for the duration of the call: they are in the loop's memory, which the next read overwrites. Nothing is
/// allocated or counted. `bytes` is the stream, whose elements may be kept.
open class ByteReader {
  /// Makes one.
  public init() {}

  /// Bytes have come; at least one. On the loop's thread.
  open func received(_ bytes: RawSpan) {}

  /// There will be no more: the other side has finished, or reading has failed; `ECANCELED` where the handle was closed.
  /// Called once, and not after `stopReading()`.
  open func ended(_ end: Termination<UVError>) {}

  /// Bytes that are in a slab. For the reader behind `bytes`.
  func received(_ count: Int, _ memory: UnsafeMutablePointer<CChar>, _ slabs: ReadSlabs) {
    received(RawSpan(_unsafeStart: memory, byteCount: count))
  }
}

@available(*, unavailable)
extension ByteReader: Sendable {}

/// The reader behind `ByteStreamHandle.bytes`, and the disposable of its observer.
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
