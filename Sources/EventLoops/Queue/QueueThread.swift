import CUV
import Callbacks
import Dispatch
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The thread of a queue. It makes the loop, runs it until it is stopped, and shuts it down.
final class QueueThread: Sendable {
  private let mailbox: LoopMailbox
  private let ended: DispatchGroup

  init(_ label: String, _ mailbox: LoopMailbox) {
    self.mailbox = mailbox
    let ended = DispatchGroup()
    ended.enter()
    self.ended = ended
    let tracker = LiveResources.current
    let main = OnceCallback<Void> {
      headwater_name_thread(label)
      LiveResources.$current.withValue(tracker) {
        let loop = Loop(mailbox: mailbox, isMain: false, waits: true)
        loop.runForever()
        loop.shutdown()
      }
      ended.leave()
    }
    var thread = uv_thread_t(bitPattern: 0)
    let status = uv_thread_create(&thread, { OnceCallback<Void>.call($0) }, main.context)
    if status != 0 {
      main.disarm()
      fatalError("No thread can be made for the queue '\(label)': \(UVError(code: status, call: "uv_thread_create")).")
    }
    pthread_detach(thread)
  }

  /// Ends the loop even if a task awaits `run()`; `stop()` would only resume that task.
  func requestStop() { _ = mailbox.post { Loop.current.end() } }

  func waitUntilEnded() { ended.wait() }
}
