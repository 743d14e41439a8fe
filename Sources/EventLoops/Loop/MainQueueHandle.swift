import CUV
import Callbacks
import Dispatch
import Streams

/// Serves libdispatch's main queue, and with it the main actor, for as long as the main loop runs.
///
/// The main queue signals a descriptor when it has work. The loop polls it, reads the count (or it would stay readable for
/// ever) and has libdispatch run what waits.
final class MainQueueHandle {
  private let handle: PollHandle?

  /// Traps where the main queue cannot be served because it is being drained around this call.
  init(entering loop: Loop) {
    if withUnsafeCurrentTask(body: { $0 != nil }) { Self.insideDrain() }
    let descriptor = headwater_main_queue_descriptor()
    if descriptor < 0 {
      Diagnostics.report(
        "This build of libdispatch does not offer its main queue: the loop does not serve the main actor.")
      handle = nil
      return
    }
    // A block that does not run when the queue is drained tells that somebody drains it around us.
    nonisolated(unsafe) var hasRun = false
    DispatchQueue.main.async { hasRun = true }
    headwater_drain_main_queue()
    if !hasRun { Self.insideDrain() }
    do {
      let handle = try PollHandle(descriptor: descriptor, on: loop)
      handle.keepsLoopAlive = false
      try handle.start(.readable) { _ in
        headwater_read_count(descriptor)
        headwater_drain_main_queue()
      }
      self.handle = handle
    } catch {
      Diagnostics.report("The loop does not serve the main actor: \(error)")
      handle = nil
    }
  }

  func leave() { handle?.dispose() }

  private static func insideDrain() -> Never {
    fatalError(
      """
      Loop.main.run() is entered from a task or from a block of the main queue, which could then never run again. Enter it \
      from synchronous code of the main thread; an async program starts with Loop.run { … } in a synchronous main.
      """)
  }
}

extension Loop {
  /// Runs an async program on the main loop: starts `body` on the main actor, runs the loop until it has returned, and gives
  /// its result. Enter it synchronously on the main thread.
  ///
  /// Throws what `body` throws, and `LoopClosed` when somebody else has stopped the main loop before it returned.
  public static func run<Result>(_ body: @escaping @MainActor () async throws -> Result) throws -> Result {
    let loop = Loop.main
    // Written by a task of the main actor, read after the loop: both on the main thread.
    nonisolated(unsafe) var result: Swift.Result<Result, any Error>?
    let keepAlive = try TimerHandle(on: loop)
    keepAlive.start(after: .seconds(Int64.max / 1000)) {}
    Task { @MainActor in
      do {
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      Loop.main.stop()
    }
    loop.run()
    keepAlive.dispose()
    guard let result else { throw LoopClosed() }
    return try result.get()
  }
}
