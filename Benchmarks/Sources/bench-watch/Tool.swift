import Glibc

/// A watcher to measure.
struct Tool {
  let name: String
  /// The command that prints the changes below a directory, or nil if the program is not installed.
  let command: ((_ directory: String) -> [String])?
  /// Whether it watches directories recursively. If not, it watches the files that it is given.
  var isRecursive = true
  /// Whether it reports a write to a file that stays open. If not, the file is opened and closed for each write.
  var seesOpenFiles = true
  /// The seconds to wait after a printed line, so that the next write is seen. entr sees nothing while its command
  /// runs, and for a while after that.
  var rest = 0.002
  /// The number of timed writes, in 20 blocks. headwatch and inotifywait need thousands, because their 99th percentiles
  /// are compared. With fewer writes, a single delay by the scheduler would decide.
  var samples: Int { name == "headwatch" || name == "inotifywait" ? 5_000 : isRecursive ? 1_000 : 100 }
  /// The most seconds that a start on 5,000 directories may take. A slower watcher is not measured on 100,000
  /// directories.
  static let patience = 1.0

  /// Returns all watchers, headwatch first.
  static func all(headwatch: String) -> [Tool] {
    func find(_ program: String, _ command: @escaping (String, String) -> [String]) -> ((String) -> [String])? {
      let directories = String(cString: getenv("PATH")).split(separator: ":")
      let paths = directories.map { "\($0)/\(program)" }
      let path = paths.first { access($0, X_OK) == 0 }
      return path.map { path in { command(path, $0) } }
    }
    let chokidar = """
      const c = require('chokidar').watch(process.argv[1], {ignoreInitial: true}); \
      c.on('ready', () => c.on('all', (event, path) => process.stdout.write(event + ' ' + path + '\\n')))
      """
    setenv("NODE_PATH", "/usr/share/nodejs:/usr/lib/nodejs", 1)
    let hasChokidar = access("/usr/share/nodejs/chokidar/index.js", R_OK) == 0
    return [
      Tool(name: "headwatch", command: { [headwatch, $0] }),
      Tool(
        name: "inotifywait",
        command: find("inotifywait") {
          [$0, "-m", "-r", "-q", "-e", "modify,attrib,close_write,move,create,delete", $1]
        }),
      Tool(name: "fswatch", command: find("fswatch") { [$0, "-r", "-l", "0.05", $1] }),
      Tool(
        name: "entr",
        command: find("entr") { path, directory in
          ["sh", "-c", "ls '\(directory)'/* | '\(path)' -np echo changed"]
        }, isRecursive: false, seesOpenFiles: false, rest: 0.2),
      Tool(
        name: "watchman",
        command: find("watchman") { path, directory in
          // Starts a separate server, and a client that subscribes.
          let server = "--sockname '\(directory).socket' --logfile '\(directory).log' --pidfile '\(directory).pid'"
          let subscription = #"["subscribe", "\#(directory)", "s", {"fields": ["name"]}]"#
          return [
            "sh", "-c",
            """
            '\(path)' \(server) --foreground --no-save-state & server=$!; trap 'kill $server' TERM; \
            until '\(path)' --sockname '\(directory).socket' --no-spawn watch '\(directory)' >/dev/null 2>&1; \
            do sleep 0.02; done; \
            echo '\(subscription)' | '\(path)' --sockname '\(directory).socket' --no-spawn -p -j --server-encoding=json & \
            wait
            """,
          ]
        }),
      Tool(name: "chokidar", command: hasChokidar ? find("node") { [$0, "-e", chokidar, $1] } : nil),
    ]
  }
}

/// A running watcher, and its output.
final class Running {
  private let pid: pid_t
  private var output: Int32
  /// The number of lines that it has printed.
  private(set) var lines = 0
  /// The output so far.
  private(set) var collected: [UInt8] = []
  private var searched = 0
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)

  init(_ tool: Tool, _ directory: String) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // The watcher has its own group, because it may have children.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK))
    let arguments: [UnsafeMutablePointer<CChar>?] = tool.command!(directory).map { strdup($0) } + [nil]
    var child: pid_t = 0
    guard posix_spawnp(&child, arguments[0]!, &actions, &attributes, arguments, environ) == 0 else {
      fatalError("cannot start \(tool.name)")
    }
    for argument in arguments { free(argument) }
    pid = child
    Interruption.add(pid)
    close(ends[1])
    output = ends[0]
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
  }

  /// Kills the watcher and all processes that it has started.
  func stop() {
    kill(-pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    Interruption.remove(pid)
    close(output)
  }

  /// Waits until the watcher prints something. Returns false if it prints nothing in time.
  func wait(seconds: Double) -> Bool {
    var poller = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard poll(&poller, 1, Int32(seconds * 1_000)) > 0 else { return false }
    let before = lines
    read()
    return lines > before || poller.revents & Int16(POLLIN) != 0
  }

  /// Reads the available output.
  func read() {
    while case let count = Glibc.read(output, &buffer, buffer.count), count > 0 {
      for byte in buffer[..<count] where byte == 10 { lines += 1 }
      collected += buffer[..<count]
    }
  }

  /// Reads until the watcher has printed nothing for `quiet` seconds.
  func settle(quiet: Double = 0.3) { while wait(seconds: quiet) {} }

  /// Waits until `text` has been printed, and calls `body` again and again meanwhile.
  func wait(for text: String, seconds: Double, every: Double, _ body: () -> Void) -> Bool {
    let end = now() + seconds
    let wanted = Array(text.utf8)
    while now() < end {
      body()
      _ = wait(seconds: every)
      for start in searched..<max(searched, collected.count - wanted.count + 1)
      where collected[start..<start + wanted.count].elementsEqual(wanted) {
        return true
      }
      searched = max(searched, collected.count - wanted.count + 1)
    }
    return false
  }

  // MARK: Costs

  /// The process and all other members of its group.
  private var processes: [pid_t] {
    var result = [pid]
    for name in entries(of: "/proc") {
      guard let other = pid_t(name), other != pid, getpgid(other) == pid else { continue }
      result.append(other)
    }
    return result
  }

  /// The processor time so far, in seconds, including that of ended child processes.
  var processorTime: Double {
    processes.reduce(0) { sum, process in
      let fields = text(of: "/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 14 else { return sum }
      return sum + fields[11...14].reduce(0) { $0 + (Double($1) ?? 0) } / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  /// The memory in bytes that is not mapped from files, or nil if the watcher has died.
  var memory: Int? {
    var sum = 0
    for process in processes {
      let line = text(of: "/proc/\(process)/smaps_rollup").split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
      guard let size = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
      sum += size * 1_024
    }
    return sum
  }
}

/// Returns the seconds of the monotonic clock.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func text(of path: String) -> String {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  if file < 0 { return "" }
  defer { close(file) }
  var content: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16_384)
  while case let count = read(file, &buffer, buffer.count), count > 0 { content += buffer[..<count] }
  return String(decoding: content, as: UTF8.self)
}

func entries(of path: String) -> [String] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    names.append(
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      })
  }
  return names
}
