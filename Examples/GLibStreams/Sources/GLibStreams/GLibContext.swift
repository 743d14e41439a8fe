public import CGLib
import Callbacks
public import EventLoops
import Glibc
public import Streams

/// A main context of GLib that runs inside of a loop: its timeouts, its descriptors, and what other threads send to it are served on
/// the loop's thread.
///
/// ```swift
/// let glib = try GLibContext(g_main_context_default())
/// g_timeout_add(100, { … }, nil)                              // called by the loop
/// glib.ticks(every: .seconds(1)).observeNext { print("tick") }.dispose(in: bag)
/// Loop.main.run()
/// ```
///
/// GLib's own protocol (prepare, query, poll, check, dispatch) is spread over the loop's iteration by a `LibraryDriver`. The loop's thread
/// owns the context until `close()`, or until the last reference is released. Priorities and recursion are GLib's; a callback that
/// runs a `GMainLoop` of its own holds the loop up until it returns. Confined.
public final class GLibContext {
  /// GLib's object.
  public let pointer: OpaquePointer
  private let driver: LibraryDriver
  private var priority: Int32 = 0
  private var descriptors: [GPollFD] = []
  // Closes at home where the last reference goes elsewhere.
  private let bag = DisposeBag()

  /// Serves `context` on `loop`. Fails with `EBUSY` if another thread owns it.
  ///
  /// - Parameter keepsLoopAlive: Whether the context keeps `Loop.run()` from returning. It never ends by itself: another thread may
  ///   send to it at any time.
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
    // The loop ends at once if nothing keeps it alive before its first iteration.
    prepare()
  }

  /// Leaves the context to others: now, or when the callback of GLib that is under way has returned. Sources stay attached.
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
      // An error or the end comes with any of them.
      interest[descriptor.fd, default: []].formUnion(wanted.isEmpty ? .disconnect : wanted)
    }
    for descriptor in driver.watchedDescriptors where interest[descriptor] == nil {
      try? driver.watch(descriptor, for: [])
    }
    for (descriptor, events) in interest {
      do throws(UVError) {
        try driver.watch(descriptor, for: events)
      } catch {
        // A regular file, which is always ready, or a descriptor that the loop watches for another: asked on each iteration.
        driver.setTimeout(.zero)
      }
    }
  }

  private func dispatch() {
    // What the loop has said is not all that GLib wants to know.
    let count = Int32(descriptors.count)
    let isReady = descriptors.withUnsafeMutableBufferPointer { descriptors in
      g_poll(descriptors.baseAddress, guint(count), 0)
      return g_main_context_check(pointer, priority, descriptors.baseAddress, count) != 0
    }
    guard isReady else { return }
    // A callback may close a descriptor without a word.
    driver.watchNothing()
    g_main_context_dispatch(pointer)
    // Without a descriptor the loop would end here.
    prepare()
  }
}

@available(*, unavailable)
extension GLibContext: Sendable {}

extension GLibContext {
  private typealias Dispatch = LentCallback<Void>

  /// An element each time the context dispatches a source of GLib: `g_timeout_source_new`, `g_idle_source_new`, and others
  /// whose callback is a `GSourceFunc`.
  ///
  /// `make` returns a new source, which belongs to the stream: it is attached when the stream is observed, and destroyed with the
  /// subscription. Completes if GLib destroys the source.
  public func dispatches(of make: @escaping () -> UnsafeMutablePointer<GSource>) -> Stream<Void> {
    .registering { observer in
      Dispatch({ observer.next() }, onEnd: { observer.completed() })
    } register: { [pointer] callback in
      let source = make()
      g_source_set_callback(
        source,
        {
          Dispatch.call($0)
          // Again, until it is destroyed.
          return 1
        }, callback.context, { Dispatch.giveBack($0) })
      defer { g_source_unref(source) }
      return g_source_attach(source, pointer)
    } unregister: { [pointer] _, id in
      g_source_destroy(g_main_context_find_source_by_id(pointer, id))
    }
  }

  /// An element every `interval`, by a timeout of GLib.
  public func ticks(every interval: Duration) -> Stream<Void> {
    dispatches { g_timeout_source_new(guint(min(max(0, interval / .milliseconds(1)), Double(guint.max)))) }
  }
}
