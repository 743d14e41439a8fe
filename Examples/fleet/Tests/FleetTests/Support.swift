import Delegates
import EventLoops
import Glibc
import SQLiteStreams
import Streams
import StreamsTesting
import Testing

/// All tests of fleet. They run one after the other, because each of them shares two cores with a broker.
@Suite("fleet", .serialized) enum FleetTests {}

extension Loop {
  /// Runs until `condition` holds. Throws after two minutes, a limit that affects only failing tests.
  func run(until what: @autoclosure () -> String, _ condition: @escaping () throws -> Bool) throws {
    var failure: (any Error)?
    var isDone = false
    let check = {
      do { isDone = try condition() } catch { failure = error }
      if isDone || failure != nil { Loop.current.stop() }
    }
    if try condition() { return }
    let deadline = ContinuousClock.now + .seconds(120)
    let timer = try TimerHandle()
    defer { timer.dispose() }
    timer.start(after: .milliseconds(5), every: .milliseconds(5)) {
      check()
      if ContinuousClock.now > deadline { Loop.current.stop() }
    }
    run()
    if let failure { throw failure }
    if !isDone { throw TestError("not in time: \(what())") }
  }
}

/// A process and its output. It is killed when the thread that started it ends.
final class Program {
  let process: ProcessHandle
  private(set) var output: [String] = []
  private(set) var errors: [String] = []
  private let loop: Loop
  private let bag = DisposeBag()
  private var open = 2

  /// Starts the program at `path`. A name without a slash is a program that is built beside the tests.
  init(_ path: String, _ arguments: [String], on loop: Loop, identity: [String] = []) throws {
    self.loop = loop
    var executable = path
    if !path.contains("/") {
      var link = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/exe", &link, link.count)
      let tests = String(decoding: link.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      executable = tests.prefix(through: tests.lastIndex(of: "/") ?? tests.startIndex) + path
    }
    // Globals live until the program ends, and the leak checker cannot follow the packed pointers of weakly held objects.
    var command = ProcessCommand(
      "env",
      ["ASAN_OPTIONS=detect_leaks=0", "setpriv"] + identity + ["--pdeathsig", "KILL", "--", executable] + arguments)
    command.output = .pipe
    command.errorOutput = .pipe
    process = try ProcessHandle(command)
    follow(process.output) { [unowned self] in output.append($0) }
    follow(process.errorOutput) { [unowned self] in errors.append($0) }
  }

  private func follow(_ pipe: PipeHandle?, _ take: @escaping (String) -> Void) {
    pipe?.bytes.lines().observe(next: take, termination: { [unowned self] _ in open -= 1 }).dispose(in: bag)
  }

  /// Waits for the end of the process and of its output. Returns the exit code, or the negative number of the signal.
  @discardableResult
  func end(by signal: Signal? = nil) throws -> Int32 {
    if let signal, process.status == nil { try process.kill(signal) }
    try loop.run(until: "the end; errors: \(errors.suffix(5))") { [self] in process.status != nil && open == 0 }
    switch process.status {
    case .exited(let code): return Int32(code)
    case .signalled(let signal): return -signal.rawValue
    case nil: throw TestError("no status")
    }
  }

  /// Runs until a line on standard error contains `text`.
  func wait(for text: String) throws {
    try loop.run(until: "\(text); errors: \(errors.suffix(5))") { [self] in
      if errors.contains(where: { $0.contains(text) }) { return true }
      if process.status != nil, open == 0 { throw TestError("ended before \(text): \(errors.suffix(5))") }
      return false
    }
  }
}

/// A temporary directory with a broker, and with the databases and the watched directories of a fleet.
final class Scene {
  let loop: Loop
  let root: String
  let port: Int
  private(set) var broker: Program?
  private var programs: [Program] = []
  private var stored: Database?
  private let bag = DisposeBag()
  /// The names that were made in the directory of each node, in order.
  private(set) var made: [String: [String]] = [:]

  /// Creates the directory, and starts the broker if `startsBroker`. If `keeps`, the broker saves its messages every second.
  init(on loop: Loop, keeps: Bool = false, startsBroker: Bool = true) throws {
    self.loop = loop
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/fleet-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    port = try TCPListener(on: .loopback(port: 0)).closedPort()
    for name in ["alpha", "beta"] {
      guard mkdir("\(root)/\(name)", 0o755) == 0 else { throw TestError("mkdir") }
    }
    // If the tests run as root, the broker runs as another user, which has to be able to write there.
    let home = "\(root)/broker"
    guard mkdir(home, 0o755) == 0 else { throw TestError("mkdir") }
    if geteuid() == 0 { chown(home, 65534, 65534) }
    chmod(root, 0o755)
    try write(
      "\(root)/mosquitto.conf",
      """
      user nobody
      listener \(port) 127.0.0.1
      allow_anonymous true
      persistence \(keeps)
      persistence_location \(home)/
      autosave_interval 1
      set_tcp_nodelay true

      """)
    if startsBroker { try startBroker() }
  }

  func write(_ path: String, _ text: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { throw TestError("open \(path)") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw TestError("write") }
  }

  /// Ends all processes, and removes the directory.
  func remove() throws {
    for program in programs { try program.end(by: .kill) }
    bag.dispose()
    stored?.close()
    let remover = try Program("/bin/rm", ["-rf", root], on: loop)
    try remover.end()
  }

  // MARK: Processes

  func start(_ path: String, _ arguments: [String], identity: [String] = []) throws -> Program {
    let program = try Program(path, arguments, on: loop, identity: identity)
    programs.append(program)
    return program
  }

  func startBroker() throws {
    let paths = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"]
    guard let path = paths.first(where: { access($0, X_OK) == 0 }) else { throw TestError("mosquitto is missing") }
    let identity = geteuid() == 0 ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let broker = try start(path, ["-c", "\(root)/mosquitto.conf"], identity: identity)
    self.broker = broker
    try broker.wait(for: "running")
  }

  func killBroker() throws { try broker?.end(by: .kill) }

  private var place: [String] { ["--port", "\(port)"] }

  func startNode(_ name: String, database: String? = nil) throws -> Program {
    let database = database ?? "\(root)/\(name).db"
    return try start("fleet", ["node", name, "\(root)/\(name)", "--database", database] + place)
  }

  /// Starts a node, and waits until it watches its directory.
  func runNode(_ name: String) throws -> Program {
    let node = try startNode(name)
    try node.wait(for: "watching")
    return node
  }

  func startCollector() throws -> Program {
    try start("fleet", ["collector", "--database", "\(root)/all.db"] + place)
  }

  // MARK: Changes

  /// Creates `count` directories in the directory of a node. Each is one change.
  func make(_ count: Int, _ prefix: String, in node: String) throws {
    for number in 0..<count {
      let name = "\(prefix)-\(number)"
      guard mkdir("\(root)/\(node)/\(name)", 0o755) == 0 else { throw TestError("mkdir \(name)") }
      made[node, default: []].append(name)
    }
  }

  /// A row of the collector's database.
  struct Row: Hashable {
    var node: String
    var id: Int64
    var kind: String
    var path: String
  }

  /// Returns the stored changes in the order of the merged stream.
  func rows() throws -> [Row] {
    guard let database = try collected() else { return [] }
    return try database.query("SELECT node, id, kind, path FROM changes ORDER BY number").map { row in
      guard case .text(let node) = row[0], case .integer(let id) = row[1], case .text(let kind) = row[2],
        case .blob(let path) = row[3]
      else { throw TestError("a row of other types: \(row)") }
      return Row(node: node, id: id, kind: kind, path: String(decoding: path, as: UTF8.self))
    }
  }

  func count() throws -> Int {
    guard let database = try collected(),
      case .integer(let count) = try database.query("SELECT count(*) FROM changes")[0][0]
    else { return 0 }
    return Int(count)
  }

  /// Removes the database of the collector, which must not be running.
  func forgetStored() {
    stored?.close()
    stored = nil
    for suffix in ["", "-wal", "-shm"] { unlink("\(root)/all.db\(suffix)") }
  }

  private func collected() throws -> Database? {
    if stored == nil {
      guard access("\(root)/all.db", R_OK) == 0 else { return nil }
      let database = try Database("\(root)/all.db")
      database.triesAgain.replaceAnswer { attempt in
        usleep(1000)
        return attempt < 10_000
      }.dispose(in: bag)
      // The collector may not have created its table yet.
      guard try database.query("SELECT 1 FROM sqlite_schema WHERE name = 'changes'") != [] else { return nil }
      stored = database
    }
    return stored
  }

  /// Runs until one more change is stored. Returns immediately if all changes are stored.
  func waitForProgress() throws {
    let before = try count()
    let total = made.values.reduce(0) { $0 + $1.count }
    try loop.run(until: "more than \(before) of \(total) are stored; \(self.state)") { [self] in
      try before == total || count() > before
    }
  }

  /// A description for failures: how many changes of each node are stored, and the last messages of the processes.
  private var state: String {
    let rows = (try? rows()) ?? []
    let counts = made.keys.sorted().map { node in "\(node) \(rows.count { $0.node == node })/\(made[node]?.count ?? 0)"
    }
    let last = programs.filter { $0.process.status == nil }.map { $0.errors.suffix(3).joined(separator: "; ") }
    return "\(counts) \(last)"
  }

  /// Runs until all changes are stored. Checks that each is stored once, and, if `inOrder`, in the order of its node.
  func check(inOrder: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let total = made.values.reduce(0) { $0 + $1.count }
    try loop.run(until: "\(total) changes are stored; \(self.state)") { [self] in try count() >= total }
    let rows = try rows()
    #expect(rows.count == total, sourceLocation: sourceLocation)
    for (node, names) in made {
      let own = rows.filter { $0.node == node }
      #expect(own.map(\.id) == Array(1...Int64(names.count)), sourceLocation: sourceLocation)
      #expect(own.allSatisfy { $0.kind == "created" }, sourceLocation: sourceLocation)
      if inOrder {
        #expect(own.map(\.path) == names, sourceLocation: sourceLocation)
      } else {
        #expect(own.map(\.path).sorted() == names.sorted(), sourceLocation: sourceLocation)
      }
    }
  }
}

extension TCPListener {
  /// Closes the listener and returns its port, which the system does not assign again soon.
  fileprivate func closedPort() throws -> Int {
    defer { dispose() }
    return Int(address.port)
  }
}

/// Runs `body` with a scene on a new thread.
func onScene(
  keeps: Bool = false, startsBroker: Bool = true, _ body: @escaping @Sendable (Scene) throws -> Void
) async throws {
  try await onOwnThread {
    let loop = Loop()
    defer { loop.shutdown() }
    let scene = try Scene(on: loop, keeps: keeps, startsBroker: startsBroker)
    do {
      try body(scene)
    } catch {
      try? scene.remove()
      throw error
    }
    try scene.remove()
  }
}
