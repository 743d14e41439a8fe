public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Shuts a program down gracefully: nothing new is accepted, work under way finishes, and the rest is cut off at a
/// deadline.
///
/// ```swift
/// let shutdown = try GracefulShutdown(grace: .seconds(10))
/// Operation.listen(on: .any(port: 7007))
///   .serving(until: shutdown) { connection in
///     connection.bytes.take(until: shutdown.begins).pipe(to: connection).toStream(logError: false)
///   }
///   .observeFailed { print($0) }
///   .dispose(in: bag)
/// exit(shutdown.run())
/// ```
///
/// SIGTERM and SIGINT begin the shutdown. A second signal ends the loop at once. The signal handles keep no loop alive,
/// so the loop ends as soon as no work is under way. After `grace`, it is stopped.
///
/// Confined to its loop's thread. While it exists, the default actions of the signals are off.
/// Costs one libuv handle for each signal.
public final class GracefulShutdown {
  private let loop: Loop
  private let grace: Duration?
  private let beginning = PushStream<Void>()
  private let ending = PushStream<Void>()
  private let bag = DisposeBag()

  /// True once the shutdown has begun.
  public private(set) var hasBegun = false

  /// The exit code of the program: 0, or 128 plus the number of the signal that ended it at once.
  public private(set) var exitCode: Int32 = 0

  /// Starts waiting for the signals. Throws `EINVAL` for a signal that cannot be caught.
  ///
  /// - Parameters:
  ///   - signals: The signals that begin the shutdown.
  ///   - grace: How long work under way may take after the shutdown has begun. Nil sets no limit.
  ///   - loop: The loop that receives the signals, and that is stopped after `grace`.
  public init(
    on signals: [Signal] = [.interrupt, .terminate], grace: Duration? = .seconds(10), loop: Loop = .current
  ) throws(UVError) {
    self.loop = loop
    self.grace = grace
    for signal in signals {
      let handle = try SignalHandle(on: loop)
      handle.dispose(in: bag)
      handle.keepsLoopAlive = false
      try handle.start(signal) { [weak self] in self?.received($0) }
    }
  }

  /// Begins the shutdown, as a signal does. Idempotent.
  public func begin() {
    if hasBegun { return }
    loop.check()
    hasBegun = true
    if let grace {
      loop.backgroundScheduler.schedule(after: grace) { [weak self] in self?.cutOff() }.dispose(in: bag)
    }
    beginning.completed()
  }

  /// Emits one element and completes when the shutdown begins. Emits it immediately if the shutdown has already begun.
  ///
  /// Use it to end streams that would never end by themselves: `connection.bytes.take(until: shutdown.begins)`.
  public var begins: Stream<Void> { announcing(beginning) }

  /// Emits one element and completes when `grace` is over or a second signal arrives. Emits it immediately afterwards.
  public var cutsOff: Stream<Void> { announcing(ending) }

  /// True after the cut-off, which can come before `run()`: a long start can outlast the grace.
  private var isCutOff = false

  private func announcing(_ end: PushStream<Void>) -> Stream<Void> {
    end.toStream().concat(with: .just(()))
  }

  /// Runs the loop until nothing keeps it alive, `grace` is over, or a second signal arrives. Returns `exitCode`.
  @available(
    *, noasync,
    message:
      "in async code, await run() of the shutdown; at the top level of main.swift, await Loop.run(until: shutdown)"
  )
  public func run() -> Int32 {
    if !isCutOff { loop.run() }
    return exitCode
  }

  /// Waits until nothing keeps the loop alive, `grace` is over, a second signal arrives, or the task is canceled. Returns `exitCode`.
  ///
  /// At the top level of `main.swift`, the compiler chooses the synchronous form even after `await`: use the static
  /// `Loop.run(until:)` there.
  public func run(isolation: isolated (any Actor)? = #isolation) async -> Int32 {
    if !isCutOff { await loop.run(isolation: isolation) }
    return exitCode
  }

  private func received(_ signal: Signal) {
    if !hasBegun { return begin() }
    exitCode = 128 + signal.rawValue
    // An async main that does not await the loop would continue otherwise.
    if !cutOff() { exit(exitCode) }
  }

  /// Returns whether `run()` returns.
  @discardableResult
  private func cutOff() -> Bool {
    isCutOff = true
    ending.completed()
    // After the streams, which would otherwise fail with the connections.
    var next = loop.firstHandle
    while let handle = next {
      next = handle.nextHandle
      if let connection = handle as? ByteStreamHandle, connection.shutdown === self { connection.dispose() }
    }
    let canStop = loop.canStop
    if canStop { loop.stop() }
    return canStop
  }
}

@available(*, unavailable)
extension GracefulShutdown: Sendable {}

extension Loop {
  /// False in a program whose main is async while no task awaits `run()`.
  fileprivate var canStop: Bool { !service.isAsyncMain || !service.waiters.isEmpty }

  /// Waits until nothing keeps the main loop alive, the grace of `shutdown` is over, or a second signal arrives. Returns
  /// the exit code. Use it at the top level of `main.swift`.
  ///
  /// ```swift
  /// let shutdown = try GracefulShutdown()
  /// …
  /// exit(await Loop.run(until: shutdown))
  /// ```
  @MainActor
  public static func run(until shutdown: GracefulShutdown) async -> Int32 { await shutdown.run() }
}

extension StreamProtocol {
  /// Serves each element, such as an accepted connection, until `shutdown` begins.
  ///
  /// Calls `serve` for each element and emits the elements of the streams that `serve` returns, as they are delivered.
  /// When the shutdown begins, no more elements are taken. The result completes when every element under way has been
  /// served. After the shutdown's `grace`, the streams that still run are disposed and the result completes. Then each
  /// element that is a connection and still open is disposed, even if it still writes or other code retains it. A
  /// failure of this stream ends the result immediately and disposes the streams under way.
  public func serving<Served>(
    until shutdown: GracefulShutdown, _ serve: @escaping (Element) -> Stream<Served>
  ) -> Operation<Served, Failure> {
    take(until: shutdown.begins)
      .flatMap(.merge) { [weak shutdown] element in
        (element as? any ByteConnection)?.carrier.shutdown = shutdown
        return serve(element)
      }
      .take(until: shutdown.cutsOff)
  }
}
