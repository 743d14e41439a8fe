import CUV
import Callbacks
import Dispatch
import Streams

/// Serves libdispatch's main queue, and with it the main actor, for as long as the main loop runs.
///
/// The main queue signals a descriptor when it has work. The loop polls the descriptor, reads the count (otherwise the
/// descriptor would stay readable forever), and lets libdispatch run the pending blocks.
final class MainQueueHandle {
  private let handle: PollHandle?
  private let descriptor: Int32

  /// Traps if the main queue cannot be served because this call runs inside one of its blocks or tasks.
  init(entering loop: Loop) {
    if withUnsafeCurrentTask(body: { $0 != nil }) { Self.insideDrain() }
    let descriptor = headwater_main_queue_descriptor()
    self.descriptor = descriptor
    if descriptor < 0 {
      Diagnostics.report(
        "This build of libdispatch does not offer its main queue: the loop does not serve the main actor.")
      handle = nil
      return
    }
    // If this block does not run when the queue is drained, the queue is already being drained around this call.
    nonisolated(unsafe) var hasRun = false
    DispatchQueue.main.async { hasRun = true }
    if headwater_is_readable(descriptor) != 0 { headwater_read_count(descriptor) }
    headwater_drain_main_queue()
    if !hasRun { Self.insideDrain() }
    do {
      let handle = try PollHandle(descriptor: descriptor, on: loop)
      handle.keepsLoopAlive = false
      handle.markInternal()
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

  /// Runs the blocks that wait in the main queue, and does not wait for more. Returns false if there are none.
  func drain() -> Bool {
    guard handle != nil, headwater_is_readable(descriptor) != 0 else { return false }
    headwater_read_count(descriptor)
    headwater_drain_main_queue()
    return true
  }

  static func insideDrain() -> Never {
    fatalError(
      """
      Loop.main.run() was called from a task or from a block of the main queue, which could then never run again. In a \
      program whose main is async, use await Loop.main.run(). Otherwise call it from synchronous code of the main thread.
      """)
  }
}
