import CUV
import Callbacks
import Streams

/// The loop's clock: any number of deadlines on one timer of libuv, which runs for the earliest.
///
/// What is due already waits for an idle handle instead, on the next turn: libuv would run a timer without delay on the
/// same turn, and a chain of them would keep it from its descriptors.
final class LoopScheduler: Scheduler {
  private let uv: UnsafeMutablePointer<uv_loop_t>
  private let timer: UnsafeMutablePointer<uv_timer_t>
  private let idle: UnsafeMutablePointer<uv_idle_t>
  private let mailbox: LoopMailbox
  private let wheel: DeadlineWheel
  private let origin: Int64
  /// The deadline for which the timer or the idle handle runs, and the timer's millisecond.
  private var armed = DeadlineWheel.never
  private var armedMillisecond = UInt64.max
  private var isIdling = false
  /// Whether pending deadlines keep the loop alive at all.
  private let mayKeepLoopAlive: Bool
  private var keepsLoopAlive = true
  private var isFiring = false
  private var isClosed = false
  /// How often libuv's timer has been started: tests ask.
  private(set) var timerStarts = 0

  init(_ uv: UnsafeMutablePointer<uv_loop_t>, _ mailbox: LoopMailbox, keepsLoopAlive: Bool = true) {
    mayKeepLoopAlive = keepsLoopAlive
    self.uv = uv
    self.mailbox = mailbox
    origin = Int64(uv_hrtime())
    wheel = DeadlineWheel(at: origin)
    timer = .allocate(capacity: 1)
    idle = .allocate(capacity: 1)
    uv_timer_init(uv, timer)
    timer.pointee.data = UntilClosed<LoopScheduler>.lend(self)
    uv_idle_init(uv, idle)
    idle.pointee.data = UntilClosed<LoopScheduler>.lend(self)
    wheel.onCancel = { [unowned(unsafe) self] in check() }
    wheel.onEmpty = { [unowned(unsafe) self] in rest() }
    if !keepsLoopAlive { setKeepsLoopAlive(false) }
  }

  var now: Duration { .nanoseconds(Int64(uv_hrtime()) - origin) }

  func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Disposable {
    if isClosed { return .none }
    check()
    let (time, overflow) = origin.addingReportingOverflow(deadline.nanosecondsRoundedUp)
    let due = overflow ? DeadlineWheel.never : time
    let entry = wheel.add(due, action)
    if !keepsLoopAlive, mayKeepLoopAlive { setKeepsLoopAlive(true) }
    if !isFiring {
      if due < armed {
        arm(due)
      } else if !isIdling, due < armedEnd, due <= Int64(uv_hrtime()) {
        // The timer is armed for an earlier deadline that has passed, but only runs when its millisecond is over.
        startIdle()
      }
    }
    return entry
  }

  /// Region isolation lets a scheduler out of its domain, as it does a loop.
  @inline(__always)
  private func check() { if !mailbox.isOnThread { mailbox.requireCurrent() } }

  private func arm(_ deadline: Int64) {
    armed = deadline
    if deadline <= Int64(uv_hrtime()) { return startIdle() }
    requestTurn()
    // Rounded up: a timer of libuv that is due in this millisecond runs when it has begun.
    let millisecond = UInt64((deadline - 1) / 1_000_000) + 1
    if millisecond == armedMillisecond { return }
    armedMillisecond = millisecond
    timerStarts += 1
    // libuv computes how long to wait from the start of the turn, which may be long ago.
    uv_update_time(uv)
    let loopTime = uv_now(uv)
    uv_timer_start(
      timer, { UntilClosed<LoopScheduler>.borrow($0!.pointee.data).fire() },
      millisecond > loopTime ? millisecond - loopTime : 0, 0)
  }

  /// Has what serves the loop look at it again, if that is not the loop itself.
  private func requestTurn() { if let source = mailbox.loop?.service.source { source.requestTurn() } }

  private func startIdle() {
    isIdling = true
    requestTurn()
    uv_idle_start(idle) { UntilClosed<LoopScheduler>.borrow($0!.pointee.data).fire() }
  }

  /// When the timer runs for the deadline that it is armed for.
  private var armedEnd: Int64 { armedMillisecond == .max ? .max : Int64(armedMillisecond) * 1_000_000 }

  /// Nothing is pending: the loop may end. What runs is left running, so that the next deadline finds it.
  private func rest() { if !isFiring, !isClosed { setKeepsLoopAlive(false) } }

  private func setKeepsLoopAlive(_ flag: Bool) {
    keepsLoopAlive = flag
    for handle in handles {
      let handle = handle.assumingMemoryBound(to: uv_handle_t.self)
      if flag { uv_ref(handle) } else { uv_unref(handle) }
    }
  }

  private func fire() {
    isFiring = true
    // The timer may run on, when the idle handle has been faster.
    armed = DeadlineWheel.never
    isIdling = false
    uv_idle_stop(idle)
    if uv_is_active(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)) == 0 {
      armedMillisecond = .max
    }
    wheel.fire(at: Int64(uv_hrtime()))
    isFiring = false
    if isClosed { return }
    if let next = wheel.next { arm(next) } else { rest() }
  }

  /// libuv's handles.
  var handles: [UnsafeMutableRawPointer] { [UnsafeMutableRawPointer(timer), UnsafeMutableRawPointer(idle)] }

  /// When the next deadline is due, for a person who asks what the loop waits for; nil if there is none.
  var summary: String? {
    guard keepsLoopAlive, let next = wheel.next else { return nil }
    let wait = max(0, (next - Int64(uv_hrtime())) / 1_000_000)
    return "deadlines of timers and time-based operators, the next in \(wait) ms"
  }

  func close() {
    isClosed = true
    wheel.removeAll()
    uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)) {
      let timer = $0!
      UntilClosed<LoopScheduler>.take(timer.pointee.data).timer.deallocate()
    }
    uv_close(UnsafeMutableRawPointer(idle).assumingMemoryBound(to: uv_handle_t.self)) {
      let idle = $0!
      UntilClosed<LoopScheduler>.take(idle.pointee.data).idle.deallocate()
    }
  }
}

extension Duration {
  /// Whole nanoseconds, rounded up; at most what fits.
  var nanosecondsRoundedUp: Int64 {
    let attoseconds = attoseconds
    if attoseconds <= 0 {
      // Rounded towards zero, which is up.
      return attoseconds < -Int128(Int64.max) * 1_000_000_000 ? -.max : Int64(attoseconds / 1_000_000_000)
    }
    // 10⁹ is 2⁹ × 1,953,125; most times are short enough for a division of one word.
    let halves = UInt128(attoseconds + 999_999_999) >> 9
    if let short = UInt64(exactly: halves) { return Int64(short / 1_953_125) }
    return Int64(clamping: halves / 1_953_125)
  }
}
