/// A state machine that decides when to start, stop, and signal a command.
///
/// It has no side effects: each input returns actions, and the caller performs them. There is one run at a time. A run
/// begins after the process group of the previous run has ended.
nonisolated struct RunnerMachine {
  /// The effect of a change while the command runs.
  enum Policy: String, CaseIterable {
    /// Stop the command, wait for its end, and run it again.
    case restart
    /// Run the command again after it has ended by itself.
    case queue
    /// Do nothing: a change during a run causes no run.
    case ignore
    /// Send a signal and do nothing else. The command reloads by itself.
    case signal
  }

  /// The step that follows when a group that is being stopped has ended.
  enum Continuation: Hashable {
    /// Wait for a change.
    case wait
    /// Run the command.
    case run
    /// End with this code.
    case finish(Int32)
  }

  /// The state of the machine.
  enum State: Hashable {
    /// Nothing runs.
    case idle
    /// A run is due, but waits for its delay. If `isOver` is true, the delay has passed, and the run waits for a burst
    /// to settle.
    case waiting(isOver: Bool)
    /// The command runs. If `again` is true, it runs again after its end.
    case running(again: Bool)
    /// The command has ended, but has left descendants in its group, for example a server. They run until the next run
    /// or the end.
    case lingering
    /// The group has been asked to exit, and the machine waits for its end.
    case stopping(then: Continuation)
    /// The machine has finished.
    case finished
  }

  /// An action of the caller. Actions are performed in order.
  enum Action: Hashable {
    /// Call `waited()` after the delay before a run.
    case wait
    /// Start the command.
    case start
    /// Send the stop signal to the group, wait for its end, and then call `groupGone()`. Call `timeout()` if that takes
    /// too long.
    case stop
    /// Send the signal for changes to the group, and do nothing else.
    case signal
    /// Kill the group.
    case kill
    /// End with this code.
    case finish(Int32)
  }

  /// The current state.
  private(set) var state = State.idle
  /// Whether the command runs and has not been asked to exit.
  var isRunning: Bool { if case .running = state { true } else { false } }

  /// Whether a burst of changes has begun and not settled. A run that is due waits for it, so that it need not be
  /// repeated.
  private var isUnsettled = false
  /// Whether a change caused the current run, and not the start of the program.
  private var isCausedByChange = false
  private let policy: Policy
  private let endsAfterFirstRun: Bool
  private let delaysRuns: Bool

  /// Creates a machine. If `once` is true, it finishes after the first run that a change caused, with the exit code of
  /// that run. If `delaysRuns` is true, a run that a change causes is delayed.
  init(_ policy: Policy, once: Bool = false, delaysRuns: Bool = false) {
    self.policy = policy
    endsAfterFirstRun = once
    self.delaysRuns = delaysRuns
  }

  /// Begins the first run, without a change.
  mutating func begin() -> [Action] {
    guard state == .idle else { return [] }
    state = .running(again: false)
    return [.start]
  }

  /// Handles the first change of a burst.
  mutating func changesBegan() { isUnsettled = true }

  /// Handles the end of a burst of changes.
  mutating func changesSettled() -> [Action] {
    isUnsettled = false
    switch state {
    case .idle:
      return run()
    case .lingering:
      state = .stopping(then: .run)
      return [.stop]
    case .running(let again):
      switch policy {
      case .restart:
        state = .stopping(then: .run)
        return [.stop]
      case .queue:
        state = .running(again: true)
        return []
      case .ignore:
        return []
      case .signal:
        state = .running(again: again)
        return [.signal]
      }
    case .waiting(let isOver):
      return isOver ? start() : []
    case .stopping(.wait):
      state = .stopping(then: .run)
      return []
    case .stopping(.run), .stopping(.finish), .finished:
      return []
    }
  }

  /// Handles the end of the delay before a run. Changes during the delay do not extend it.
  mutating func waited() -> [Action] {
    guard case .waiting = state else { return [] }
    state = .waiting(isOver: true)
    return isUnsettled ? [] : start()
  }

  /// Handles a run that has reached its maximum duration.
  mutating func tookTooLong() -> [Action] {
    guard case .running(let again) = state else { return [] }
    state = .stopping(then: endsAfterFirstRun && isCausedByChange ? .finish(124) : again ? .run : .wait)
    return [.stop]
  }

  /// Handles the end of the command. `isGroupAlive` is true if the command has left descendants.
  mutating func ended(code: Int32, isGroupAlive: Bool) -> [Action] {
    switch state {
    case .running(let again):
      let next: Continuation = endsAfterFirstRun && isCausedByChange ? .finish(code) : again ? .run : .wait
      if isGroupAlive, next != .wait {
        state = .stopping(then: next)
        return [.stop]
      }
      state = isGroupAlive ? .lingering : .idle
      return isGroupAlive ? [] : go(on: next)
    case .stopping:
      return isGroupAlive ? [] : groupGone()
    case .idle, .waiting, .lingering, .finished:
      return []
    }
  }

  /// Handles the end of a group that is being stopped.
  mutating func groupGone() -> [Action] {
    guard case .stopping(let next) = state else { return [] }
    state = .idle
    return go(on: next)
  }

  /// Handles a group that takes too long to end.
  mutating func timeout() -> [Action] {
    if case .stopping = state { return [.kill] }
    return []
  }

  /// Finishes with `code`, after the command has been stopped. The second call kills the command immediately.
  mutating func interrupt(code: Int32) -> [Action] {
    switch state {
    case .idle, .waiting:
      return go(on: .finish(code))
    case .running, .lingering:
      state = .stopping(then: .finish(code))
      return [.stop]
    case .stopping(.finish):
      return [.kill]
    case .stopping:
      state = .stopping(then: .finish(code))
      return []
    case .finished:
      return []
    }
  }

  private mutating func go(on next: Continuation) -> [Action] {
    switch next {
    case .wait:
      return []
    case .run:
      // The unsettled burst causes the run when it settles.
      return isUnsettled ? [] : run()
    case .finish(let code):
      state = .finished
      return [.finish(code)]
    }
  }

  private mutating func run() -> [Action] {
    isCausedByChange = true
    guard delaysRuns else { return start() }
    state = .waiting(isOver: false)
    return [.wait]
  }

  private mutating func start() -> [Action] {
    state = .running(again: false)
    return [.start]
  }
}
