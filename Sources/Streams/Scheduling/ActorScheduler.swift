/// A scheduler for an actor without a loop, based on `Task.sleep`.
///
/// ```swift
/// actor Sensor {
///   let bag = DisposeBag()
///   func start() {
///     Stream.interval(.seconds(1), on: ActorScheduler()).observeNext { print($0) }.dispose(in: bag)
///   }
/// }
/// ```
///
/// Make it in a method of the actor. A synchronous initializer of an actor and the default values of its stored properties are not
/// isolated, so `actor P { let clock = ActorScheduler() }` traps.
///
/// - Complexity: One task for each pending deadline: some microseconds and about 1 KiB. The scheduler of a loop is about 100 times
///   faster.
public final class ActorScheduler: Scheduler {
  // Weak, so that neither the scheduler nor a sleeping task retains the actor.
  private let isolation: WeakActor
  private let origin = ContinuousClock.now
  // Retained by the sleeping tasks, one for each deadline, because the pending actions can retain the scheduler.
  private weak var deadlines: DeadlineQueue?

  /// Creates a scheduler that calls back in the caller's isolation. Traps if the caller has none.
  public init(isolation: (any Actor)? = #isolation) {
    guard let isolation else {
      misuse(
        "An ActorScheduler is made in an actor or on the main actor: it calls back in the isolation that makes it.")
    }
    self.isolation = WeakActor(isolation)
  }

  /// The time since the creation of the scheduler.
  public var now: Duration { ContinuousClock.now - origin }

  /// Calls `action` once in the actor's isolation, not before `deadline`. Disposing the result cancels the call.
  public func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Disposable {
    let deadlines = self.deadlines ?? DeadlineQueue()
    self.deadlines = deadlines
    let entry = deadlines.add(deadline, action)
    let sleeper = Sleeper(isolation, origin, deadlines)
    return Pending(entry, Task { await sleeper.run(until: deadline) })
  }

  /// The task of one deadline. It serves all due deadlines, because tasks do not wake up in the order of their deadlines.
  private final class Sleeper: @unchecked Sendable {
    // Sendable: the deadlines are used and released only in the actor's isolation.
    private let isolation: WeakActor
    private let origin: ContinuousClock.Instant
    private var deadlines: DeadlineQueue?

    init(_ isolation: WeakActor, _ origin: ContinuousClock.Instant, _ deadlines: DeadlineQueue) {
      self.isolation = isolation
      self.origin = origin
      self.deadlines = deadlines
    }

    func run(until deadline: Duration) async {
      // The clock traps for an instant beyond about 300 billion years.
      try? await ContinuousClock().sleep(until: origin + min(max(deadline, .zero), .seconds(Int64.max / 2)))
      if let actor = isolation.actor { await serve(deadline, actor) }
    }

    private func serve(_ deadline: Duration, _ actor: isolated any Actor) {
      guard let deadlines = deadlines.take(), !Task.isCancelled else { return }
      let time = max(deadline, ContinuousClock.now - origin)
      // Deadlines that are added from here on have their own tasks.
      let end = deadlines.mark
      while let action = deadlines.popDue(at: time, addedBefore: end) { action() }
    }
  }

  private final class Pending: Disposable {
    private let entry: DeadlineQueue.Entry
    private let task: Task<Void, Never>

    init(_ entry: DeadlineQueue.Entry, _ task: Task<Void, Never>) {
      self.entry = entry
      self.task = task
    }

    var isDisposed: Bool { entry.isDisposed }

    func dispose() {
      entry.dispose()
      task.cancel()
    }
  }
}

@available(*, unavailable)
extension ActorScheduler: Sendable {}
