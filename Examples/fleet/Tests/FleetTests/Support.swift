import Delegates
import EventLoops
import Glibc
import SQLiteStreams
import Streams
import StreamsTesting
import Testing

/// All tests of the fleet, one after the other: they share two cores with a broker.
@Suite("fleet", .serialized) enum FleetTests {}

extension Loop {
  /// Runs until `condition` holds; throws after two minutes, which decides nothing but how long a failure takes.
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

/// A process with what it prints. It dies with the thread that starts it.
final class Program {
  let process: ProcessHandle
  private(set) var output: [String] = []
  private(set) var errors: [String] = []
  private let loop: Loop
  private let bag = DisposeBag()
  private var open = 2

  /// Starts the program at `path`, or the one of that name that is built beside the tests.
  init(_ path: String, _ arguments: [String], on loop: Loop, identity: [String] = []) throws {
    self.loop = loop
    var executable = path
    if !path.contains("/") {
      var link = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/exe", &link, link.count)
      let tests = String(decoding: link.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      executable = tests.prefix(through: tests.lastIndex(of: "/") ?? tests.startIndex) + path
    }
    // A program's globals live to its end, and the leak checker cannot see through the packed pointers of what is held weakly.
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

  /// Waits for the end, and for all it has printed: the exit code, or minus the signal.
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

/// A directory of a test's own with a broker, and the paths and ports of a fleet.
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

  /// Makes the directory; starts the broker unless told otherwise. `keeps` has it save its messages every second.
  init(on loop: Loop, keeps: Bool = false, startsBroker: Bool = true) throws {
    self.loop = loop
    var template = Array("/tmp/fleet-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestError("mkdtemp") }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    port = try TCPListener(on: .loopback(port: 0)).closedPort()
    for name in ["alpha", "beta"] {
      guard mkdir("\(root)/\(name)", 0o755) == 0 else { throw TestError("mkdir") }
    }
    // Started by root it takes another user by itself, who has to write there.
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

  /// Starts a node, and waits until it watches.
  func runNode(_ name: String) throws -> Program {
    let node = try startNode(name)
    try node.wait(for: "watching")
    return node
  }

  func startCollector() throws -> Program {
    try start("fleet", ["collector", "--database", "\(root)/all.db"] + place)
  }

  // MARK: Changes

  /// Makes `count` directories in the directory of a node: each is one change.
  func make(_ count: Int, _ prefix: String, in node: String) throws {
    for number in 0..<count {
      let name = "\(prefix)-\(number)"
      guard mkdir("\(root)/\(node)/\(name)", 0o755) == 0 else { throw TestError("mkdir \(name)") }
      made[node, default: []].append(name)
    }
  }

  /// A row of what the collector has stored.
  struct Row: Hashable {
    var node: String
    var id: Int64
    var kind: String
    var path: String
  }

  /// What is stored, in the order of the merged stream.
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

  /// Removes the database of the collector, which does not run.
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
      // Until the collector has made its table.
      guard try database.query("SELECT 1 FROM sqlite_schema WHERE name = 'changes'") != [] else { return nil }
      stored = database
    }
    return stored
  }

  /// Runs until one more change is stored, unless all are.
  func waitForProgress() throws {
    let before = try count()
    let total = made.values.reduce(0) { $0 + $1.count }
    try loop.run(until: "more than \(before) of \(total) are stored; \(self.state)") { [self] in
      try before == total || count() > before
    }
  }

  /// For a failure: how much of each node is stored, and what the processes have said last.
  private var state: String {
    let rows = (try? rows()) ?? []
    let counts = made.keys.sorted().map { node in "\(node) \(rows.count { $0.node == node })/\(made[node]?.count ?? 0)"
    }
    let last = programs.filter { $0.process.status == nil }.map { $0.errors.suffix(3).joined(separator: "; ") }
    return "\(counts) \(last)"
  }

  /// Runs until everything that was made is stored, and checks that nothing is there twice and that all is in order.
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
  /// Closes it and returns the port, which the system gives to nobody else soon.
  fileprivate func closedPort() throws -> Int {
    defer { dispose() }
    return Int(address.port)
  }
}

/// Runs `body` on a thread of its own with a scene.
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
