import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs commands when told that something has changed, one run at a time, and leaves no process behind.
///
/// `RunnerMachine` decides, and this class does it: it starts processes, sends signals, and feeds what happens back into
/// the machine. A run may start several processes, one after the other.
///
/// Ownership: WatchSession ===> CommandRunner ===> the running process's handle, its exit and its timers.
final class CommandRunner {
  /// What to run and how to stop it.
  struct Settings {
    /// The commands.
    var plan: RunPlan
    /// What a change does while the command runs.
    var policy = RunnerMachine.Policy.restart
    /// The polite request to end.
    var stopSignal = Signal.terminate
    /// What tells the command of a change, if the policy is to send a signal.
    var changeSignal = Signal.terminate
    /// How long it may take to end after the request.
    var stopTimeout = Duration.seconds(10)
    /// How long a run may take.
    var runTimeout: Duration?
    /// How long to wait between a change and the run.
    var runDelay = Duration.zero
    /// Finish after the first run that a change caused.
    var once = false
    /// Clear the screen before each run.
    var clearsScreen = false
    /// Print each command.
    var printsCommand = false
    /// Where the commands run; nil for where the program does.
    var directory: String?
    /// What the commands read.
    var standardInput = Options.StandardInput.inherit
  }

  /// The exit code with which the program is to end: one element, when everything has been stopped.
  let finished = PushStream<Int32>()
  /// How the last run has ended; nil while one is going on.
  let outcome = PushStream<StatusLine.Outcome?>()

  private let settings: Settings
  private let console: Console
  private var machine: RunnerMachine
  /// What the next run is told about.
  private var changes: ChangeSet
  /// What the current run was told about, until it has ended by itself.
  private var inFlight: ChangeSet?
  private var changesFile: ChangesFile?
  /// Changes have no effect until it ends.
  private(set) var isPaused = false
  /// Changes have settled meanwhile.
  private var hasMissedChanges = false
  /// What is left of the current run: of each list, the commands that have not been started.
  private var chains: [[RunPlan.Command]] = []
  /// The exit code of the first command of the run that has failed, or 0.
  private var code: Int32 = 0
  /// The groups that the current run has started and that may still have members.
  private var groups: [ProcessGroup] = []
  /// Whether the current run has been told to stop: what ends now starts nothing.
  private var isStopped = false
  private var startedAt = Duration.zero
  private var lastOutcome: StatusLine.Outcome?
  /// The current process and what waits for its end, or the wait before a run.
  private let run = SerialDisposable()
  /// The end of the time that a run may take.
  private let limit = SerialDisposable()
  /// While groups are being stopped: the wait for their end, and for the time to kill them.
  private let stopping = SerialDisposable()
  private var scheduler: any Scheduler { Loop.current.scheduler }

  /// Whether a command has the terminal.
  var isRunning: Bool { machine.isRunning }

  /// Makes a runner that runs nothing yet. `formatter` writes the changes for the command.
  init(_ settings: Settings, _ console: Console, formatter: EventFormatter) {
    self.settings = settings
    self.console = console
    machine = RunnerMachine(settings.policy, once: settings.once, delaysRuns: settings.runDelay > .zero)
    changes = ChangeSet(formatter)
  }

  // MARK: Inputs

  /// Runs the command for the first time, without a change, if it can be run without.
  func begin() { if !settings.plan.needsPaths { perform(machine.begin()) } }

  /// Takes the beginning or the end of a burst of changes.
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

  /// Does what a change would do.
  func runNow() {
    if settings.plan.needsPaths, changes.count == 0 {
      console.tell("nothing has changed yet")
    } else {
      perform(machine.changesSettled())
    }
  }

  /// Collects changes without acting upon them, or acts upon what has been collected.
  func togglePause() {
    isPaused.toggle()
    if isPaused || !hasMissedChanges { return }
    hasMissedChanges = false
    perform(machine.changesSettled())
  }

  /// Stops the command and then finishes with `code`; the second time the command is killed at once.
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
    // The user has asked for the run, and nothing has changed.
    if changes.count == 0 { return perform(machine.waited()) }
    run.inner = scheduler.schedule(after: settings.runDelay) { [unowned self] in perform(machine.waited()) }
  }

  private func start() {
    stopping.inner = nil
    isStopped = false
    groups = []
    outcome.next(nil)
    if settings.clearsScreen { console.clear() }
    changesFile = ChangesFile(changes, settings.standardInput)
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
    startNext()
  }

  /// Starts the next command of the run. When there is none, the run is over.
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
    let program = String(decoding: words[0], as: UTF8.self)
    var command = ProcessCommand(program, directory: settings.directory)
    command.argumentBytes = Array(words.dropFirst())
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
      // Either of the two may be what is missing.
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
    } else {
      commandEnded(status.shellCode)
    }
  }

  /// A command that fails ends its list; the others are run all the same.
  private func commandEnded(_ status: Int32) {
    if status != 0 {
      if code == 0 { code = status }
      chains.removeFirst()
    }
    startNext()
  }

  /// The groups are asked to end. What waits for their end starts here; a process that is stopped is woken to hear the
  /// request.
  private func stop() {
    isStopped = true
    limit.inner = nil
    chains = []
    // A run that is stopped has not done its work: the next one is told about its changes as well.
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
    }
    stopping.inner = CompositeDisposable([end, timeout])
  }

  private func finish(_ code: Int32) {
    stopping.inner = nil
    run.inner = nil
    changesFile = nil
    finished.next(code)
    finished.completed()
  }
}
