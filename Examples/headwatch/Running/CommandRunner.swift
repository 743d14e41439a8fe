import EventLoops
import FileWatching
import Streams

/// Runs a command when told that something has changed, one run at a time, and leaves no process behind.
///
/// `RunnerMachine` decides, and this class does it: it starts processes, sends signals, and feeds what happens back into
/// the machine.
///
/// Ownership: WatchSession ===> CommandRunner ===> the running process's handle, its exit and its timers.
final class CommandRunner {
  /// What to run and how to stop it.
  struct Settings {
    /// The program and its arguments.
    var command: [String]
    /// What a change does while the command runs.
    var policy = RunnerMachine.Policy.restart
    /// The polite request to end.
    var stopSignal = Signal.terminate
    /// How long it may take to end after that.
    var stopTimeout = Duration.seconds(10)
    /// Finish after the first run that a change caused.
    var once = false
    /// Clear the screen before each run.
    var clearsScreen = false
  }

  /// The exit code with which the program is to end: one element, when everything has been stopped.
  let finished = PushStream<Int32>()

  private let settings: Settings
  private let console: Console
  private var machine: RunnerMachine
  /// What the next run is told about.
  private var changes: ChangeSet
  /// What the current run was told about, until it has ended by itself.
  private var inFlight: ChangeSet?
  private var changesFile: ChangesFile?
  private var group: ProcessGroup?
  private var startedAt = Duration.zero
  /// The current process and what waits for its end.
  private let run = SerialDisposable()
  /// While a group is being stopped: the wait for its end, and for the time to kill it.
  private let stopping = SerialDisposable()
  private var scheduler: any Scheduler { Loop.current.scheduler }

  /// Makes a runner that runs nothing yet. `formatter` writes the changes for the command.
  init(_ settings: Settings, _ console: Console, formatter: EventFormatter) {
    self.settings = settings
    self.console = console
    machine = RunnerMachine(settings.policy, once: settings.once)
    changes = ChangeSet(formatter)
  }

  // MARK: Inputs

  /// Runs the command for the first time, without a change.
  func begin() { perform(machine.begin()) }

  /// Takes the beginning or the end of a burst of changes.
  func take(_ burst: Burst<FileEvent>) {
    switch burst {
    case .began:
      machine.changesBegan()
    case .settled(let events):
      changes.insert(events)
      console.status(changes.summary)
      perform(machine.changesSettled())
    }
  }

  /// Stops the command and then finishes with `code`; the second time the command is killed at once.
  func interrupt(code: Int32) { perform(machine.interrupt(code: code)) }

  // MARK: Actions

  private func perform(_ actions: [RunnerMachine.Action]) {
    for action in actions {
      switch action {
      case .start: start()
      case .stop: stop()
      case .signal: send(settings.stopSignal)
      case .kill: group?.send(.kill)
      case .finish(let code): finish(code)
      }
    }
  }

  private func start() {
    stopping.inner = nil
    if settings.clearsScreen { console.clear() }
    changesFile = ChangesFile(changes)
    inFlight = changes
    changes.removeAll()
    var command = ProcessCommand(settings.command[0], Array(settings.command.dropFirst()))
    command.ownGroup = true
    console.status("running: \(Escaping.shellWords(settings.command))")
    startedAt = scheduler.now
    do throws(UVError) {
      let process = try ProcessHandle(command)
      group = ProcessGroup(id: process.pid)
      run.inner = process.exit.observeNext { [unowned self] status in didEnd(status) }
    } catch {
      group = nil
      console.complain("cannot run \(settings.command[0]): \(error.message)")
      perform(machine.startFailed(code: error.name == "ENOENT" ? 127 : 126))
    }
  }

  private func didEnd(_ status: ProcessExit) {
    let outcome =
      switch status {
      case .exited(let code): "exited \(code)"
      case .signalled(let signal): "ended by \(signal)"
      }
    let isStopped = stopping.inner != nil
    inFlight = nil
    console.status(
      "\(outcome) after \(DurationArgument.describe(scheduler.now - startedAt))",
      isFailure: status != .exited(0) && !isStopped)
    perform(machine.ended(code: status.shellCode, isGroupAlive: group?.isAlive ?? false))
  }

  /// The group is asked to end. What waits for its end starts here; a process that is stopped is woken to hear the request.
  private func stop() {
    guard let group else { return perform(machine.groupGone()) }
    // A run that is stopped has not done its work: the next one is told about its changes as well.
    if var earlier = inFlight.take() {
      earlier.insert(changes.events)
      changes = earlier
    }
    send(settings.stopSignal)
    if settings.stopSignal != .kill { group.send(.continue) }
    let timeout = scheduler.schedule(after: settings.stopTimeout) { [unowned self] in
      console.status("still there after \(DurationArgument.describe(settings.stopTimeout)): killing it")
      perform(machine.timeout())
    }
    let end = group.end().observeCompleted { [unowned self] in
      self.group = nil
      perform(machine.groupGone())
    }
    stopping.inner = CompositeDisposable([end, timeout])
  }

  private func send(_ signal: Signal) { group?.send(signal) }

  private func finish(_ code: Int32) {
    stopping.inner = nil
    changesFile = nil
    finished.next(code)
    finished.completed()
  }
}
