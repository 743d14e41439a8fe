import EventLoops
import FileWatching
import Glibc
import Streams
import StreamsTesting
import Testing

/// A watcher of a temporary directory, on a loop of the calling thread.
///
/// No test depends on a sleep. `run(until:)` runs the loop until the expected events have been delivered. `settle()` runs it
/// until the creation of a barrier file has been reported: the kernel's queue is in order, so everything before it has been
/// reported, too.
final class TestWatcher {
  let tree = TestTree()
  let loop = Loop()
  /// The reported events, except those of the barrier.
  private(set) var events: [FileEvent] = []
  private(set) var error: FileWatchError?
  private(set) var subscription: Subscription?
  private let barrier = TestTree()
  private var barriers = 0
  private var barrierEvents = 0
  private var condition: (() -> Bool)?
  /// Called for each event of the tree.
  var onEvent: (FileEvent) -> Void = { _ in }

  /// Watches `names` in the tree, or the tree itself by default.
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

  /// Runs the loop until `condition` holds. Records an issue after 60 seconds.
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

  /// Runs the loop until everything that was done so far has been reported. Two barriers are needed, because changes that could
  /// not be followed are recovered after the events that were read with the first one.
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

  /// The number of watches that the kernel has for this watcher. 0 if it has no descriptor.
  var watchCount: Int { kernelWatches?.lines.count ?? 0 }

  /// The watcher's descriptor, and the line of the kernel for each of its watches. Nil if it has no descriptor.
  var kernelWatches: (descriptor: Int32, lines: [Substring])? {
    // Other tests have watchers in this process, too. This watcher is the one that watches this tree.
    let inode = "ino:\(String(tree.inode, radix: 16)) "
    for descriptor in openDescriptors() {
      let lines = readFile("/proc/self/fdinfo/\(descriptor)").split(separator: "\n").filter {
        $0.hasPrefix("inotify wd:")
      }
      if lines.contains(where: { $0.contains(inode) }) { return (descriptor, lines) }
    }
    return nil
  }

  /// Runs the loop long enough to read the pending events, without waiting for a report.
  func turn() {
    for _ in 0..<3 {
      let turn = loop.scheduler.schedule(after: .milliseconds(1)) { [unowned self] in loop.stop() }
      loop.run()
      turn.dispose()
    }
  }

  func clear() { events = [] }

  /// The path of an event, relative to the tree.
  func relative(_ path: BytePath) -> String {
    let prefix = Array((tree.path + "/").utf8)
    if path.bytes.starts(with: prefix) { return String(decoding: path.bytes.dropFirst(prefix.count), as: UTF8.self) }
    return path.bytes == Array(tree.path.utf8) ? "." : path.description
  }

  /// An event as text, such as `created a/b` or `renamed a b`, with a slash after a directory.
  func text(_ event: FileEvent) -> String {
    let path = relative(event.path) + (event.isDirectory ? "/" : "")
    switch event.kind {
    case .renamed(let new): return "renamed \(path) \(relative(new))"
    default: return "\(event.kind) \(path)"
    }
  }

  /// All events as text, except those of `kinds`.
  func texts(without kinds: FileEvent.Kind...) -> [String] { events.filter { !kinds.contains($0.kind) }.map(text) }

  /// The number of events with this text.
  func count(_ text: String) -> Int { events.reduce(0) { $0 + (self.text($1) == text ? 1 : 0) } }
}

/// Runs a test with a watcher on its own thread.
func withWatcher(_ body: @escaping @Sendable (TestWatcher) throws -> Void) async throws {
  try await onOwnThread {
    let watcher = TestWatcher()
    defer { watcher.stop() }
    try body(watcher)
  }
}
