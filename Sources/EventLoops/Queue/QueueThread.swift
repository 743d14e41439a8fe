import CStreams
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

  /// - Parameter start: Runs its argument on a new thread. A test passes a thread whose turns it decides.
  init(_ label: String, _ mailbox: LoopMailbox, start: (@escaping () -> Void) -> Void) {
    self.mailbox = mailbox
    let ended = DispatchGroup()
    ended.enter()
    self.ended = ended
    let tracker = LiveResources.current
    start {
      LiveResources.$current.withValue(tracker) {
        let loop = Loop(mailbox: mailbox, isMain: false, waits: true)
        loop.runForever()
        loop.shutdown()
      }
      ended.leave()
    }
  }

  /// Runs `main` on a new thread. Traps if the system has none.
  static func start(_ label: String, _ main: @escaping () -> Void) {
    let main = OnceCallback<Void> {
      headwater_name_thread(label)
      main()
    }
    var thread = uv_thread_t(bitPattern: 0)
    let status = uv_thread_create(&thread, { OnceCallback<Void>.call($0) }, main.context)
    if status != 0 {
      main.disarm()
      fatalError(
        """
        No thread can be made for the queue '\(label)': \(UVError(code: status, call: "uv_thread_create")). End some \
        threads, or raise the limit (ulimit -u, ulimit -v, or the limit of the container).
        """)
    }
    pthread_detach(thread)
  }

  /// Ends the loop even if a task awaits `run()`; `stop()` would only resume that task.
  func requestStop() { _ = mailbox.post { Loop.current.end() } }

  func waitUntilEnded() {
    #if DEBUG
    headwater_wait(Unmanaged.passUnretained(ended).toOpaque()) { group in
      group.map { Unmanaged<DispatchGroup>.fromOpaque($0).takeUnretainedValue().wait(timeout: .now()) } == .success
    }
    #endif
    ended.wait()
  }
}
