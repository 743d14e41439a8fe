import EventLoops
import FileWatching
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// One run of `headwatch`: the streams of signals, file events and the command, put together and owned by one bag.
///
/// Ownership: WatchSession ===> bag ===> subscriptions, which refer to the session without owning it.
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
  /// Everything that is to be watched is not yet.
  private var isScanning = true
  /// Pauses or resumes what is printed.
  private var printing: (any Disposable)?
  /// Set when it is over.
  private var exitCode: Int32?
  /// What ends it. A hang-up does not if it is ignored already, as under nohup.
  private let signals: [Signal]

  /// Makes a session that does nothing before `run()`.
  init(_ options: Options) throws {
    self.options = options
    roots = try options.roots()
    filter = try options.filter(roots)
    signals = [.interrupt, .quit, .terminate] + (Self.ignoresHangup ? [] : [.hangup])
    console = Console(isQuiet: options.quiet, color: options.color)
    status = StatusLine(paths: roots.map { Escaping.forPeople($0.bytes[...]) })
  }

  /// Watches until it is over, and returns the exit code.
  func run() -> Int32 {
    openStandardDescriptors()
    // A reader that goes away is an error of the write, not the end of the process.
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

  /// Where the caller has closed a standard stream, nothing else may take its number.
  private func openStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
  }

  private func end(_ code: Int32) {
    if exitCode == nil { exitCode = code }
    Loop.main.stop()
  }

  /// Begins to listen to the user.
  private func observeUser() {
    isScanning = false
    observeSignals()
    if options.stdinQuit { observeStandardInput() }
    if options.readsKeys { observeKeys() }
  }

  // MARK: Signals

  /// While the tree is scanned, the loop does not run: a signal ends the process at once, with the code that it has later.
  private func endOnSignals() {
    for name in signals {
      _ = signal(name.rawValue) { number in
        // The progress goes. A string that is not static would be allocated, which a signal handler may not do.
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
        // The terminal has shown ^C or ^\.
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
    // The terminal sends no signals for Control-C, Control-\, and Control-Z while it gives each key.
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

  /// Nothing is read but the end.
  private func observeStandardInput() {
    Operation.standardInput
      .observe(next: { _ in }, termination: { [unowned self] _ in interrupt(0) })
      .dispose(in: bag)
  }

  /// Ends with `code`, after what runs.
  private func interrupt(_ code: Int32) { if let runner { runner.interrupt(code: code) } else { end(code) } }

  // MARK: File events

  /// The events that matter, as they happen.
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
    // What is reported before the subscription is there is what has been there before.
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
    // The status line is in the way of what is printed on the same terminal.
    if isatty(STDOUT_FILENO) != 0 { output.around = { [unowned self] in console.withoutStatusLine($0) } }
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
    // A reader that is slow makes the source wait; one that has gone ends it all.
    output.fullness
      .observe(
        next: { isFull in
          guard !isFull else { return subscription.pause() }
          // Later: what waits is sent at once, and may be more than fits.
          Queue.main.async { [unowned self] in if !output.isFull, !status.isPaused { subscription.resume() } }
        },
        termination: { [unowned self] in outputEnded($0.failure) }
      )
      .dispose(in: bag)
  }

  private func outputEnded(_ error: UVError?) {
    if let error { console.complain("\(error.path ?? "output"): \(error.message)") }
    end(error == nil ? 0 : 1)
  }

  // MARK: Running

  /// A command that runs elsewhere needs to know where the paths begin.
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
      // While it runs, the terminal is the command's.
      console.show(outcome == nil ? nil : status)
    }
    .dispose(in: bag)
    console.followSize(in: bag)

    // The watch stands before the first run: what changes from here on is seen.
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
