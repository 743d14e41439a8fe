public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The graceful end of a program: it stops accepting, what is under way finishes, and the rest is cut off after a while.
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
/// SIGTERM and SIGINT begin the shutdown.
/// A second signal ends the loop at once.
/// Signals keep no loop alive, so the loop ends as soon as nothing is under way any more; after `grace`, it is stopped.
///
/// Confined: it belongs to its loop's thread. While it exists, the signals' default actions are off. It costs one libuv handle for
/// each signal.
public final class GracefulShutdown {
  private let loop: Loop
  private let grace: Duration?
  private let beginning = PushStream<Void>()
  private let ending = PushStream<Void>()
  private let bag = DisposeBag()

  /// True once the shutdown has begun.
  public private(set) var hasBegun = false

  /// What the program ends with: 0, or 128 and the number of the signal that has ended it at once.
  public private(set) var exitCode: Int32 = 0

  /// Waits for signals from now on. Fails for signals that cannot be caught (`EINVAL`).
  ///
  /// - Parameters:
  ///   - signals: The signals that begin the shutdown.
  ///   - grace: How long what is under way may take. nil waits for as long as it takes.
  ///   - loop: The loop that receives the signals, and that ends.
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

  /// Begins the shutdown as a signal does. A second call does nothing.
  public func begin() {
    if hasBegun { return }
    loop.check()
    hasBegun = true
    if let grace {
      loop.backgroundScheduler.schedule(after: grace) { [weak self] in self?.cutOff() }.dispose(in: bag)
    }
    beginning.completed()
  }

  /// Emits one element and completes when the shutdown begins; at once if it has begun.
  ///
  /// End with it what would go on by itself: `connection.bytes.take(until: shutdown.begins)`.
  public var begins: Stream<Void> { announcing(beginning) }

  /// Emits one element and completes when time is up, or with the second signal; at once afterwards.
  public var cutsOff: Stream<Void> { announcing(ending) }

  private func announcing(_ end: PushStream<Void>) -> Stream<Void> {
    end.toStream().concat(with: .just(()))
  }

  /// Runs the loop until nothing keeps it alive, until time is up, or until the second signal, and returns `exitCode`.
  @available(*, noasync, message: "in async code, await run() of the shutdown")
  public func run() -> Int32 {
    loop.run()
    return exitCode
  }

  /// Waits until nothing keeps the loop alive, until time is up, or until the second signal, and returns `exitCode`.
  public func run(isolation: isolated (any Actor)? = #isolation) async -> Int32 {
    await loop.run(isolation: isolation)
    return exitCode
  }

  private func received(_ signal: Signal) {
    if !hasBegun { return begin() }
    exitCode = 128 + signal.rawValue
    cutOff()
    // An async main that does not await the loop would go on.
    if !loop.canStop { exit(exitCode) }
  }

  private func cutOff() {
    ending.completed()
    if loop.canStop { loop.stop() }
  }
}

@available(*, unavailable)
extension GracefulShutdown: Sendable {}

extension Loop {
  /// False in a program whose main is async while no task awaits `run()`.
  fileprivate var canStop: Bool { !service.isAsyncMain || !service.waiters.isEmpty }
}

extension StreamProtocol {
  /// Serves each element, such as a connection, until `shutdown` begins: no more elements are taken then, and the stream completes when
  /// all that are being served have ended. When time is up, they are disposed and the stream completes.
  ///
  /// The elements of what `serve` returns are passed on as they come. A failure ends the stream, and disposes what is being served.
  public func serving<Served>(
    until shutdown: GracefulShutdown, _ serve: @escaping (Element) -> Stream<Served>
  ) -> Operation<Served, Failure> {
    take(until: shutdown.begins)
      .flatMap(.merge) { serve($0) }
      .take(until: shutdown.cutsOff)
  }
}
