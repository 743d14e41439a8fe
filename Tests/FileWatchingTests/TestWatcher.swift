import EventLoops
import FileWatching
import Glibc
import Streams
import StreamsTesting
import Testing

/// A watcher of a temporary directory on a loop of the calling thread.
///
/// No sleep decides anything: `run(until:)` runs the loop until what is expected has come, and `settle()` runs it until a
/// file that is made after everything else has been reported, because the kernel's queue is in order.
final class TestWatcher {
  let tree = TestTree()
  let loop = Loop()
  /// What has been reported, without the barrier's part.
  private(set) var events: [FileEvent] = []
  private(set) var error: FileWatchError?
  private(set) var subscription: Subscription?
  private let barrier = TestTree()
  private var barriers = 0
  private var barrierEvents = 0
  private var condition: (() -> Bool)?
  /// Called for each event, first.
  var onEvent: (FileEvent) -> Void = { _ in }

  /// Watches `names` in the tree: the tree itself if nothing else is said.
  func start(_ names: [String] = [""], _ options: FileWatchOptions = FileWatchOptions()) {
    let paths = names.map { BytePath(tree.absolute($0)) } + [BytePath(barrier.path)]
    let prefix = Array(barrier.path.utf8)
    subscription = Operation.fileEvents(at: paths, options).observe(
      next: { [unowned self] event in
        if event.path.bytes.starts(with: prefix) {
          if event.kind == .created { barrierEvents += 1 }
        } else {
          events.append(event)
          onEvent(event)
        }
        if condition?() == true { loop.stop() }
      },
      termination: { [unowned self] in
        error = $0.failure
        loop.stop()
      })
  }

  func stop() {
    subscription?.dispose()
    onEvent = { _ in }
    loop.shutdown()
  }

  /// Runs the loop until `condition` holds. A deadline fails the test.
  func run(
    _ what: String = "the expected events", sourceLocation: SourceLocation = #_sourceLocation,
    until condition: @escaping () -> Bool
  ) {
    if condition() { return }
    let deadline = loop.scheduler.schedule(after: .seconds(60)) { [unowned self] in
      Issue.record("Waited in vain for \(what). Events: \(events.suffix(60).map(text))", sourceLocation: sourceLocation)
      loop.stop()
    }
    self.condition = condition
    loop.run()
    self.condition = nil
    deadline.dispose()
  }

  /// Runs the loop until all that has been done so far has been reported. Twice, because what could not be followed is
  /// made good after the events that were read with the first barrier.
  func settle(sourceLocation: SourceLocation = #_sourceLocation) {
    for _ in 0..<2 {
      barriers += 1
      barrier.touch("barrier\(barriers)")
      let expected = barriers
      run("the barrier", sourceLocation: sourceLocation) { [unowned self] in barrierEvents >= expected || error != nil }
      if let error {
        Issue.record(error, sourceLocation: sourceLocation)
        return
      }
    }
  }

  /// The number of watches that the kernel has for this watcher; 0 when it has no descriptor any more.
  var watchCount: Int { kernelWatches?.lines.count ?? 0 }

  /// The watcher's descriptor, and what the kernel tells of each of its watches; nil when it has no descriptor any more.
  var kernelWatches: (descriptor: Int32, lines: [Substring])? {
    // Other tests have watchers in this process too. This one's is the one that watches this tree.
    let inode = "ino:\(String(tree.inode, radix: 16)) "
    for descriptor in openDescriptors() {
      let lines = readFile("/proc/self/fdinfo/\(descriptor)").split(separator: "\n").filter {
        $0.hasPrefix("inotify wd:")
      }
      if lines.contains(where: { $0.contains(inode) }) { return (descriptor, lines) }
    }
    return nil
  }

  /// Runs the loop long enough to read what is there, without waiting for anything to be reported.
  func turn() {
    for _ in 0..<3 {
      let turn = loop.scheduler.schedule(after: .milliseconds(1)) { [unowned self] in loop.stop() }
      loop.run()
      turn.dispose()
    }
  }

  func clear() { events = [] }

  /// An event's path relative to the tree.
  func relative(_ path: BytePath) -> String {
    let prefix = Array((tree.path + "/").utf8)
    if path.bytes.starts(with: prefix) { return String(decoding: path.bytes.dropFirst(prefix.count), as: UTF8.self) }
    return path.bytes == Array(tree.path.utf8) ? "." : path.description
  }

  /// `created a/b`, `renamed a b`, with a slash behind directories.
  func text(_ event: FileEvent) -> String {
    let path = relative(event.path) + (event.isDirectory ? "/" : "")
    switch event.kind {
    case .renamed(let new): return "renamed \(path) \(relative(new))"
    default: return "\(event.kind) \(path)"
    }
  }

  /// All events as text; without those of `kinds`.
  func texts(without kinds: FileEvent.Kind...) -> [String] { events.filter { !kinds.contains($0.kind) }.map(text) }

  /// How often something was reported.
  func count(_ text: String) -> Int { events.reduce(0) { $0 + (self.text($1) == text ? 1 : 0) } }
}

/// Runs a test with a watcher on a thread of its own.
func withWatcher(_ body: @escaping @Sendable (TestWatcher) throws -> Void) async throws {
  try await onOwnThread {
    let watcher = TestWatcher()
    defer { watcher.stop() }
    try body(watcher)
  }
}
