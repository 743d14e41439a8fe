import CUV
import Callbacks
import Streams

/// The loop's clock: any number of deadlines on one libuv timer, which is armed for the earliest.
///
/// Deadlines that are due already use an idle handle instead, and run in the next loop iteration. libuv would run a
/// timer without delay in the same iteration, and a chain of them would keep it from its descriptors.
final class LoopScheduler: Scheduler {
  private let uv: UnsafeMutablePointer<uv_loop_t>
  private let timer: UnsafeMutablePointer<uv_timer_t>
  private let idle: UnsafeMutablePointer<uv_idle_t>
  private let mailbox: LoopMailbox
  private let wheel: DeadlineWheel
  private let origin: Int64
  /// The deadline for which the timer or the idle handle is armed, and the millisecond for which the timer is armed.
  private var armed = DeadlineWheel.never
  private var armedMillisecond = UInt64.max
  private var isIdling = false
  /// Whether pending deadlines keep the loop alive at all.
  private let mayKeepLoopAlive: Bool
  private var keepsLoopAlive = true
  private var isFiring = false
  private var isClosed = false
  /// How often libuv's timer has been started. For tests.
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
        // The timer is armed for an earlier deadline that has passed, but it fires only when that millisecond is over.
        startIdle()
      }
    }
    return entry
  }

  /// Traps off the loop's thread: region isolation lets a scheduler leave its domain, as it does a loop.
  @inline(__always)
  private func check() { if !mailbox.isOnThread { mailbox.requireCurrent() } }

  private func arm(_ deadline: Int64) {
    armed = deadline
    if deadline <= Int64(uv_hrtime()) { return startIdle() }
    requestTurn()
    // Rounded up: a libuv timer that is due in this millisecond fires when the millisecond has begun.
    let millisecond = UInt64((deadline - 1) / 1_000_000) + 1
    if millisecond == armedMillisecond { return }
    armedMillisecond = millisecond
    timerStarts += 1
    // libuv computes the delay from the start of the loop iteration, which may be long ago.
    uv_update_time(uv)
    let loopTime = uv_now(uv)
    uv_timer_start(
      timer, { UntilClosed<LoopScheduler>.borrow($0!.pointee.data).fire() },
      millisecond > loopTime ? millisecond - loopTime : 0, 0)
  }

  /// Asks the main queue's source to run the loop again, if that source serves the loop.
  private func requestTurn() { if let source = mailbox.loop?.service.source { source.requestTurn() } }

  private func startIdle() {
    isIdling = true
    requestTurn()
    uv_idle_start(idle) { UntilClosed<LoopScheduler>.borrow($0!.pointee.data).fire() }
  }

  /// The time at which the armed timer fires.
  private var armedEnd: Int64 {
    let (end, overflow) = armedMillisecond.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : Int64(clamping: end)
  }

  /// Lets the loop end, because no deadline is pending. A running timer keeps running, so that the next deadline can
  /// use it.
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
    // The timer may still be active if the idle handle was faster.
    armed = DeadlineWheel.never
    isIdling = false
    uv_idle_stop(idle)
    if uv_is_active(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)) == 0 {
      armedMillisecond = .max
    }
    #if Tracing
    let isTraced = Trace.isOn
    if isTraced { Trace.begin("timer", "deadlines") }
    #endif
    wheel.fire(at: Int64(uv_hrtime()))
    #if Tracing
    if isTraced { Trace.end() }
    #endif
    isFiring = false
    if isClosed { return }
    if let next = wheel.next { arm(next) } else { rest() }
  }

  /// The libuv handles of the scheduler.
  var handles: [UnsafeMutableRawPointer] { [UnsafeMutableRawPointer(timer), UnsafeMutableRawPointer(idle)] }

  /// Describes when the next deadline is due, for `describeWhatKeepsItAlive()`. Nil if there is none.
  var summary: String? {
    guard keepsLoopAlive else { return nil }
    // The source of a deadline that is being served may set the next one when it returns.
    guard let next = wheel.next else { return isFiring ? "a timer or a time-based operator that is emitting" : nil }
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
  /// The duration in whole nanoseconds, rounded up and clamped to the range of `Int64`.
  var nanosecondsRoundedUp: Int64 {
    let attoseconds = attoseconds
    if attoseconds <= 0 {
      // Rounded toward zero, which is up.
      return attoseconds < -Int128(Int64.max) * 1_000_000_000 ? -.max : Int64(attoseconds / 1_000_000_000)
    }
    // 10⁹ is 2⁹ × 1,953,125; most durations are short enough for a division of one word.
    let halves = (UInt128(attoseconds) + 999_999_999) >> 9
    if let short = UInt64(exactly: halves) { return Int64(short / 1_953_125) }
    return Int64(clamping: halves / 1_953_125)
  }
}
