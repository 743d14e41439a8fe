import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Which commands are restarted when they end.
nonisolated enum Restart: String {
  case always
  case failed
  case never
}

/// The rules for restarting a command.
nonisolated struct RestartPolicy {
  var restart: Restart
  var delay: Duration
  var maxDelay: Duration
  /// A run of at least this length is healthy: it resets the count of runs in a row.
  var healthy: Duration
  var tries: Int

  /// Returns the delay before the restart of a command that has ended with `exit`, for the `count`th time in a row. Returns
  /// nil if it has ended for good.
  func delay(after exit: ProcessExit, count: Int) -> Duration? {
    if restart == .never || restart == .failed && exit == .exited(0) || count > tries { return nil }
    var delay = delay
    for _ in 1..<count where delay < maxDelay { delay *= 2 }
    return min(delay, maxDelay)
  }
}

/// A command that is kept running.
///
/// Ownership: Service ===> bag ===> subscriptions, which refer to the service without owning it.
final class Service {
  /// Sends one element, the exit code, when the command has ended for good. Sends none if it is stopped between two runs.
  let ended = PushStream<Int32>()
  private let command: ProcessCommand
  private let label: String
  private let policy: RestartPolicy
  private let bag = DisposeBag()
  private var process: ProcessHandle?
  /// The number of runs in a row that have ended. A healthy run resets it to 1.
  private var count = 0
  private var isStopping = false
  private var wasKilled = false

  /// Creates a service for each line, `COMMAND` or `NAME: COMMAND`. Pads their names to the same width.
  static func all(_ lines: [String], _ policy: RestartPolicy) -> [Service] {
    let named = lines.map { line in
      if let parts = line.prefixMatch(of: /([\w-]+):\s+/) {
        return (String(parts.1), String(line[parts.range.upperBound...]))
      }
      let program = line.split(separator: " ").first ?? "?"
      return (String(program.split(separator: "/").last ?? program), line)
    }
    let width = named.map(\.0.count).max() ?? 0
    return named.map { name, line in
      Service(line, name + String(repeating: " ", count: width - name.count), policy)
    }
  }

  private init(_ line: String, _ label: String, _ policy: RestartPolicy) {
    self.label = label
    self.policy = policy
    var command = ProcessCommand("/bin/sh", ["-c", line])
    command.input = .null
    command.output = .pipe
    command.errorOutput = .pipe
    command.ownGroup = true
    self.command = command
  }

  func start() {
    do throws(UVError) {
      follow(try ProcessHandle(command))
    } catch {
      // The shell reports wrong commands. This error means that the shell cannot start, so a restart would not help.
      note("cannot be started: \(error)")
      ended.next(126)
    }
  }

  /// Prints the output of a run, and handles its end.
  private func follow(_ process: ProcessHandle) {
    self.process = process
    let start = Loop.main.now
    note("runs as process \(process.pid)")
    // Processes that the command leaves in its group are terminated.
    process.exit.observeNext { _ in try? process.killGroup() }.dispose(in: bag)
    // A run is over when the process has ended and its output has been read. A descendant that has left the group may keep
    // the pipes open, so reading stops one second after the process has ended.
    lines(of: process.output, to: STDOUT_FILENO)
      .merge(with: lines(of: process.errorOutput, to: STDERR_FILENO))
      .take(until: process.exit.delay(for: .seconds(1)))
      .doOn(disposed: {
        process.output?.dispose()
        process.errorOutput?.dispose()
      })
      .then(process.exit)
      .observeNext { [unowned self] exit in didEnd(exit, after: Loop.main.now - start) }
      .dispose(in: bag)
  }

  /// Prints each line of `pipe`. A line of more than 64 KiB is printed in pieces.
  private func lines(of pipe: PipeHandle?, to descriptor: Int32) -> Stream<Void> {
    guard let pipe else { return .completed() }
    return pipe.bytes.toStream(logError: false)
      .lines(cutAt: 65_536)
      .map { [unowned self] line in put("\(label) | \(line)", to: descriptor) }
  }

  private func didEnd(_ exit: ProcessExit, after duration: Duration) {
    process = nil
    bag.dispose()
    count = duration >= policy.healthy ? 1 : count + 1
    let delay = isStopping ? nil : policy.delay(after: exit, count: count)
    switch exit {
    case .exited(let code): note("has ended with \(code)\(delay.map { ", starts again in \($0)" } ?? "")")
    case .signalled(let signal): note("was ended by \(signal)\(delay.map { ", starts again in \($0)" } ?? "")")
    }
    guard let delay else { return ended.next(isStopping ? (wasKilled ? exit.shellCode : 0) : exit.shellCode) }
    Stream.timer((), after: delay).observeNext { [unowned self] in start() }.dispose(in: bag)
  }

  // MARK: Stopping

  /// Terminates the command, and kills it if it has not ended after `grace`. It is not restarted.
  func stop(within grace: Duration) {
    isStopping = true
    guard let process else { return bag.dispose() }
    try? process.killGroup()
    Stream.timer((), after: grace).observeNext { [unowned self] in kill() }.dispose(in: bag)
  }

  /// Kills the command, if it still runs, and all processes that have stayed in its group.
  func kill() {
    guard let process, process.status == nil else { return }
    wasKilled = true
    try? process.killGroup(.kill)
  }

  // MARK: Printing

  /// Writes a message about the service to standard error.
  private func note(_ text: String) { put("\(label) * \(text)", to: STDERR_FILENO) }

  /// Writes a line. Blocks while the reader is slow. No pipe is read meanwhile, so the commands are slowed down, too.
  private func put(_ line: String, to descriptor: Int32) {
    var line = line + "\n"
    line.withUTF8 { text in
      var start = 0
      while start < text.count {
        let count = write(descriptor, text.baseAddress! + start, text.count - start)
        // For example, there is no reader, or the disk is full. The line is dropped, and the commands continue.
        if count < 0, errno != EINTR { return }
        start += max(0, count)
      }
    }
  }
}
