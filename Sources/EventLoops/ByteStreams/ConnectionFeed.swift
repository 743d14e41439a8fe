import CUV
import Callbacks
import Streams

/// The link between a listener and the observer of its connections. It is also the disposable of the observation.
final class ConnectionFeed<Connection: ByteStreamHandle>: ConnectionTaker, Disposable {
  private var listener: ListenerHandle?
  /// True if the listener is disposed with the feed.
  private let ownsListener: Bool
  private let observer: Observer<Connection, UVError>
  private let open: (Loop, Int32, SocketAddress?) throws(UVError) -> Connection

  init(
    _ listener: ListenerHandle, owned: Bool, _ observer: Observer<Connection, UVError>,
    _ open: @escaping (Loop, Int32, SocketAddress?) throws(UVError) -> Connection
  ) {
    self.listener = listener
    ownsListener = owned
    self.observer = observer
    self.open = open
  }

  /// Starts accepting, or fails the observer.
  func start(isPaused: Bool) -> any Disposable {
    do throws(UVError) {
      try listener?.start(self, isPaused: isPaused)
      return self
    } catch {
      let listener = listener.take()
      if ownsListener { listener?.dispose() }
      observer.failed(error)
      return .none
    }
  }

  func take(_ descriptor: Int32, from peer: SocketAddress?) {
    guard let listener else { return headwater_close(descriptor) }
    AcceptedConnection.deliver(descriptor, from: peer, on: listener.loop, open, to: observer.next)
  }

  func end(_ end: Termination<UVError>) {
    listener = nil
    observer.terminate(end)
  }

  var isDisposed: Bool { listener == nil }

  func dispose() {
    guard let listener = listener.take() else { return }
    listener.stop()
    if ownsListener { listener.dispose() }
  }

  func pause() { listener?.pause() }

  func resume() { listener?.resume() }
}

/// An accepted connection that has not been delivered yet.
enum AcceptedConnection {
  /// Delivers the connection that `open` makes of `descriptor`, and closes it if nothing retains or uses it afterwards.
  /// Returns false if the connection cannot be made, after reporting and dropping it.
  @discardableResult
  static func deliver<Connection: ByteStreamHandle>(
    _ descriptor: Int32, from peer: SocketAddress?, on loop: Loop,
    _ open: (Loop, Int32, SocketAddress?) throws(UVError) -> Connection, to observer: (Connection) -> Void
  ) -> Bool {
    do throws(UVError) {
      let handle = try make(loop, descriptor, peer, open)
      pass(handle, to: observer)
      Handle.disposeIfUnused(handle)
      return true
    } catch {
      // The connection fails, but the listener continues.
      headwater_close(descriptor)
      Diagnostics.report("A connection is dropped: \(error)")
      return false
    }
  }

  // Out of line, so that nothing here retains the connection when its reference count is checked.

  @inline(never)
  private static func make<Connection: ByteStreamHandle>(
    _ loop: Loop, _ descriptor: Int32, _ peer: SocketAddress?,
    _ open: (Loop, Int32, SocketAddress?) throws(UVError) -> Connection
  ) throws(UVError) -> UnsafeMutablePointer<uv_handle_t> { try open(loop, descriptor, peer).raw }

  @inline(never)
  private static func pass<Connection: ByteStreamHandle>(
    _ handle: UnsafeMutablePointer<uv_handle_t>, to observer: (Connection) -> Void
  ) {
    observer(unsafeDowncast(UntilClosed<Handle>.borrow(handle.pointee.data), to: Connection.self))
  }
}
