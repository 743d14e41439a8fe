import CUV
import Callbacks
import Streams

/// The observer of a listener's connections, and its disposable.
final class ConnectionFeed<Connection: ByteStreamHandle>: ConnectionTaker, Disposable {
  private var listener: ListenerHandle?
  /// The listener goes with the feed.
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

  /// Begins, or tells the observer why not.
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

/// A connection that nobody has yet.
enum AcceptedConnection {
  /// Delivers the connection that `open` makes of `descriptor`, and closes it if nobody holds or uses it afterwards. A connection
  /// that cannot be made is reported and dropped; the result is then false.
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
      // The connection fails, not the listener.
      headwater_close(descriptor)
      Diagnostics.report("A connection is dropped: \(error)")
      return false
    }
  }

  // These are out of line, so that nothing here holds the connection when it is looked at.

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
