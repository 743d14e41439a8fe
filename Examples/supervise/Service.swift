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
  /// The wait for the end of the process group while the service is being stopped, and the timer that kills the group.
  private let stopping = DisposeBag()
  private var process: ProcessHandle?
  /// The number of runs in a row that have ended. A healthy run resets it to 1.
  private var count = 0
  private var isStopping = false

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
    bag.dispose()
    count = duration >= policy.healthy ? 1 : count + 1
    let delay = isStopping ? nil : policy.delay(after: exit, count: count)
    switch exit {
    case .exited(let code): note("has ended with \(code)\(delay.map { ", starts again in \($0)" } ?? "")")
    case .signalled(let signal): note("was ended by \(signal)\(delay.map { ", starts again in \($0)" } ?? "")")
    }
    if isStopping { return waitForGroup(exit) }
    process = nil
    guard let delay else { return ended.next(exit.shellCode) }
    Stream.timer((), after: delay).observeNext { [unowned self] in start() }.dispose(in: bag)
  }

  // MARK: Stopping

  /// Sends the exit code when the last process of the group has ended. The system does not report that, so this checks it.
  private func waitForGroup(_ exit: ProcessExit) {
    Stream.interval(.milliseconds(20)).map { _ in }.start(with: ())
      .filter { [unowned self] in process.map { !isRunning(group: $0.pid) } ?? true }
      .take(1)
      .observeNext { [unowned self] in
        process = nil
        stopping.dispose()
        // However a stopped command ends, this is a success, unless it had to be killed itself.
        ended.next(exit == .signalled(.kill) ? exit.shellCode : 0)
      }
      .dispose(in: stopping)
  }

  /// Terminates the command, and kills it if it has not ended after `grace`. It is not restarted.
  func stop(within grace: Duration) {
    isStopping = true
    guard let process else { return bag.dispose() }
    try? process.killGroup()
    Stream.timer((), after: grace).observeNext { [unowned self] in kill() }.dispose(in: stopping)
  }

  /// Kills the command, if it still runs, and all processes that have stayed in its group.
  func kill() {
    try? process?.killGroup(.kill)
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
        if count >= 0 {
          start += count
        } else if errno == EAGAIN {
          // Another process that shares the descriptor has made it nonblocking.
          var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&polled, 1, -1)
        } else if errno != EINTR {
          // For example, there is no reader, or the disk is full. The line is dropped, and the commands continue.
          return
        }
      }
    }
  }
}

/// True if a process of the group runs. One that has ended does not count, even if its parent never waits for it.
nonisolated func isRunning(group: Int32) -> Bool {
  guard killpg(group, 0) == 0 || errno == EPERM else { return false }
  #if os(Linux)
  guard let directory = opendir("/proc") else { return true }
  defer { closedir(directory) }
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    guard let file = fopen("/proc/\(name)/stat", "r") else { continue }
    defer { fclose(file) }
    // "pid (name) state parent group …": the name may contain anything.
    let text = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
      String(decoding: buffer.prefix(fread(buffer.baseAddress, 1, buffer.count, file)), as: UTF8.self)
    }
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ", maxSplits: 4)
    if fields.count > 3, fields[3] == "\(group)", fields[1] != "Z", fields[1] != "X" { return true }
  }
  return false
  #else
  return true
  #endif
}
