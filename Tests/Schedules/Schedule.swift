#if canImport(Glibc)
import CStreams
import Glibc
import Streams
import TestSupport

/// One order in which the threads of a program run.
///
/// One thread runs at a time: the one that has the turn. Before each step on something that threads share, it gives the turn to the thread
/// that the plan names, or keeps it where the plan has ended.
package final class Schedule: @unchecked Sendable {
  // Sendable: only the thread that has the turn uses it.

  /// A step, and the threads that could have taken one instead.
  package struct Step {
    package let thread: Int
    let object: UnsafeRawPointer?
    let enabled: ThreadSet
    let previous: Int?
    /// The other objects of a step that is not interrupted.
    fileprivate(set) var others: Set<UnsafeRawPointer?> = []

    /// True if the order of the two matters.
    func depends(on step: Step) -> Bool {
      if object != nil, object == step.object { return true }
      // Nearly all steps have one object.
      if others.isEmpty, step.others.isEmpty { return false }
      return (object != nil && step.others.contains(object))
        || others.contains { $0 == step.object || step.others.contains($0) }
    }
  }

  private let plan: [Int]
  private var random: SeededGenerator?
  private var threads: [ScheduledThread] = []
  /// The thread that holds each lock.
  private var holders: [UnsafeRawPointer: Int] = [:]
  private var previous: Int?
  private var isDeciding = false
  private var isUninterrupted = false
  /// The thread that runs to its first turn.
  private var starting: ScheduledThread?
  private let end = Turn()
  #if DEBUG
  private let closedDomains = HomeThread.ClosedDomains()
  #endif

  package private(set) var steps: [Step] = []
  /// True if the program could not follow the plan.
  private(set) var isDifferent = false
  /// What went wrong first.
  package private(set) var failure: String?

  init(plan: [Int]) { self.plan = plan }

  /// An order that a seed determines.
  init(seed: UInt64) {
    plan = []
    random = SeededGenerator(seed)
  }

  /// Keeps what the calling thread leaves to closed domains apart from other schedules.
  func enter() {
    #if DEBUG
    closedDomains.enter()
    #endif
  }

  static func leave() {
    #if DEBUG
    HomeThread.ClosedDomains.leave()
    #endif
  }

  // MARK: The program

  /// Adds a thread. If `beginsLater` is true, `body` calls `begin`; before, it runs alone, and before any thread has a turn.
  package func thread(_ name: String, beginsLater: Bool = false, _ body: @escaping () -> Void) {
    threads.append(ScheduledThread(name, threads.count, self, beginsLater: beginsLater, body))
  }

  /// Runs the threads to their ends.
  package func run() {
    for thread in threads {
      starting = thread
      thread.start()
    }
    starting = nil
    handOver(nil)
    end.take()
    if isStuck {
      // The threads that wait forever use it.
      _ = Unmanaged.passRetained(self)
      return
    }
    for thread in threads { thread.join() }
  }

  /// Makes the calling thread, which begins later, wait for its first turn. `whenIdle` runs once, on this thread, if it waits and no
  /// thread can run any more.
  package func begin(whenIdle: (() -> Void)? = nil) { starting?.begin(whenIdle: whenIdle) }

  /// Releases what the threads have captured.
  func clear() { for thread in threads { thread.clear() } }

  /// Notes what went wrong, if `isRight` is false. `what` says what should have been.
  package func expect(_ isRight: Bool, _ what: @autoclosure () -> String) {
    if isRight || failure != nil { return }
    failure = """
      \(what())
      \(order)
      """
  }

  /// Lets other threads run until `isReady` returns true. `object` is what others access to make it true.
  package func wait(for object: AnyObject, until isReady: @escaping () -> Bool) {
    guard let thread = current else { return }
    wait(thread, UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()), isReady)
  }

  /// Runs `body` as one step, in which no other thread runs, although it reaches locks. For a call that holds a lock of the Swift
  /// runtime: another thread that waited for that lock would keep the turn. `object` is what the order of the step is about.
  package func withoutInterruption(_ object: AnyObject, _ body: () -> Void) {
    Self.access(object)
    isUninterrupted = true
    body()
    isUninterrupted = false
  }

  /// Lets other threads run before an access to `object`.
  package static func access(_ object: AnyObject) {
    headwater_pass(Unmanaged.passUnretained(object).toOpaque(), HEADWATER_ACCESSES)
  }

  /// True if some threads cannot run and never end.
  private var isStuck: Bool { threads.contains { !$0.hasEnded } }

  private var current: ScheduledThread? { previous.map { threads[$0] } }

  // MARK: Turns

  func pass(_ thread: ScheduledThread, _ object: UnsafeRawPointer?, _ step: headwater_step) {
    if object == Traps.question { return Traps.report(order) }
    // The conditions of waiting threads are checked without turns.
    if isDeciding { return }
    if isUninterrupted {
      if step == HEADWATER_LOCKS, let object, let holder = holders[object] {
        fatalError("\(threads[holder].name) has stopped with a lock that a step without interruption needs.")
      }
      steps[steps.count - 1].others.insert(object)
      return
    }
    if step == HEADWATER_UNLOCKED {
      if let object { holders[object] = nil }
      return
    }
    thread.object = object
    thread.wantsLock = step == HEADWATER_LOCKS
    handOver(thread)
    if step == HEADWATER_LOCKS, let object { holders[object] = thread.number }
  }

  func wait(_ thread: ScheduledThread, _ object: UnsafeRawPointer?, _ isReady: @escaping () -> Bool) {
    thread.isReady = isReady
    pass(thread, object, HEADWATER_ACCESSES)
    thread.isReady = nil
    if thread.isIdle {
      thread.isIdle = false
      thread.whenIdle.take()?()
    }
  }

  /// Ends a thread that has the turn.
  func didEnd(_ thread: ScheduledThread) {
    thread.hasEnded = true
    handOver(thread)
  }

  /// Gives the turn to the next thread, and returns when `thread` has it again, unless it has ended.
  private func handOver(_ thread: ScheduledThread?) {
    let next = decide()
    if let next, next === thread { return }
    (next?.turn ?? end).give()
    // Where no thread can go on, this one waits forever.
    if let thread, !thread.hasEnded { thread.turn.take() }
  }

  private func decide() -> ScheduledThread? {
    isDeciding = true
    defer { isDeciding = false }
    var enabled = ThreadSet()
    for thread in threads where isEnabled(thread) { enabled.insert(thread.number) }
    if enabled.isEmpty, let idle = threads.first(where: { $0.isReady != nil && $0.whenIdle != nil && !$0.hasEnded }) {
      idle.isIdle = true
      enabled = ThreadSet(idle.number)
    }
    if enabled.isEmpty {
      let stuck = threads.filter { !$0.hasEnded }.map(\.name)
      expect(stuck.isEmpty, "These threads wait forever: \(stuck.joined(separator: ", ")).")
      return nil
    }
    let choice = choose(enabled)
    steps.append(Step(thread: choice, object: threads[choice].object, enabled: enabled, previous: previous))
    previous = choice
    // A program has some hundred steps.
    expect(steps.count < 100_000, "The threads do not come to an end.")
    return steps.count < 100_000 ? threads[choice] : nil
  }

  private func choose(_ enabled: ThreadSet) -> Int {
    if steps.count < plan.count {
      let planned = plan[steps.count]
      if enabled.contains(planned) { return planned }
      isDifferent = true
      expect(false, "The program does not do the same each time: thread \(planned) cannot take step \(steps.count).")
    }
    let switchesAtRandom = random?.next(upperBound: 3 as UInt) == 0
    if let previous, enabled.contains(previous), !switchesAtRandom { return previous }
    let numbers = enabled.numbers
    return numbers[Int(random?.next(upperBound: UInt(numbers.count)) ?? 0)]
  }

  private func isEnabled(_ thread: ScheduledThread) -> Bool {
    if thread.hasEnded { return false }
    if let isReady = thread.isReady { return isReady() }
    if thread.wantsLock, let object = thread.object { return holders[object] == nil }
    return true
  }

  /// The steps, with a number for each object in the order of their first use.
  private var order: String {
    var numbers: [UnsafeRawPointer?: Int] = [:]
    let lines = steps.map { step in
      let number = numbers[step.object, default: numbers.count]
      numbers[step.object] = number
      return "  \(threads[step.thread].name): \(step.object == nil ? "begins" : "object \(number)")"
    }
    return """
      The order, which HEADWATER_SCHEDULE=\(steps.map { "\($0.thread)" }.joined(separator: ".")) repeats:
      \(lines.joined(separator: "\n"))
      """
  }
}

/// Some of the threads of a program, by their numbers, which are less than 64. In one word, because each step has several sets.
struct ThreadSet {
  private var bits: UInt64 = 0

  init() {}
  init(_ number: Int) { insert(number) }

  var isEmpty: Bool { bits == 0 }
  /// The numbers in order.
  var numbers: [Int] {
    var numbers: [Int] = []
    var rest = bits
    while rest != 0 {
      numbers.append(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    return numbers
  }

  func contains(_ number: Int) -> Bool { bits & (1 << UInt64(number)) != 0 }
  mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }
  mutating func formUnion(_ other: ThreadSet) { bits |= other.bits }

  func subtracting(_ other: ThreadSet) -> ThreadSet {
    var rest = self
    rest.bits &= ~other.bits
    return rest
  }
}

/// A thread of a program that is explored.
final class ScheduledThread: @unchecked Sendable {
  // Sendable: only the thread that has the turn uses it.
  let name: String
  let number: Int
  let turn = Turn()
  /// The object of the next step.
  var object: UnsafeRawPointer?
  var wantsLock = false
  /// The condition of a thread that waits.
  var isReady: (() -> Bool)?
  /// Runs once if no thread can run and this one waits.
  var whenIdle: (() -> Void)?
  /// True if the wait has ended because no thread can run.
  var isIdle = false
  var hasEnded = false

  private unowned let schedule: Schedule
  private let beginsLater: Bool
  private var body: (() -> Void)?
  private let isPrepared = Turn()
  private var thread = pthread_t()

  init(_ name: String, _ number: Int, _ schedule: Schedule, beginsLater: Bool, _ body: @escaping () -> Void) {
    (self.name, self.number, self.schedule, self.beginsLater, self.body) = (name, number, schedule, beginsLater, body)
  }

  /// Starts the thread, and returns when it is prepared.
  func start() {
    pthread_create(
      &thread, nil,
      { context in
        context.map { Unmanaged<ScheduledThread>.fromOpaque($0).takeRetainedValue().run() }
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    isPrepared.take()
  }

  func clear() { body = nil }

  func join() { pthread_join(thread, nil) }

  private func run() {
    schedule.enter()
    if !beginsLater { begin(whenIdle: nil) }
    body?()
    // Its captures are released in turn, too.
    body = nil
    whenIdle = nil
    headwater_set_schedule(headwater_schedule())
    schedule.didEnd(self)
  }

  func begin(whenIdle: (() -> Void)?) {
    self.whenIdle = whenIdle
    isPrepared.give()
    turn.take()
    headwater_set_schedule(
      headwater_schedule(
        pass: { context, object, step in
          guard let thread = ScheduledThread.of(context) else { return }
          thread.schedule.pass(thread, object, step)
        },
        wait: { context, object, isOver in
          guard let thread = ScheduledThread.of(context), let isOver else { return }
          thread.schedule.wait(thread, object) { isOver(object) }
        },
        context: Unmanaged.passUnretained(self).toOpaque()))
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> ScheduledThread? {
    context.map { Unmanaged<ScheduledThread>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// The right to run, which one thread gives to another.
struct Turn: @unchecked Sendable {
  // Sendable: a semaphore is for all threads.
  private final class Semaphore {
    let value = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(value, 0, 0) }

    deinit {
      sem_destroy(value)
      value.deallocate()
    }
  }

  private let semaphore = Semaphore()

  func give() { sem_post(semaphore.value) }

  func take() { while sem_wait(semaphore.value) != 0 {} }
}
#endif
