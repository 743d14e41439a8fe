import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A runner that runs commands after changes, one run at a time, and leaves no process behind.
///
/// `RunnerMachine` makes the decisions, and this class carries them out: it starts processes, sends signals, and
/// reports the results to the machine. A run may start several processes, one after the other.
///
/// Ownership: WatchSession ===> CommandRunner ===> the running process's handle, its exit, and its timers.
final class CommandRunner {
  /// The settings of a runner.
  struct Settings {
    /// The commands.
    var plan: RunPlan
    /// The effect of a change while the command runs.
    var policy = RunnerMachine.Policy.restart
    /// The signal that asks the command to exit.
    var stopSignal = Signal.terminate
    /// The signal to send after a change, if the policy is `signal`.
    var changeSignal = Signal.terminate
    /// The time from the stop signal until the command is killed.
    var stopTimeout = Duration.seconds(10)
    /// The maximum duration of a run, or nil for no limit.
    var runTimeout: Duration?
    /// The time to wait between a change and its run.
    var runDelay = Duration.zero
    /// Whether to finish after the first run that a change caused.
    var once = false
    /// Whether to clear the screen before each run.
    var clearsScreen = false
    /// Whether to print each command before it runs.
    var printsCommand = false
    /// The directory in which the commands run, or nil for the current directory.
    var directory: String?
    /// The standard input of the commands.
    var standardInput = Options.StandardInput.inherit
  }

  /// Emits the exit code of the program, and completes, when everything has been stopped.
  let finished = PushStream<Int32>()
  /// Emits nil when a run begins, and its outcome when it ends by itself.
  let outcome = PushStream<StatusLine.Outcome?>()

  private let settings: Settings
  private let console: Console
  private var machine: RunnerMachine
  /// The changes to pass to the next run.
  private var changes: ChangeSet
  /// The changes that were passed to the current run, until it ends by itself.
  private var inFlight: ChangeSet?
  private var changesFile: ChangesFile?
  /// Whether the user has paused the runner. Changes are only collected meanwhile.
  private(set) var isPaused = false
  /// Whether changes have settled during the pause.
  private var hasMissedChanges = false
  /// The rest of the current run: the commands of each list that have not been started.
  private var chains: [[RunPlan.Command]] = []
  /// The exit code of the first command of the run that failed, or 0.
  private var code: Int32 = 0
  /// The process groups that the current run has started and that may still have members.
  private var groups: [ProcessGroup] = []
  /// Whether the current run is being stopped. The end of a command then does not start the next one.
  private var isStopped = false
  private var startedAt = Duration.zero
  private var lastOutcome: StatusLine.Outcome?
  /// The wait for the end of the current process, or the delay before a run.
  private let run = SerialDisposable()
  /// The timer that ends a run after its maximum duration.
  private let limit = SerialDisposable()
  /// While groups are being stopped, the wait for their end and the timer that kills them.
  private let stopping = SerialDisposable()
  private var scheduler: any Scheduler { Loop.current.scheduler }

  /// Whether the command runs and is not being stopped.
  var isRunning: Bool { machine.isRunning }

  /// Creates a runner, which runs nothing yet. `formatter` formats the changes for the command.
  init(_ settings: Settings, _ console: Console, formatter: EventFormatter) {
    self.settings = settings
    self.console = console
    machine = RunnerMachine(settings.policy, once: settings.once, delaysRuns: settings.runDelay > .zero)
    changes = ChangeSet(formatter)
  }

  // MARK: Inputs

  /// Runs the command for the first time, without a change. Does nothing if the command needs a changed path.
  func begin() { if !settings.plan.needsPaths { perform(machine.begin()) } }

  /// Handles the beginning or the end of a burst of changes.
  func take(_ burst: Burst<FileEvent>) {
    switch burst {
    case .began:
      if !isPaused { machine.changesBegan() }
    case .settled(let events):
      changes.insert(events)
      console.tell(changes.summary)
      if isPaused {
        hasMissedChanges = true
        return
      }
      perform(machine.changesSettled())
    }
  }

  /// Acts as if something had changed. Prints a message instead if the command needs a changed path and there is none.
  func runNow() {
    if settings.plan.needsPaths, changes.count == 0 {
      console.tell("nothing has changed yet")
    } else {
      perform(machine.changesSettled())
    }
  }

  /// Pauses the runner, which then only collects changes, or resumes it, which runs the command for the collected
  /// changes.
  func togglePause() {
    isPaused.toggle()
    if isPaused || !hasMissedChanges { return }
    hasMissedChanges = false
    perform(machine.changesSettled())
  }

  /// Stops the command, and then finishes with `code`. The second call kills the command immediately.
  func interrupt(code: Int32) { perform(machine.interrupt(code: code)) }

  // MARK: Actions

  private func perform(_ actions: [RunnerMachine.Action]) {
    for action in actions {
      switch action {
      case .wait: waitForRun()
      case .start: start()
      case .stop: stop()
      case .signal: send(settings.changeSignal)
      case .kill: send(.kill)
      case .finish(let code): finish(code)
      }
    }
  }

  private func send(_ signal: Signal) { for group in groups { group.send(signal) } }

  private func waitForRun() {
    stopping.inner = nil
    // The user has requested the run, and nothing has changed, so there is nothing to wait for.
    if changes.count == 0 { return perform(machine.waited()) }
    run.inner = scheduler.schedule(after: settings.runDelay) { [unowned self] in perform(machine.waited()) }
  }

  private func start() {
    stopping.inner = nil
    isStopped = false
    groups = []
    outcome.next(nil)
    if settings.clearsScreen { console.clear() }
    let cannotTell = tellChanges()
    inFlight = changes
    chains = settings.plan.chains(for: changes.paths)
    changes.removeAll()
    code = 0
    if let timeout = settings.runTimeout {
      limit.inner = scheduler.schedule(after: timeout) { [unowned self] in
        console.tell("takes longer than \(DurationArgument.describe(timeout)): stopping it", isFailure: true)
        perform(machine.tookTooLong())
      }
    }
    if cannotTell {
      chains = []
      code = 126
    }
    startNext()
  }

  /// Describes the changes to the commands of the run. Returns whether their standard input is missing, so that they
  /// cannot run.
  private func tellChanges() -> Bool {
    if changes.hasOverflowed {
      console.complain("the command is told only of the first \(ChangeSet.bound) of the changed paths")
    }
    changesFile = nil
    do throws(UVError) {
      changesFile = try ChangesFile(changes, settings.standardInput)
      return false
    } catch {
      console.complain("cannot write the changes for the command to a temporary file: \(error.message)")
      let needsInput = ![.inherit, .null].contains(settings.standardInput)
      if needsInput { lastOutcome = StatusLine.Outcome(text: "cannot write the changes", isFailure: true) }
      return needsInput
    }
  }

  /// Starts the next command of the run. If there is none, ends the run.
  private func startNext() {
    chains.removeAll { $0.isEmpty }
    guard !chains.isEmpty else {
      limit.inner = nil
      inFlight = nil
      groups.removeAll { !$0.isAlive }
      if machine.isRunning { outcome.next(lastOutcome) }
      return perform(machine.ended(code: code, isGroupAlive: !groups.isEmpty))
    }
    let words = chains[0].removeFirst()
    var command = ProcessCommand(String(decoding: words[0], as: UTF8.self), directory: settings.directory)
    command.argumentBytes = Array(words.dropFirst())
    if String(validating: words[0], as: UTF8.self) == nil {
      // The name of a program is a string, but an argument of the shell is not.
      command.program = "sh"
      command.argumentBytes = ["-c", "exec \"$@\"", "sh"].map { Array($0.utf8) } + words
    }
    command.ownGroup = true
    let input = changesFile?.openInput()
    switch settings.standardInput {
    case .inherit: break
    case .null: command.input = .null
    case .paths, .print0, .json: command.input = input.map { .descriptor($0) } ?? .null
    }
    defer { if let input { close(input) } }
    let text = Escaping.shellWords(words.map { String(decoding: $0, as: UTF8.self) })
    if settings.printsCommand { console.note("+ \(text)") }
    console.tell("running: \(text)")
    startedAt = scheduler.now
    do throws(UVError) {
      let process = try ProcessHandle(command)
      groups.append(ProcessGroup(id: process.pid))
      run.inner = process.exit.observeNext { [unowned self] status in didEnd(status) }
    } catch {
      let program = Escaping.forPeople(words[0][...])
      // Either the program or the directory may be missing.
      let place = settings.directory.map { " in \($0)" } ?? ""
      console.complain("cannot run \(program)\(place): \(error.message)")
      lastOutcome = StatusLine.Outcome(text: "cannot run \(program)", isFailure: true)
      commandEnded(error.name == "ENOENT" ? 127 : 126)
    }
  }

  private func didEnd(_ status: ProcessExit) {
    let text =
      switch status {
      case .exited(let code): "exited \(code)"
      case .signalled(let signal): "ended by \(signal)"
      }
    let result = "\(text) after \(DurationArgument.describe(scheduler.now - startedAt))"
    let isFailure = status != .exited(0) && !isStopped
    console.tell(result, isFailure: isFailure)
    lastOutcome = StatusLine.Outcome(text: result, isFailure: isFailure)
    if isStopped {
      inFlight = nil
      perform(machine.ended(code: status.shellCode, isGroupAlive: groups.contains(where: \.isAlive)))
      didStop()
    } else {
      commandEnded(status.shellCode)
    }
  }

  /// Continues the run after a command has ended. A failed command ends its list, but the other lists are still run.
  private func commandEnded(_ status: Int32) {
    if status != 0 {
      if code == 0 { code = status }
      chains.removeFirst()
    }
    startNext()
  }

  /// Sends the stop signal to the groups, and waits for their end. Also continues suspended processes, so that they
  /// handle the signal.
  private func stop() {
    isStopped = true
    limit.inner = nil
    chains = []
    // A stopped run has not done its work, so the next run receives its changes, too.
    if var earlier = inFlight.take() {
      earlier.insert(changes.events)
      changes = earlier
    }
    if groups.isEmpty {
      run.inner = nil
      return perform(machine.groupGone())
    }
    send(settings.stopSignal)
    if settings.stopSignal != .kill { send(.continue) }
    let timeout = scheduler.schedule(after: settings.stopTimeout) { [unowned self] in
      console.tell("still there after \(DurationArgument.describe(settings.stopTimeout)): killing it")
      perform(machine.timeout())
    }
    let end = ProcessGroup.end(of: groups).observeCompleted { [unowned self] in
      groups = []
      perform(machine.groupGone())
      didStop()
    }
    stopping.inner = CompositeDisposable([end, timeout])
  }

  /// If nothing runs next, ends the wait for the groups, and sends the outcome of the run.
  private func didStop() {
    if machine.state != .idle { return }
    stopping.inner = nil
    outcome.next(lastOutcome)
  }

  private func finish(_ code: Int32) {
    stopping.inner = nil
    run.inner = nil
    changesFile = nil
    finished.next(code)
    finished.completed()
  }
}
