#if Tracing
import CUV
import Callbacks
import Streams

/// Records the iterations of a loop: from the end of a wait to the beginning of the next, and the wait.
final class LoopIterations {
  private let uv: UnsafeMutablePointer<uv_loop_t>
  private let prepare: UnsafeMutablePointer<uv_prepare_t>
  private let check: UnsafeMutablePointer<uv_check_t>
  private var idleTime: UInt64 = 0
  /// When the wait of the running iteration began.
  private var waitBegan: UInt64 = 0
  /// When libuv read the clock after the signal that it passes on, or 0. A signal interrupts the wait, and libuv then counts only what is
  /// waited after it.
  private var signalled: UInt64 = 0
  /// When the last wait ended, after which callbacks run.
  private var waitEnded = Trace.now

  init(_ uv: UnsafeMutablePointer<uv_loop_t>) {
    self.uv = uv
    prepare = .allocate(capacity: 1)
    check = .allocate(capacity: 1)
    // Lets libuv measure how long it waits.
    _ = headwater_measure_idle_time(uv)
    uv_prepare_init(uv, prepare)
    uv_check_init(uv, check)
    for handle in handles {
      handle.pointee.data = UntilClosed<LoopIterations>.lend(self)
      uv_unref(handle)
    }
    uv_prepare_start(prepare) { UntilClosed<LoopIterations>.borrow($0!.pointee.data).willWait() }
    uv_check_start(check) { UntilClosed<LoopIterations>.borrow($0!.pointee.data).hasRun() }
  }

  private var handles: [UnsafeMutablePointer<uv_handle_t>] {
    [UnsafeMutableRawPointer(prepare), UnsafeMutableRawPointer(check)].map {
      $0.assumingMemoryBound(to: uv_handle_t.self)
    }
  }

  /// Called when the loop begins to run. What happened since it ran before is not part of an iteration.
  func begin() { waitEnded = Trace.now }

  /// Called by libuv's callback for a signal, before anything else.
  func signalArrived() { signalled = uv_now(uv) * 1_000_000 }

  private func willWait() {
    signalled = 0
    if !Trace.isOn { return }
    waitBegan = Trace.now
    Trace.slice("iteration", "iteration", from: waitEnded, nanoseconds: waitBegan - waitEnded)
  }

  /// Called after the wait and the callbacks of descriptors.
  private func hasRun() {
    let idle = uv_metrics_idle_time(uv)
    let counted = idle - idleTime
    idleTime = idle
    if !Trace.isOn || waitBegan == 0 { return }
    waitEnded = min(max(waitBegan + counted, signalled), Trace.now)
    let waited = waitEnded - waitBegan
    if waited > 0 { Trace.slice("loop", "waits", from: waitBegan, nanoseconds: waited) }
  }

  func close() {
    for handle in handles {
      uv_close(handle) { handle in
        _ = UntilClosed<LoopIterations>.take(handle!.pointee.data)
        UnsafeMutableRawPointer(handle!).deallocate()
      }
    }
  }
}
#endif
