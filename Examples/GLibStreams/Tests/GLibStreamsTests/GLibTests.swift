import CGLib
import Callbacks
import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import GLibStreams

/// Runs `body` on its own thread, with a loop and a context of GLib.
private func withContext<Result: Sendable>(
  _ body: @escaping @Sendable (Loop, GLibContext) throws -> Result
) async throws -> Result {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    let pointer = g_main_context_new()!
    defer { g_main_context_unref(pointer) }
    let glib = try GLibContext(pointer)
    defer { glib.close() }
    // Ends a test that would otherwise wait forever.
    let guardian = try TimerHandle()
    guardian.keepsLoopAlive = false
    guardian.start(after: .seconds(120)) {
      Issue.record("not in time")
      Loop.current.stop()
    }
    return try body(loop, glib)
  }
}

@Suite("GLib", .noLiveResources)
struct GLibTests {
  @Test func `timeouts of GLib and timers of the loop run on one thread, in the order of their times`() async throws {
    let log = try await withContext { loop, glib in
      var log: [String] = []
      let bag = DisposeBag()
      glib.ticks(every: .milliseconds(40)).observeNext {
        log.append("glib")
        if log.count == 4 { loop.stop() }
      }.dispose(in: bag)
      Stream.timer((), after: .milliseconds(20)).observeNext { log.append("loop") }.dispose(in: bag)
      loop.run()
      bag.dispose()
      return log
    }
    #expect(log == ["loop", "glib", "glib", "glib"])
    #expect(DroppedCalls.soFar == DroppedCalls())
  }

  @Test func `idle sources run while the loop serves its own descriptors; disposing inside of the callback ends them`()
    async throws
  {
    let count = try await withContext { loop, glib in
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      defer { for end in ends { close(end) } }
      let bag = DisposeBag()
      var count = 0
      glib.dispatches { g_idle_source_new() }.observeNext {
        count += 1
        if count == 100 { write(ends[1], "x", 1) }
      }.dispose(in: bag)
      Operation.poll(ends[0], for: .readable).observeNext { _ in
        bag.dispose()
        loop.stop()
      }.dispose(in: bag)
      loop.run()
      return count
    }
    #expect(count >= 100)
  }

  @Test func `a source that GLib destroys completes its stream`() async throws {
    let log = try await withContext { loop, glib in
      var log: [String] = []
      let subscription = glib.dispatches {
        let source = g_timeout_source_new(1)!
        g_source_set_name(source, "mine")
        return source
      }.observe(
        next: { g_source_destroy(g_main_current_source()) },
        termination: {
          log.append("\($0)")
          loop.stop()
        })
      loop.run()
      #expect(subscription.isDisposed)
      return log
    }
    #expect(log == ["completed"])
  }

  @Test func `another thread wakes the loop`() async throws {
    try await withContext { loop, glib in
      let bag = DisposeBag()
      // Starts the thread when the loop is probably waiting.
      Stream.timer((), after: .milliseconds(5)).observeNext {
        var thread = pthread_t()
        pthread_create(
          &thread, nil,
          { context in
            g_main_context_invoke(
              OpaquePointer(context),
              { _ in
                Loop.current.stop()
                return 0
              }, nil)
            return nil
          }, UnsafeMutableRawPointer(glib.pointer))
        pthread_detach(thread)
      }.dispose(in: bag)
      loop.run()
    }
  }

  @Test
  func `a descriptor of GLib's is polled for what it wants, and may be closed and made again with the same number`()
    async throws
  {
    final class Reader {
      var log: [String] = []
      var ends: [Int32] = [0, 0]

      func open() {
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        let source = g_unix_fd_source_new(ends[0], G_IO_IN)
        g_source_set_callback(
          source,
          unsafeBitCast(
            { descriptor, conditions, context in
              CallbackTable<Reader>.with(context, otherwise: 0) { $0.read(descriptor, conditions) }
            } as GUnixFDSourceFunc, to: GSourceFunc.self), table?.context, nil)
        g_source_attach(source, context)
        g_source_unref(source)
        send(ends[1], "\(log.count)", 1, 0)
      }

      func read(_ descriptor: Int32, _ conditions: GIOCondition) -> gboolean {
        var bytes = [UInt8](repeating: 0, count: 10)
        let count = recv(descriptor, &bytes, 10, Int32(MSG_DONTWAIT))
        log.append(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
        // The next descriptors get the same numbers.
        for end in ends { close(end) }
        if log.count == 4 { Loop.current.stop() } else { open() }
        return 0
      }

      var table: CallbackTable<Reader>?
      var context: OpaquePointer?
    }
    let log = try await withContext { loop, glib in
      let reader = Reader()
      reader.table = CallbackTable(reader)
      reader.context = glib.pointer
      reader.open()
      loop.run()
      reader.table = nil
      return reader.log
    }
    #expect(log == ["0", "1", "2", "3"])
  }

  @Test func `closing inside of a callback leaves the context when GLib has returned, and its sources attached`()
    async throws
  {
    try await withContext { loop, glib in
      var count = 0
      let ticks = glib.ticks(every: .milliseconds(1)).observeNext {
        count += 1
        glib.close()
      }
      loop.run()
      #expect(count == 1)
      #expect(g_main_context_is_owner(glib.pointer) == 0)
      // The source is still attached, so GLib dispatches it without the loop.
      while count == 1 { g_main_context_iteration(glib.pointer, 1) }
      ticks.dispose()
    }
  }

  @Test func `a context that another thread owns is refused`() async throws {
    try await withContext { _, glib in
      // Safe: the other thread only tries to acquire the context, which any thread may do.
      nonisolated(unsafe) let pointer = glib.pointer
      let other = Queue(label: "other")
      defer { other.shutdown() }
      let error = try other.sync { () -> UVError? in
        do throws(UVError) {
          _ = try GLibContext(pointer)
          return nil
        } catch {
          return error
        }
      }
      #expect(error?.name == "EBUSY")
    }
  }

  @Test func `a stream can be observed after everybody else has released the context`() async throws {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let pointer = g_main_context_new()!
      var glib: GLibContext? = try GLibContext(pointer)
      let stream = glib!.ticks(every: .milliseconds(1))
      glib = nil
      g_main_context_unref(pointer)
      let record = stream.record()
      // Nobody serves the context, but it exists.
      #expect(record.events.isEmpty)
      record.dispose()
    }
  }
}
