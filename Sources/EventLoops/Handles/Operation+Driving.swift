public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Operation where Element == Void {
  /// Runs a C library that has one descriptor on the observing loop, and emits an element after each call of it.
  ///
  /// The library is called at once, when its descriptor is ready, and when its time is over. Its descriptor, events, and
  /// timeout are asked for right before each wait of the loop, so the program may call the library at any time in
  /// between. Fails if `process` throws, if the library has no descriptor any more, or if that cannot be watched; never
  /// completes. Pausing stops the calls. A `LibraryDriver` drives a library with several descriptors.
  ///
  /// ```swift
  /// Operation.driving(
  ///   descriptor: { client_socket(client) }, timeout: { .milliseconds(client_timeout(client)) },
  ///   failure: { ClientError(code: $0.code) }
  /// ) { _ throws(ClientError) in
  ///   let code = client_process(client)
  ///   if code < 0 { throw ClientError(code: code) }
  ///   return code > 0
  /// }
  /// ```
  ///
  /// Costs five libuv handles and one for the descriptor; a call of the library costs two system calls, because the
  /// descriptor is not watched meanwhile: the library may close it and open another one.
  ///
  /// - Parameters:
  ///   - descriptor: Returns the library's descriptor; a negative number if it has none any more.
  ///   - events: Returns the events that the library waits for.
  ///   - timeout: Returns how long the library may wait at most. Zero or less calls it in the next iteration, and nil
  ///     leaves it to the descriptor.
  ///   - interval: How long after a call the library is called again at the latest.
  ///   - keepsLoopAlive: Whether the observed stream keeps `Loop.run()` from returning.
  ///   - failure: Makes an error of the library from one of the loop.
  ///   - process: Calls the library. `ready` is empty if its time is over. True calls it again in the next iteration,
  ///     for a library that has read more than it has handled.
  public static func driving(
    descriptor: @escaping () -> Int32, events: @escaping () -> PollEvents = { .readable },
    timeout: @escaping () -> Duration? = { nil }, interval: Duration? = nil, keepsLoopAlive: Bool = true,
    failure: @escaping (UVError) -> Failure, process: @escaping (_ ready: PollEvents) throws(Failure) -> Bool
  ) -> Operation {
    Operation { observer in
      do throws(UVError) {
        let driven = try DrivenLibrary(
          observer, descriptor, events, timeout, interval, failure, process, keepsLoopAlive: keepsLoopAlive)
        return BlockDisposable({ driven.driver.close() }, pause: { driven.stop() }, resume: { driven.start() })
      } catch {
        observer.failed(failure(error))
        return .none
      }
    }
  }
}

/// Runs a library for an observer, which the disposable of the subscription holds.
private final class DrivenLibrary<Failure: Error> {
  let driver: LibraryDriver
  private let observer: Observer<Void, Failure>
  private let descriptor: () -> Int32
  private let events: () -> PollEvents
  private let timeout: () -> Duration?
  private let interval: Duration?
  private let failure: (UVError) -> Failure
  private let process: (PollEvents) throws(Failure) -> Bool
  private var hasMore = true
  private var last: Duration

  init(
    _ observer: Observer<Void, Failure>, _ descriptor: @escaping () -> Int32, _ events: @escaping () -> PollEvents,
    _ timeout: @escaping () -> Duration?, _ interval: Duration?, _ failure: @escaping (UVError) -> Failure,
    _ process: @escaping (PollEvents) throws(Failure) -> Bool, keepsLoopAlive: Bool
  ) throws(UVError) {
    driver = try LibraryDriver(keepsLoopAlive: keepsLoopAlive)
    self.observer = observer
    self.descriptor = descriptor
    self.events = events
    self.timeout = timeout
    self.interval = interval
    self.failure = failure
    self.process = process
    last = driver.loop.now
    driver.start(
      ready: { [weak self] in self?.call($1) }, timeout: { [weak self] in self?.call([]) },
      beforePolling: { [weak self] in self?.arm() })
    if !observer.isPaused { start() }
  }

  // The hooks of a driver keep no loop alive.
  func start() { driver.setTimeout(.zero) }

  func stop() {
    driver.watchNothing()
    driver.setTimeout(nil)
  }

  private func call(_ ready: PollEvents) {
    if observer.isPaused { return }
    // The library may close its descriptor in the call.
    driver.watchNothing()
    do throws(Failure) {
      hasMore = try process(ready)
    } catch {
      return end(error)
    }
    last = driver.loop.now
    driver.afterCall { [observer] in observer.next(()) }
    // A loop without active handles ends before its next wait.
    arm()
  }

  /// Waits for what the library waits for now.
  private func arm() {
    if observer.isPaused { return }
    do throws(UVError) {
      let current = descriptor()
      if current < 0 { throw UVError(errno: EBADF, call: "watching the descriptor of a library") }
      if driver.interest(in: current).isEmpty { driver.watchNothing() }
      try driver.watch(current, for: events())
      var delay = timeout()
      // Asked for again, a constant would move with each wait.
      if let interval {
        let rest = last + interval - driver.loop.now
        delay = delay.map { min($0, rest) } ?? rest
      }
      driver.setTimeout(hasMore ? .zero : delay)
    } catch {
      end(failure(error))
    }
  }

  private func end(_ error: Failure) {
    driver.close()
    driver.afterCall { [observer] in observer.failed(error) }
  }
}
