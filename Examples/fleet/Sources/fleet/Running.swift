import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes a message about the program to standard error.
func note(_ text: String) { put("fleet: \(text)", to: STDERR_FILENO) }

private var hasLostLine = false

/// Writes a line of the merged stream to standard output. Reports the first of several lines that cannot be written.
func output(_ text: String) {
  let error = put(text, to: STDOUT_FILENO)
  if error != 0, !hasLostLine {
    note("a line is not printed: \(String(cString: strerror(error))). `fleet changes` prints the stored changes.")
  }
  hasLostLine = error != 0
}

/// Returns 0, or the error because of which the line is dropped: for example, there is no reader, or the disk is full.
@discardableResult
private func put(_ line: String, to descriptor: Int32) -> Int32 {
  var line = line + "\n"
  return line.withUTF8 { text in
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
        return errno
      }
    }
    return 0
  }
}

/// Runs the loop until SIGTERM, SIGINT, or an error that a new attempt cannot fix. `start` returns the closure that stops.
private func run(_ start: (_ fail: @escaping (FleetError) -> Void) throws(FleetError) -> () -> Void) -> Never {
  var code: Int32 = 0
  do {
    let shutdown = try GracefulShutdown()
    var stop: (() -> Void)?
    let fail = { (error: FleetError) in
      if code == 0 { note("\(error)") }
      code = 1
      shutdown.begin()
    }
    stop = try start(fail)
    let subscription = shutdown.begins.observeNext {
      stop?()
      stop = nil
    }
    code = max(shutdown.run(), code)
    subscription.dispose()
  } catch {
    note("\(error)")
    code = 1
  }
  Loop.main.shutdown()
  exit(code)
}

func runNode(_ command: NodeCommand) -> Never {
  run { fail throws(FleetError) in
    let directory = resolved(command.directory)
    let parent = resolved(command.database.contains("/") ? parentOf(command.database) : ".")
    if (parent + "/").hasPrefix(directory + "/") { throw .databaseInDirectory(command.database) }
    let journal = try Journal(command.database, directory: Array(directory.utf8))
    let node = Node(
      command.name, directory: BytePath(directory), journal: journal, meeting: command.options.meeting, fail: fail)
    try node.start()
    return { node.stop() }
  }
}

func runCollector(_ command: CollectorCommand) -> Never {
  run { fail throws(FleetError) in
    let ledger = try Ledger(command.database)
    let collector = Collector(ledger: ledger, meeting: command.options.meeting, print: output, fail: fail)
    collector.start()
    return { collector.stop() }
  }
}

func runChanges(_ command: ChangesCommand) {
  do throws(FleetError) {
    if access(command.database, R_OK) != 0 { throw .noDatabase(command.database) }
    let ledger = try Ledger(command.database)
    try ledger.forEach(after: command.after) { output($0.text) }
    ledger.close()
  } catch {
    note("\(error)")
    exit(1)
  }
}

private func parentOf(_ path: String) -> String {
  let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
  return parent.isEmpty ? "/" : String(parent)
}

/// Returns the path without symbolic links and dots, or `path` itself if it does not exist.
private func resolved(_ path: String) -> String {
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}
