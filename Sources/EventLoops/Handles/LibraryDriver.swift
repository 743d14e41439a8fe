import CUV
public import Callbacks
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a C library that has its own sockets and timers on a loop.
///
/// Use it for c-ares, the multi interface of libcurl, GLib, hiredis, libpq, sd-bus, and similar libraries. Such a
/// library names the descriptors to watch and the latest time at which to call it. The driver then calls your code, and
/// your code calls the library.
///
/// ```swift
/// let driver = try LibraryDriver()
/// driver.start(
///   ready: { descriptor, events in library_process(object, descriptor, events.contains(.writable)) },
///   timeout: { library_process_timeouts(object) },
///   afterCalls: { [unowned driver] in driver.setTimeout(library_timeout(object)) })
/// try driver.watch(library_socket(object), for: .readable)
/// driver.during { library_send(object, "hello") }
/// …
/// driver.close { library_free(object) }
/// ```
///
/// - A descriptor is watched until you watch it for nothing, until `close(_:)`, or until the driver is deallocated.
///   Watching is level-triggered: `ready` is called on each loop iteration until the library has read everything.
/// - Stop watching a descriptor before the library closes it. If the library doesn't report when it does, call
///   `watchNothing()` before each call that may close a descriptor, and watch again after the call.
/// - An error of a descriptor is delivered as readiness for all its watched events. The library finds the error when it
///   reads or writes.
/// - If the library closes a watched descriptor, the driver stops watching it and reports it through `Diagnostics`
///   before the loop waits next. After each call into the library, it looks at all descriptors, 64 in each loop iteration.
/// - All closures run inside of `during(_:)`. Use `afterCall(_:)` for actions that must not run inside of the library,
///   such as destroying its object or calling an observer that uses the library.
///
/// Confined to its loop's thread. Costs five libuv handles, and one for each descriptor.
/// After a call into the library, each loop iteration costs one system call for each of up to 64 descriptors.
///
/// Ownership: LibraryDriver ===> its handles and closures; libuv ===> the handles, whose closures hold the driver
/// weakly.
public final class LibraryDriver {
  /// The loop on which the driver runs the library.
  public let loop: Loop
  /// The calls into the library that are under way, for `deliver(after:)`.
  public let calls = Deferral()
  private let handles: DriverHandles
  private var ready: (Int32, PollEvents) -> Void = { _, _ in }
  private var timeout: () -> Void = {}
  private var afterCalls: (() -> Void)?
  private var depth = 0
  private var hasClosed = false
  // Stops the handles at home if the last reference is released in another domain.
  private let bag = DisposeBag()

  /// Makes a driver that watches nothing yet.
  ///
  /// Making the first driver sets `SIGPIPE` to be ignored, unless the program has a handler for it, because a library may
  /// write to a peer that has closed.
  ///
  /// - Parameters:
  ///   - loop: The loop on which the library is called.
  ///   - keepsLoopAlive: Whether watched descriptors and the timeout keep `Loop.run()` from returning.
  public init(on loop: Loop = .current, keepsLoopAlive: Bool = true) throws(UVError) {
    // The library may write to a peer that has closed.
    ByteStreamHandle.ignoreBrokenPipes
    self.loop = loop
    let handles = try DriverHandles(loop, keepsLoopAlive)
    self.handles = handles
    BlockDisposable { handles.dispose() }.dispose(in: bag)
  }

  /// Sets the closures that the driver calls. Replaces the previous ones.
  ///
  /// The hooks keep no loop alive: start a library that sets its descriptors and its timeout in `beforePolling` with
  /// `setTimeout(.zero)`. `close(_:)` releases the closures. Capture the owner of the driver weakly or unowned.
  ///
  /// - Parameters:
  ///   - ready: Called with a watched descriptor and the events that it is ready for.
  ///   - timeout: Called when the time set with `setTimeout(_:)` is over.
  ///   - beforePolling: Called on each iteration, right before the loop waits for events. Descriptors and the timeout
  ///     that it sets apply to that wait.
  ///   - afterPolling: Called on each iteration, right after the loop has waited for events and called `ready`.
  ///   - afterCalls: Called at the end of each outermost `during(_:)`, before the deferred jobs. Ask the library there
  ///     for its messages, or for its next timeout.
  public func start(
    ready: @escaping (Int32, PollEvents) -> Void = { _, _ in }, timeout: @escaping () -> Void = {},
    beforePolling: (() -> Void)? = nil, afterPolling: (() -> Void)? = nil, afterCalls: (() -> Void)? = nil
  ) {
    if handles.isDisposed { return }
    loop.check()
    self.ready = ready
    self.timeout = timeout
    self.afterCalls = afterCalls
    handles.setHooks(
      before: { [weak self] in
        guard let self else { return }
        if let beforePolling { during(beforePolling) }
        for descriptor in handles.closedDescriptors() { abandon(descriptor) }
      },
      after: { [weak self] in
        guard let self else { return }
        handles.didPoll()
        if let afterPolling { during(afterPolling) }
      })
  }

  /// Whether watched descriptors and the timeout keep `Loop.run()` from returning.
  public var keepsLoopAlive: Bool {
    get { handles.keepsLoopAlive }
    set { if !handles.isDisposed { handles.keepsLoopAlive = newValue } }
  }

  // MARK: Descriptors

  /// Watches `descriptor` for exactly `events` from now on. An empty set stops the watch.
  ///
  /// Throws an error if the descriptor cannot be watched (`EPERM` for a regular file, `EBADF` for a closed one) or
  /// another handle of this loop watches it (`EEXIST`). Does nothing once the driver has been closed.
  public func watch(_ descriptor: Int32, for events: PollEvents) throws(UVError) {
    if handles.isDisposed { return }
    if events.isEmpty { return handles.remove(descriptor) }
    if let watch = handles.watches[descriptor] {
      // The library has closed the descriptor and may have opened another one with its number.
      if watch.handle.isStale {
        handles.remove(descriptor)
      } else if watch.events == events, !watch.handle.isAnonymous {
        return
      }
    }
    try handles.watch(descriptor, for: events) { [weak self] handle, result in
      self?.fire(descriptor, handle, result)
    }
  }

  /// Stops watching all descriptors.
  public func watchNothing() { if !handles.isDisposed { handles.removeAll() } }

  /// The events for which `descriptor` is watched. Empty if it is not watched.
  public func interest(in descriptor: Int32) -> PollEvents { handles.watches[descriptor]?.events ?? [] }

  /// The watched descriptors, in no particular order.
  public var watchedDescriptors: [Int32] { Array(handles.watches.keys) }

  private func fire(_ descriptor: Int32, _ handle: PollHandle, _ result: Result<PollEvents, UVError>) {
    switch result {
    case .success(let events): during { ready(descriptor, events) }
    case .failure:
      during { ready(descriptor, interest(in: descriptor)) }
      // libuv has stopped the handle. The descriptor may be closed by now.
      guard let watch = handles.watches[descriptor], watch.handle === handle else { return }
      if !handles.resume(watch) { abandon(descriptor) }
    }
  }

  /// Stops watching a descriptor that has been closed.
  private func abandon(_ descriptor: Int32) {
    if handles.watches[descriptor] == nil { return }
    handles.remove(descriptor)
    Diagnostics.report(
      """
      A library has closed the descriptor \(descriptor) while a LibraryDriver watched it. Stop watching it before the \
      library closes it.
      """)
  }

  // MARK: The timeout

  /// Calls `timeout` once, after `delay`. Replaces the previous timeout; nil cancels it.
  ///
  /// Zero or less calls it in the next loop iteration, never from inside this function. libuv's clock counts whole
  /// milliseconds, so the call can come up to one millisecond early. Does nothing once the driver has been closed.
  public func setTimeout(_ delay: Duration?) {
    if handles.isDisposed { return }
    handles.setTimeout(delay) { [weak self] in
      guard let self else { return }
      during { self.timeout() }
    }
  }

  // MARK: Calls

  /// Calls the library. Jobs that are deferred meanwhile run when the outermost `during` has returned or thrown.
  public func during<Result, Failure: Error>(_ call: () throws(Failure) -> Result) throws(Failure) -> Result {
    try calls.during { () throws(Failure) -> Result in
      depth += 1
      defer {
        depth -= 1
        if depth == 0 {
          afterCalls?()
          for descriptor in handles.didCall() { abandon(descriptor) }
        }
      }
      return try call()
    }
  }

  /// Runs `job` at once if no call into the library is under way. Otherwise, runs it after the outermost call and the
  /// jobs that were deferred before.
  public func afterCall(_ job: @escaping () -> Void) { calls.afterCall(job) }

  // MARK: Closing

  /// Ends the driver: stops watching, cancels the timeout, and runs `destroy`, which destroys the library's object.
  ///
  /// `destroy` runs when no call is under way: now, or after the call in progress. By then, no descriptor is watched.
  /// It runs inside of `during(_:)`, so callbacks of the library are deferred until it has returned. From then on, the
  /// driver ignores requests of the library. A second call does nothing, and does not run its `destroy`.
  public func close(_ destroy: @escaping () -> Void = {}) {
    if hasClosed { return }
    hasClosed = true
    calls.afterCall { [self] in
      handles.dispose()
      afterCalls = nil
      during(destroy)
      ready = { _, _ in }
      timeout = {}
      bag.dispose()
    }
  }

  /// True once `close(_:)` has been called, or the loop has been shut down.
  public var isClosed: Bool { hasClosed || handles.isDisposed }
}

@available(*, unavailable)
extension LibraryDriver: Sendable {}

/// The handles of a driver, kept separately so that they can be closed at home after the driver has been deallocated.
private final class DriverHandles {
  struct Watch {
    let handle: PollHandle
    var events: PollEvents
    let action: (PollHandle, Result<PollEvents, UVError>) -> Void
  }

  private let loop: Loop
  private let timer: TimerHandle
  // For timeouts that are due at once: libuv would run a timer without delay again and again before it polls.
  private let soon: IdleHandle
  private let before: PrepareHandle
  private let after: CheckHandle
  private(set) var watches: [Int32: Watch] = [:] { didSet { isOrderOld = true } }
  /// The watches that libuv has not handed to the system. It would abort the program if their descriptors are closed.
  private var pending: [Watch] = []
  /// The watches in the order in which they are looked at, in turn.
  private var order: [Watch] = []
  private var isOrderOld = false
  private var next = 0
  /// The number of watches that have not been looked at since the last call. The loop may wait when it is 0.
  private var remaining = 0
  // Keeps the loop from waiting while there are watches to look at.
  private let checking: IdleHandle

  init(_ loop: Loop, _ keepsLoopAlive: Bool) throws(UVError) {
    self.loop = loop
    self.keepsLoopAlive = keepsLoopAlive
    var made: [Handle] = []
    do throws(UVError) {
      timer = try TimerHandle(on: loop)
      made.append(timer)
      soon = try IdleHandle(on: loop)
      made.append(soon)
      before = try PrepareHandle(on: loop)
      made.append(before)
      after = try CheckHandle(on: loop)
      made.append(after)
      checking = try IdleHandle(on: loop)
    } catch {
      for handle in made { handle.dispose() }
      throw error
    }
    before.keepsLoopAlive = false
    after.keepsLoopAlive = false
    checking.keepsLoopAlive = false
    applyKeepsLoopAlive()
  }

  var isDisposed: Bool { timer.isDisposed }

  var keepsLoopAlive: Bool { didSet { applyKeepsLoopAlive() } }

  private func applyKeepsLoopAlive() {
    timer.keepsLoopAlive = keepsLoopAlive
    soon.keepsLoopAlive = keepsLoopAlive
    for watch in watches.values { watch.handle.keepsLoopAlive = keepsLoopAlive }
  }

  func setHooks(before hookBefore: @escaping () -> Void, after hookAfter: @escaping () -> Void) {
    before.start(hookBefore)
    after.start(hookAfter)
  }

  func watch(
    _ descriptor: Int32, for events: PollEvents,
    _ action: @escaping (PollHandle, Result<PollEvents, UVError>) -> Void
  ) throws(UVError) {
    if var watch = watches[descriptor] {
      watch.events = events
      try start(watch)
      watches[descriptor] = watch
      return
    }
    let handle = try PollHandle(descriptor: descriptor, on: loop)
    handle.isDriven = true
    handle.keepsLoopAlive = keepsLoopAlive
    let watch = Watch(handle: handle, events: events, action: action)
    do throws(UVError) {
      try start(watch)
    } catch {
      handle.dispose()
      throw error
    }
    watches[descriptor] = watch
  }

  private func start(_ watch: Watch) throws(UVError) {
    try watch.handle.start(watch.events) { [unowned handle = watch.handle, action = watch.action] in action(handle, $0)
    }
    pending.append(watch)
  }

  func resume(_ watch: Watch) -> Bool { (try? start(watch)) != nil }

  /// Handles the end of a call. Returns the descriptors of pending watches that have been closed: libuv may poll before
  /// `closedDescriptors()` is called again. More than 64 pending watches are only looked at there.
  func didCall() -> [Int32] {
    remaining = watches.count
    return pending.count <= 64 ? closed(pending) : []
  }

  /// The descriptors that have been closed, among the pending watches and the next 64.
  func closedDescriptors() -> [Int32] {
    if remaining > 0, isOrderOld {
      isOrderOld = false
      order = Array(watches.values)
    }
    let count = min(remaining, order.count, 64)
    remaining = order.isEmpty ? 0 : remaining - count
    var found = closed(pending)
    for _ in 0..<count {
      next = next + 1 < order.count ? next + 1 : 0
      if Self.isClosed(order[next]) { found.append(order[next].handle.descriptor) }
    }
    if remaining == 0 { checking.stop() } else { checking.start {} }
    return found
  }

  /// libuv has handed all watches to the system.
  func didPoll() { if !pending.isEmpty { pending = [] } }

  private func closed(_ watches: [Watch]) -> [Int32] {
    watches.filter(Self.isClosed).map(\.handle.descriptor)
  }

  private static func isClosed(_ watch: Watch) -> Bool { !watch.handle.isDisposed && watch.handle.isStale }

  func remove(_ descriptor: Int32) { watches.removeValue(forKey: descriptor)?.handle.dispose() }

  func removeAll() {
    for watch in watches.values { watch.handle.dispose() }
    watches = [:]
  }

  func setTimeout(_ delay: Duration?, _ action: @escaping () -> Void) {
    timer.stop()
    soon.stop()
    guard let delay else { return }
    if delay <= .zero {
      soon.start { [unowned self] in
        soon.stop()
        action()
      }
    } else {
      timer.start(after: delay, action)
    }
  }

  func dispose() {
    removeAll()
    order = []
    remaining = 0
    pending = []
    checking.dispose()
    before.dispose()
    after.dispose()
    timer.dispose()
    soon.dispose()
  }
}
