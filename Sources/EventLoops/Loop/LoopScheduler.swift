import CUV
import Callbacks
import Streams

/// The loop's clock: any number of deadlines on one timer of libuv.
final class LoopScheduler: Scheduler {
  private let timer: UnsafeMutablePointer<uv_timer_t>
  private let uv: UnsafeMutablePointer<uv_loop_t>
  private let mailbox: LoopMailbox
  private let deadlines = DeadlineQueue()
  private let origin: UInt64
  /// The deadline for which the timer runs.
  private var armed: Duration?
  private var isFiring = false
  private var isClosed = false

  init(_ uv: UnsafeMutablePointer<uv_loop_t>, _ mailbox: LoopMailbox) {
    self.uv = uv
    self.mailbox = mailbox
    origin = uv_hrtime()
    timer = .allocate(capacity: 1)
    uv_timer_init(uv, timer)
    timer.pointee.data = UntilClosed<LoopScheduler>.lend(self)
    deadlines.onEmpty = { [unowned(unsafe) self] in disarm() }
  }

  var now: Duration { .nanoseconds(Int64(uv_hrtime() - origin)) }

  func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Disposable {
    if isClosed { return .none }
    check()
    let entry = deadlines.add(deadline, action)
    if !isFiring, armed.map({ deadline < $0 }) ?? true { arm(deadline) }
    return entry
  }

  /// Region isolation lets a scheduler out of its domain, as it does a loop.
  private func check() {
    if mailbox.isCurrent != true { Loop.wrongThread() }
  }

  private func arm(_ deadline: Duration) {
    armed = deadline
    // libuv counts from the start of the turn, which may be long ago.
    uv_update_time(uv)
    uv_timer_start(
      timer, { UntilClosed<LoopScheduler>.borrow($0!.pointee.data).fire() }, (deadline - now).millisecondsRoundedUp, 0)
  }

  private func disarm() {
    if isFiring || isClosed { return }
    check()
    armed = nil
    uv_timer_stop(timer)
  }

  private func fire() {
    isFiring = true
    armed = nil
    let time = now
    // Those that are added from here on wait for the next turn, also when they are due.
    let end = deadlines.mark
    while let action = deadlines.popDue(at: time, addedBefore: end) { action() }
    isFiring = false
    if !isClosed, let next = deadlines.next { arm(next) }
  }

  func close() {
    isClosed = true
    deadlines.removeAll()
    uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)) {
      UntilClosed<LoopScheduler>.take($0!.pointee.data).didClose()
    }
  }

  private func didClose() { timer.deallocate() }
}
