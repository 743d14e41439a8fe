/// The decisions of running a command: what to do when something has changed, ended, or taken too long.
///
/// Pure: each input returns what is to be done, and the caller does it. One run at a time: a run begins when the group of
/// the one before has gone.
nonisolated struct RunnerMachine {
  /// What a change does while the command runs.
  enum Policy: String, CaseIterable {
    /// Stop the command, wait for its end, and run it again.
    case restart
    /// Run it again when it has ended by itself.
    case queue
    /// Nothing: changes during a run are forgotten.
    case ignore
    /// Send it the stop signal and nothing else: it reloads by itself.
    case signal
  }

  /// What follows when a group that is being stopped has gone.
  enum Continuation: Hashable {
    /// Wait for a change.
    case wait
    /// Run the command.
    case run
    /// End with this code.
    case finish(Int32)
  }

  /// Where a run is.
  enum State: Hashable {
    /// Nothing runs.
    case idle
    /// A run is due, but waits for `delay` to pass. `isOver`: it has passed, and what is unsettled is awaited.
    case waiting(isOver: Bool)
    /// The command runs. `again`: a change waits for its end.
    case running(again: Bool)
    /// The command has ended, but has left descendants behind in its group, a server perhaps. They live until the next
    /// run or the end.
    case lingering
    /// The group has been told to stop, and its end is awaited.
    case stopping(then: Continuation)
    /// All is over.
    case finished
  }

  /// What the caller is to do, in this order.
  enum Action: Hashable {
    /// Call `waited()` when the delay before a run has passed.
    case wait
    /// Start the command.
    case start
    /// Send the stop signal to the group, watch for its end, and call `timeout()` when it takes too long.
    case stop
    /// Send the stop signal to the group and nothing else.
    case signal
    /// Kill the group.
    case kill
    /// End with this code.
    case finish(Int32)
  }

  /// Where it is.
  private(set) var state = State.idle
  /// Whether the command runs and has not been told to stop.
  var isRunning: Bool { if case .running = state { true } else { false } }

  /// A burst of changes has begun and not settled yet: a run that is due waits for it, so that it need not be repeated.
  private var isUnsettled = false
  /// The current run was caused by a change, not by the start of the program.
  private var isCausedByChange = false
  private let policy: Policy
  private let endsAfterFirstRun: Bool
  private let delaysRuns: Bool

  /// Makes a machine. With `once` it finishes after the first run that a change caused, with that run's exit code. With
  /// `delaysRuns` a run that a change causes waits first.
  init(_ policy: Policy, once: Bool = false, delaysRuns: Bool = false) {
    self.policy = policy
    endsAfterFirstRun = once
    self.delaysRuns = delaysRuns
  }

  /// The first run, without a change.
  mutating func begin() -> [Action] {
    guard state == .idle else { return [] }
    state = .running(again: false)
    return [.start]
  }

  /// The first change of a burst.
  mutating func changesBegan() { isUnsettled = true }

  /// A burst of changes has settled.
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

  /// The delay before a run has passed. Changes in the meantime have not made it longer.
  mutating func waited() -> [Action] {
    guard case .waiting = state else { return [] }
    state = .waiting(isOver: true)
    return isUnsettled ? [] : start()
  }

  /// A run has taken all the time that it may take.
  mutating func tookTooLong() -> [Action] {
    guard case .running(let again) = state else { return [] }
    state = .stopping(then: endsAfterFirstRun && isCausedByChange ? .finish(124) : again ? .run : .wait)
    return [.stop]
  }

  /// The command has ended; `isGroupAlive` tells whether it has left descendants.
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

  /// A group that is being stopped has no member any more.
  mutating func groupGone() -> [Action] {
    guard case .stopping(let next) = state else { return [] }
    state = .idle
    return go(on: next)
  }

  /// Stopping takes too long.
  mutating func timeout() -> [Action] {
    if case .stopping = state { return [.kill] }
    return []
  }

  /// The program is to end with `code`. The second time the command is killed at once.
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
      // What is unsettled causes the run when it settles.
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
