public import Streams

extension StreamProtocol where Element == WebSocketMessage, Failure == HTTPError {
  /// Sends all messages to `socket` when observed, and completes when the source does. The source is paused while the
  /// socket is full and while the observer is paused. Fails with the first failure of either.
  public func pipe(to socket: WebSocket) -> Operation<Never, HTTPError> {
    Operation { observer in
      let pump = MessagePump(socket, observer)
      pump.start(self)
      return pump
    }
  }
}

extension StreamProtocol where Element == WebSocketMessage, Failure == Never {
  /// Sends all messages to `socket` when observed, and completes when the source does. The source is paused while the
  /// socket is full and while the observer is paused. Fails if the socket fails.
  public func pipe(to socket: WebSocket) -> Operation<Never, HTTPError> {
    setFailureType(to: HTTPError.self).pipe(to: socket)
  }
}

/// The state of a running `pipe(to:)`.
private final class MessagePump: Disposable {
  private let socket: WebSocket
  private let observer: Observer<Never, HTTPError>
  /// Known before the first message, which may already fill the socket.
  private let source = Subscription(downstream: nil)
  private var room: Subscription?
  private var isHeld: Bool
  private(set) var isDisposed = false

  init(_ socket: WebSocket, _ observer: Observer<Never, HTTPError>) {
    self.socket = socket
    self.observer = observer
    isHeld = observer.isPaused
  }

  func start(_ messages: some StreamProtocol<WebSocketMessage, HTTPError>) {
    room = socket.readiness.observe(
      next: { [self] in adjust() }, termination: { [self] in end($0) })
    if isDisposed { return }
    adjust()
    source.attach(
      messages.subscribe(
        Observer(
          for: source,
          next: { [self] message in
            socket.send(message)
            if socket.isFull { adjust() }
          }, termination: { [self] in end($0) })))
  }

  private func adjust() {
    if isHeld || socket.isFull { source.pause() } else { source.resume() }
  }

  private func end(_ end: Termination<HTTPError>) {
    if isDisposed { return }
    dispose()
    observer.terminate(end)
  }

  func dispose() {
    isDisposed = true
    source.dispose()
    room.take()?.dispose()
  }

  func pause() {
    isHeld = true
    adjust()
  }

  func resume() {
    isHeld = false
    adjust()
  }
}
