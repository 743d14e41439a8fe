import CUV
import Callbacks
public import Streams

extension Operation where Element == Never, Failure == UVError {
  /// Listens on `address` when observed, and serves the connections on several loops, each on its own thread.
  ///
  /// ```swift
  /// Operation.serve(on: .any(port: 7007), loops: 4) { connection, stop in
  ///   connection.bytes.take(until: stop).pipe(to: connection).toStream(logError: false)
  /// }
  /// .observeFailed { print($0) }
  /// .dispose(in: bag)
  /// ```
  ///
  /// The observer's loop accepts, and passes each connection to the loop that serves the fewest. A second server on the
  /// same address therefore fails with `EADDRINUSE`, unlike with `reusePort`, and a few connections are spread as
  /// evenly as many. A connection belongs to its serving loop. `serve` runs there, so its captures must be `Sendable`.
  ///
  /// - When `stop` emits or completes, no more connections are accepted, and the second argument of `serve` emits on
  ///   each loop. The operation completes when all streams that `serve` returned have ended and nothing keeps the loops
  ///   alive.
  /// - Disposing ends every loop.
  /// - Pausing stops accepting. Connections that are being served continue.
  /// - Fails with the errors of listening, such as `EADDRINUSE` and `EACCES`.
  ///
  /// Costs one thread for each loop, and one post between threads for each connection. Bytes cost nothing extra.
  ///
  /// - Parameters:
  ///   - address: The address to listen on.
  ///   - loops: The number of loops, at least 1.
  ///   - backlog: The most connections that may wait to be accepted. The system has its own limit too.
  ///   - ipv6Only: Whether an IPv6 address refuses IPv4 connections.
  ///   - stop: Ends the server gracefully.
  ///   - bound: Called once with the address, before the first connection. Use it with port 0.
  ///   - serve: Serves a connection until the returned stream ends. Its elements are dropped.
  public static func serve<Served>(
    on address: SocketAddress, loops: Int = Machine.parallelism, backlog: Int = 511, ipv6Only: Bool = false,
    until stop: Stream<Void> = .never(), bound: ((SocketAddress) -> Void)? = nil,
    _ serve: @escaping @Sendable (_ connection: TCPHandle, _ stop: Stream<Void>) -> Stream<Served>
  ) -> Operation {
    guard loops > 0 else { fatalError("A server needs at least one loop: serve(loops: \(loops)) is too few.") }
    return .unguarded { observer in
      do throws(UVError) {
        let listener = try TCPListener(on: address, backlog: backlog, ipv6Only: ipv6Only)
        bound?(listener.address)
        let server = LoopServer(listener, loops, observer) { ServingLoop($0, $1, serve) }
        return server.start(stop)
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }

  /// Listens on `address` when observed, and serves the connections on several loops until `shutdown` begins.
  ///
  /// The operation completes when all connections have been served and nothing keeps their loops alive. After the
  /// shutdown's `grace`, it ends the loops, which disposes the streams that still run and every open connection. The
  /// observer's loop accepts, and passes each connection to the loop that serves the fewest. `serve` runs there, so its
  /// captures must be `Sendable`.
  ///
  /// - Parameters:
  ///   - address: The address to listen on.
  ///   - loops: The number of loops, at least 1.
  ///   - backlog: The most connections that may wait to be accepted. The system has its own limit too.
  ///   - ipv6Only: Whether an IPv6 address refuses IPv4 connections.
  ///   - shutdown: Ends the server gracefully.
  ///   - bound: Called once with the address, before the first connection. Use it with port 0.
  ///   - serve: Serves a connection until the returned stream ends. Its elements are dropped.
  public static func serve<Served>(
    on address: SocketAddress, loops: Int = Machine.parallelism, backlog: Int = 511, ipv6Only: Bool = false,
    until shutdown: GracefulShutdown, bound: ((SocketAddress) -> Void)? = nil,
    _ serve: @escaping @Sendable (_ connection: TCPHandle, _ stop: Stream<Void>) -> Stream<Served>
  ) -> Operation {
    Operation.serve(
      on: address, loops: loops, backlog: backlog, ipv6Only: ipv6Only, until: shutdown.begins, bound: bound, serve
    ).take(until: shutdown.cutsOff)
  }
}

/// The accepting side of a server on several loops. It lives where the server is observed, and spreads the connections.
final class LoopServer: ConnectionTaker, Disposable {
  private let listener: TCPListener
  private let observer: Observer<Never, UVError>
  private var members: [Member] = []
  /// Receives the end of each loop.
  private let ends = Inlet<Int>(
    capacity: .max, whenFull: .dropNewest, for: "connections that other loops serve", isolation: nil)
  private let bag = DisposeBag()
  private var isStopping = false
  /// The index at which the search for the least loaded loop begins.
  private var next = 0

  private struct Member {
    let queue: Queue
    let loop: Confined<ServingLoop>
    let load: Load
    var hasEnded = false
  }

  /// - Parameter makeQueue: Makes the queue of a serving loop. A test passes queues on threads whose turns it decides.
  init(
    _ listener: TCPListener, _ count: Int, _ observer: Observer<Never, UVError>,
    makeQueue: (_ label: String) -> Queue = { Queue(label: $0) },
    _ make: @escaping @Sendable (Load, @escaping @Sendable () -> Void) -> ServingLoop
  ) {
    self.listener = listener
    self.observer = observer
    members = (0..<count).map { [ends] index in
      let (queue, load) = (makeQueue("server \(index + 1)"), Load(0))
      return Member(queue: queue, loop: Confined(at: queue) { make(load) { ends.send(index) } }, load: load)
    }
  }

  func start(_ stop: Stream<Void>) -> any Disposable {
    ends.stream.observeNext { [unowned self] in hasEnded($0) }.dispose(in: bag)
    do throws(UVError) {
      try listener.start(self, isPaused: observer.isPaused)
    } catch {
      end(.failed(error))
      return .none
    }
    stop.first().observeCompleted { [unowned self] in finish() }.dispose(in: bag)
    return isDisposed ? .none : self
  }

  func take(_ descriptor: Int32, from peer: SocketAddress?) {
    let socket = AcceptedSocket(descriptor, peer)
    // A loop that has ended by itself takes no connections.
    while let index = leastLoaded() {
      let member = members[index]
      member.load.withLock { $0 += 1 }
      if member.loop.async({ $0.serve(socket) }) { return }
      members[index].hasEnded = true
    }
  }

  private func leastLoaded() -> Int? {
    var found: (index: Int, load: Int)?
    for offset in members.indices {
      let index = (next + offset) % members.count
      if members[index].hasEnded { continue }
      let load = members[index].load.withLock { $0 }
      if load < found?.load ?? .max { found = (index, load) }
    }
    if let found { next = (found.index + 1) % members.count }
    return found?.index
  }

  private func finish() {
    if isStopping { return }
    isStopping = true
    listener.stop()
    listener.dispose()
    for member in members { member.loop.async { $0.finish() } }
  }

  private func hasEnded(_ index: Int) {
    members[index].hasEnded = true
    if !members.allSatisfy(\.hasEnded) { return }
    if isStopping { return end(.completed) }
    end(.failed(UVError(code: UV_ECANCELED.rawValue, call: "accept", path: listener.name)))
  }

  // MARK: ConnectionTaker

  func end(_ end: Termination<UVError>) {
    dispose()
    observer.terminate(end)
  }

  // MARK: Disposable

  private(set) var isDisposed = false

  func dispose() {
    if isDisposed { return }
    isDisposed = true
    isStopping = true
    listener.stop()
    listener.dispose()
    for member in members { member.loop.async { $0.dispose() } }
    // The threads end when they have run the posted jobs.
    members = []
    bag.dispose()
  }

  func pause() { if !isStopping { listener.pause() } }

  func resume() { if !isStopping { listener.resume() } }
}

/// The number of connections that a loop serves or that are on their way to it.
typealias Load = Lock<Int>

/// A connection on its way to its serving loop. It is closed if it does not arrive.
final class AcceptedSocket: @unchecked Sendable {
  // Sendable: changed only by the one job that takes it.
  private var descriptor: Int32
  let peer: SocketAddress?

  init(_ descriptor: Int32, _ peer: SocketAddress?) {
    self.descriptor = descriptor
    self.peer = peer
  }

  func take() -> Int32 {
    defer { descriptor = -1 }
    return descriptor
  }

  deinit { if descriptor >= 0 { headwater_close(descriptor) } }
}

/// One loop of a server, on its own thread.
final class ServingLoop {
  private let load: Load
  private let connections = PushStream<TCPHandle>()
  private let stop = PushStream<Void>()
  private let subscription: any Disposable

  init<Served>(
    _ load: Load, _ ended: @escaping @Sendable () -> Void,
    _ serve: @escaping @Sendable (TCPHandle, Stream<Void>) -> Stream<Served>
  ) {
    self.load = load
    let stopped = stop.toStream().concat(with: .just(()))
    // Covers every end: by completion, by disposal, and with the loop.
    subscription =
      connections
      .flatMap(.merge) { serve($0, stopped).doOn(disposed: { load.withLock { $0 -= 1 } }) }
      .doOn(disposed: { Loop.current.whenIdle(ended) })
      .observeCompleted {}
  }

  func serve(_ socket: AcceptedSocket) {
    if subscription.isDisposed { return load.withLock { $0 -= 1 } }
    let isOpen = AcceptedConnection.deliver(
      socket.take(), from: socket.peer, on: .current, TCPListener.open, to: connections.next)
    if !isOpen { load.withLock { $0 -= 1 } }
  }

  func finish() {
    stop.completed()
    connections.completed()
  }

  func dispose() { subscription.dispose() }
}
