import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// One run of `headwatch`. It combines the streams of signals, file events, and the command, and owns them in one bag.
///
/// Ownership: WatchSession ===> bag ===> subscriptions, whose references to the session are unowned.
final class WatchSession {
  private let options: Options
  private let roots: [BytePath]
  private let filter: EventFilter
  private let ownOutput = OwnOutput()
  private var hasToldOfOutput = false
  private let console: Console
  private let bag = DisposeBag()
  private var runner: CommandRunner?
  private var output: OutputWriter?
  private let keys = SerialDisposable()
  private var status: StatusLine
  /// Whether the initial scan is in progress.
  private var isScanning = true
  /// The subscription to the printed changes, which can be paused.
  private var printing: (any Disposable)?
  /// The exit code, which is set when the session ends.
  private var exitCode: Int32?
  /// The signals that end the session. They do not include SIGHUP if it is already ignored, as under nohup.
  private let signals: [Signal]

  /// Creates a session, which watches nothing before `run()`. Reads the list of paths if standard input has one.
  init(_ options: Options) throws {
    self.options = options
    roots = try options.roots()
    filter = try options.filter(roots)
    signals = [.interrupt, .quit, .terminate] + (Self.ignoresHangup ? [] : [.hangup])
    console = Console(isQuiet: options.quiet, color: options.color)
    status = StatusLine(paths: roots.map { Escaping.forPeople($0.bytes[...]) })
  }

  /// Runs the session until it ends, and returns the exit code.
  func run() -> Int32 {
    openStandardDescriptors()
    // If the reader closes the pipe, the write fails. SIGPIPE must not end the process.
    _ = signal(SIGPIPE, SIG_IGN)
    for (name, value) in options.environment { setenv(name, value, 1) }
    endOnSignals()
    for file in options.ignoreFiles where access(file, R_OK) != 0 {
      console.complain("--ignore-file: \(file) cannot be read, so there are no rules from it until it can")
    }
    if options.commandLine.isEmpty { printChanges() } else { runCommand() }
    if exitCode == nil { Loop.main.run() }
    console.close()
    keys.dispose()
    output?.flush()
    bag.dispose()
    Loop.main.shutdown()
    return exitCode ?? 0
  }

  /// Opens /dev/null for each closed standard descriptor, so that no other file receives its number.
  private func openStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
  }

  private func end(_ code: Int32) {
    if exitCode == nil { exitCode = code }
    Loop.main.stop()
  }

  /// Starts to observe signals, standard input, and keys.
  private func observeUser() {
    isScanning = false
    observeSignals()
    if options.stdinQuit { observeStandardInput() }
    if options.readsKeys { observeKeys() }
  }

  // MARK: Signals

  /// Installs signal handlers for the initial scan, because the loop does not run during the scan. A signal ends the
  /// process immediately, with the same exit code as later.
  private func endOnSignals() {
    for name in signals {
      _ = signal(name.rawValue) { number in
        // Erases the progress. The string is static, because a signal handler must not allocate memory.
        let eraseLine: StaticString = "\r\u{1b}[K"
        if isatty(STDERR_FILENO) != 0 { _ = write(STDERR_FILENO, eraseLine.utf8Start, eraseLine.utf8CodeUnitCount) }
        _exit(128 + number)
      }
    }
  }

  private static var ignoresHangup: Bool {
    let old = signal(SIGHUP, SIG_IGN)
    _ = signal(SIGHUP, old)
    return unsafeBitCast(old, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private func observeSignals() {
    Operation.merge(signals.map { Operation<Signal, UVError>.signal($0) })
      .observeNext { [unowned self] signal in
        let code = 128 + signal.rawValue
        // The terminal has echoed ^C or ^\.
        if signal == .interrupt || signal == .quit { console.breakLine() }
        interrupt(code)
      }
      .dispose(in: bag)
  }

  // MARK: The terminal

  /// Reads keys, if this program is in the foreground of a terminal.
  private func observeKeys() {
    guard isatty(STDIN_FILENO) != 0, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
    status.hasKeys = true
    keys.inner = Operation<Bytes, UVError>.typing()
      .observe(next: { [unowned self] bytes in for key in bytes { pressed(key) } }, termination: { _ in })
  }

  private func pressed(_ key: UInt8) {
    switch key {
    // In the mode in which the terminal delivers each key, it sends no signals for Control-C, Control-\, and Control-Z.
    case 3: interrupt(130)
    case 28: interrupt(131)
    case 26:
      keys.inner = nil
      console.show(nil)
      _ = kill(0, SIGTSTP)
      observeKeys()
      if runner?.isRunning != true { console.show(status) }
    case UInt8(ascii: "q"): interrupt(0)
    case UInt8(ascii: "r"): runner?.runNow()
    case UInt8(ascii: "p"):
      status.isPaused.toggle()
      runner?.togglePause()
      if status.isPaused { printing?.pause() } else { printing?.resume() }
      if runner?.isRunning != true { console.show(status) }
    case UInt8(ascii: "?"), UInt8(ascii: "h"):
      let keys = runner == nil ? [] : ["r runs"]
      console.tell((keys + [status.isPaused ? "p goes on" : "p pauses", "q quits"]).joined(separator: ", "))
    default: break
    }
  }

  /// Ends the session when standard input ends, and discards the input.
  private func observeStandardInput() {
    Operation.standardInput
      .observe(next: { _ in }, termination: { [unowned self] _ in interrupt(0) })
      .dispose(in: bag)
  }

  /// Ends the session with `code`, after the command has been stopped.
  private func interrupt(_ code: Int32) { if let runner { runner.interrupt(code: code) } else { end(code) } }

  // MARK: File events

  /// The accepted events, as they happen.
  private var changes: Operation<FileEvent, FileWatchError> {
    var watching = options.watching
    watching.onNotice = { [unowned self] in console.complain("\($0)") }
    watching.onProgress = { [unowned self] count in
      guard isScanning else { return }
      var status = status
      status.scanned = count
      console.showProgress(status)
    }
    let filter = filter
    let events = Operation.fileEvents(at: roots, watching).filter { [unowned self] in !isOwnOutput($0) }
    guard options.comparesContent else { return events.filter(filter.admits) }
    let comparison = ContentComparison()
    // Events that are delivered before `observe` returns describe the files that exist at the start.
    return Operation { observer in
      var isThere = false
      let subscription = events.observe(
        next: { event in
          if !isThere {
            comparison.remember(event)
          } else if let change = comparison.change(event) {
            observer.next(change)
          }
        },
        termination: { observer.terminate($0) })
      isThere = true
      return subscription
    }.filter(filter.admits)
  }

  private func isOwnOutput(_ event: FileEvent) -> Bool {
    guard ownOutput.causes(event) else { return false }
    if !hasToldOfOutput {
      hasToldOfOutput = true
      let path = Escaping.forPeople(event.path.lastComponent.bytes[...])
      console.complain("the output goes to \(path), which is watched, so changes of \(path) are not reported")
    }
    return true
  }

  private func failed(_ error: FileWatchError) {
    console.complain("\(error)")
    interrupt(1)
  }

  // MARK: Printing

  private func printChanges() {
    let style: EventFormatter.Style =
      options.json
      ? .json : options.print0 ? .print0 : .human(isColoured: options.color.isColoured(on: STDOUT_FILENO))
    let output = OutputWriter(EventFormatter(style, hidesDot: options.paths.isEmpty))
    // On a terminal, the status line is erased before each write.
    let isTerminal = isatty(STDOUT_FILENO) != 0
    if isTerminal { output.around = { [unowned self] in console.withoutStatusLine($0) } }
    self.output = output
    let printed = PushStream<FileEvent>()
    printed.observeNext { output.append($0) }.dispose(in: bag)
    if options.once {
      printed.bursts(quiet: options.debounce, atMost: .seconds(1))
        .observeNext { [unowned self] burst in if case .settled = burst { end(0) } }
        .dispose(in: bag)
    }

    let subscription =
      changes
      .coalescingModifications(within: options.debounce)
      .observe(
        next: { printed.next($0) },
        termination: { [unowned self] in if let error = $0.failure { failed(error) } })
    subscription.dispose(in: bag)
    printing = subscription
    observeUser()
    console.followSize(in: bag)
    if exitCode == nil { console.show(status) }
    // If the reader is slow, the source is paused. If the reader closes the pipe, the session ends.
    output.fullness
      .observe(
        next: { isFull in
          guard !isFull else { return subscription.pause() }
          // Resumes later, because `resume()` delivers the pending events immediately, and they may fill the output
          // again.
          Queue.main.async { [unowned self] in if !output.isFull, !status.isPaused { subscription.resume() } }
        },
        // A terminal that goes away also sends SIGHUP, which may arrive later.
        termination: { [unowned self] in if isTerminal { end(128 + SIGHUP) } else { outputEnded($0.failure) } }
      )
      .dispose(in: bag)
  }

  private func outputEnded(_ error: UVError?) {
    if let error { console.complain("\(error.path ?? "output"): \(error.message)") }
    end(error == nil ? 0 : 1)
  }

  // MARK: Running

  /// The directory that is prepended to paths, because a command in another directory needs absolute paths.
  private var prefixForCommand: [UInt8] {
    guard options.workingDirectory != nil, let directory = getcwd(nil, 0) else { return [] }
    defer { free(directory) }
    let bytes = Array(UnsafeRawBufferPointer(start: directory, count: strlen(directory)))
    return bytes.last == UInt8(ascii: "/") ? bytes : bytes + [UInt8(ascii: "/")]
  }

  private func runCommand() {
    let runner = CommandRunner(
      options.runnerSettings, console,
      formatter: EventFormatter(.json, hidesDot: options.paths.isEmpty, prefix: prefixForCommand))
    self.runner = runner
    runner.finished.observeNext { [unowned self] code in end(code) }.dispose(in: bag)
    runner.outcome.observeNext { [unowned self] outcome in
      status.outcome = outcome
      // While the command runs, it uses the terminal.
      console.show(outcome == nil ? nil : status)
    }
    .dispose(in: bag)
    console.followSize(in: bag)

    // Watching starts before the first run, so no change after that is missed.
    changes
      .bursts(quiet: options.debounce, atMost: max(.seconds(1), options.debounce * 10))
      .observe(
        next: { runner.take($0) }, termination: { [unowned self] in if let error = $0.failure { failed(error) } }
      )
      .dispose(in: bag)
    observeUser()
    if exitCode != nil { return }
    if !options.postpone { runner.begin() }
    if !runner.isRunning { console.show(status) }
  }
}
