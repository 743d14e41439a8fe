public import CGLib
import Callbacks
public import EventLoops
import Glibc
public import Streams

/// A main context of GLib that runs inside a loop. The loop's thread serves its timeouts, its descriptors, and the calls that
/// other threads send to it.
///
/// ```swift
/// let glib = try GLibContext(g_main_context_default())
/// g_timeout_add(100, { … }, nil)                              // called by the loop
/// glib.ticks(every: .seconds(1)).observeNext { print("tick") }.dispose(in: bag)
/// Loop.main.run()
/// ```
///
/// A `LibraryDriver` runs the steps of GLib (prepare, query, poll, check, dispatch) in each loop iteration. The loop's thread
/// owns the context until `close()`, or until the last reference is released. GLib decides on priorities and recursion. A
/// callback that runs its own `GMainLoop` blocks the loop until it returns.
///
/// Confined to the loop's thread.
public final class GLibContext {
  /// The context, as GLib's functions take it.
  public let pointer: OpaquePointer
  private let driver: LibraryDriver
  private var priority: Int32 = 0
  private var descriptors: [GPollFD] = []
  // Closes at home if the last reference is released in another domain.
  private let bag = DisposeBag()

  /// Serves `context` on `loop`. Fails with `EBUSY` if another thread owns it.
  ///
  /// - Parameter keepsLoopAlive: Whether the context keeps `Loop.run()` from returning. It never ends by itself, because another
  ///   thread can send to it at any time. If it is true, `run()` returns only after `close()` or `stop()`.
  public init(_ context: OpaquePointer, on loop: Loop = .current, keepsLoopAlive: Bool = true) throws(UVError) {
    driver = try LibraryDriver(on: loop, keepsLoopAlive: keepsLoopAlive)
    guard g_main_context_acquire(context) != 0 else { throw UVError(code: .busy, call: "g_main_context_acquire") }
    pointer = g_main_context_ref(context)
    driver.start(
      beforePolling: { [unowned self] in prepare() },
      afterPolling: { [unowned self] in dispatch() })
    BlockDisposable { [driver, pointer] in
      driver.close {
        g_main_context_release(pointer)
        g_main_context_unref(pointer)
      }
    }.dispose(in: bag)
    // Without a watch or a timeout, `run()` would return before the first iteration.
    prepare()
  }

  /// Releases the context: immediately, or after the running callback of GLib. Its sources stay attached. Another thread can then
  /// own it.
  public func close() { bag.dispose() }

  private func prepare() {
    if driver.isClosed { return }
    let isReady = g_main_context_prepare(pointer, &priority) != 0
    var milliseconds: Int32 = -1
    var count = query(&milliseconds)
    while count > descriptors.count {
      descriptors += Array(repeating: GPollFD(), count: count - descriptors.count)
      count = query(&milliseconds)
    }
    descriptors.removeLast(descriptors.count - count)
    driver.setTimeout(isReady ? .zero : milliseconds < 0 ? nil : .milliseconds(Int(milliseconds)))
    watch()
  }

  private func query(_ milliseconds: inout Int32) -> Int {
    Int(
      descriptors.withUnsafeMutableBufferPointer { descriptors in
        g_main_context_query(pointer, priority, &milliseconds, descriptors.baseAddress, Int32(descriptors.count))
      })
  }

  private func watch() {
    var interest: [Int32: PollEvents] = [:]
    for descriptor in descriptors {
      let events = Int32(descriptor.events)
      var wanted: PollEvents = []
      if events & POLLIN != 0 { wanted.insert(.readable) }
      if events & POLLOUT != 0 { wanted.insert(.writable) }
      if events & POLLPRI != 0 { wanted.insert(.prioritized) }
      // poll reports errors and hangups with every set of events.
      interest[descriptor.fd, default: []].formUnion(wanted.isEmpty ? .disconnect : wanted)
    }
    for descriptor in driver.watchedDescriptors where interest[descriptor] == nil {
      try? driver.watch(descriptor, for: [])
    }
    for (descriptor, events) in interest {
      do throws(UVError) {
        try driver.watch(descriptor, for: events)
      } catch {
        // A regular file, which is always ready, or a descriptor that another handle of the loop watches. Poll it in each
        // iteration, without waiting.
        driver.setTimeout(.zero)
      }
    }
  }

  private func dispatch() {
    // The loop doesn't report every condition and every descriptor that GLib checks. Poll again, without waiting.
    let count = Int32(descriptors.count)
    let isReady = descriptors.withUnsafeMutableBufferPointer { descriptors in
      g_poll(descriptors.baseAddress, guint(count), 0)
      return g_main_context_check(pointer, priority, descriptors.baseAddress, count) != 0
    }
    guard isReady else { return }
    // A callback can close a descriptor without notice.
    driver.watchNothing()
    g_main_context_dispatch(pointer)
    // Watch again. Without a watch or a timeout, the loop would end here.
    prepare()
  }
}

@available(*, unavailable)
extension GLibContext: Sendable {}

extension GLibContext {
  private typealias Dispatch = LentCallback<Void>

  /// Returns a cold stream with an element for each time that the context dispatches a source of GLib.
  ///
  /// Use it for `g_timeout_source_new`, `g_idle_source_new`, and other sources whose callback is a `GSourceFunc`. Completes if
  /// GLib destroys the source.
  ///
  /// - Parameter make: Returns a new source for each observer. The stream takes ownership: it attaches the source when it is
  ///   observed, and destroys it when the subscription is disposed.
  public func dispatches(of make: @escaping () -> UnsafeMutablePointer<GSource>) -> Stream<Void> {
    // The stream may be observed after this object and the program have released theirs.
    let context = RetainedContext(pointer)
    return .registering { observer in
      Dispatch({ observer.next() }, onEnd: { observer.completed() })
    } register: { callback in
      let source = make()
      g_source_set_callback(
        source,
        {
          Dispatch.call($0)
          // Keeps the source until it is destroyed.
          return 1
        }, callback.context, { Dispatch.giveBack($0) })
      defer { g_source_unref(source) }
      return g_source_attach(source, context.pointer)
    } unregister: { [pointer] _, id in
      // When GLib destroys the context, it destroys the source, which completes the stream.
      g_source_destroy(g_main_context_find_source_by_id(pointer, id))
    }
  }

  /// Returns a cold stream with an element every `interval`, from a timeout of GLib. Rounds down to whole milliseconds.
  public func ticks(every interval: Duration) -> Stream<Void> {
    dispatches { g_timeout_source_new(guint(min(max(0, interval / .milliseconds(1)), Double(guint.max)))) }
  }
}

/// Retains a context of GLib.
private final class RetainedContext {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = g_main_context_ref(pointer) }

  deinit { g_main_context_unref(pointer) }
}
