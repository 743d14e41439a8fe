/// A scheduler for an actor that has no loop, over `Task.sleep`.
///
/// Each pending deadline is a task: some microseconds and about 1 KiB each. A loop's scheduler is two orders of magnitude
/// cheaper.
public final class ActorScheduler: Scheduler {
  // What the actor owns may wait for a deadline; neither it nor a task that sleeps keeps the actor alive.
  private let isolation: WeakActor
  private let origin = ContinuousClock.now

  /// Makes a scheduler that calls back in the caller's isolation.
  public init(isolation: (any Actor)? = #isolation) {
    guard let isolation else {
      misuse(
        "An ActorScheduler is made in an actor or on the main actor: it calls back in the isolation that makes it.")
    }
    self.isolation = WeakActor(isolation)
  }

  /// The time since the scheduler was made.
  public var now: Duration { ContinuousClock.now - origin }

  /// See `Scheduler`.
  public func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Disposable {
    let entry = Entry(action)
    let transfer = Transfer(entry)
    let instant = origin + deadline
    let sleeper = Sleeper(isolation: isolation)
    entry.task = Task { await sleeper.run(transfer, at: instant) }
    return entry
  }

  private struct Sleeper: Sendable {
    let isolation: WeakActor

    func run(_ entry: Transfer<Entry>, at instant: ContinuousClock.Instant) async {
      try? await ContinuousClock().sleep(until: instant)
      if let actor = isolation.actor { await fire(entry, actor) }
    }

    private func fire(_ entry: Transfer<Entry>, _ actor: isolated any Actor) { entry.value.fire() }
  }

  private final class Entry: Disposable {
    var action: (() -> Void)?
    var task: Task<Void, Never>?

    init(_ action: @escaping () -> Void) { self.action = action }

    var isDisposed: Bool { action == nil }

    func fire() { action.take()?() }

    func dispose() {
      action = nil
      task?.cancel()
    }
  }
}

@available(*, unavailable)
extension ActorScheduler: Sendable {}
