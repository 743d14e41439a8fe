import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import FileWatching

/// The stages of a watcher without the watcher: the kernel's queue is not read, and nothing is polled.
///
/// Each test uses the stage that it is about. The other stages are its dependencies.
final class Stages {
  let tree = TestTree()
  let loop = Loop()
  let options: FileWatchOptions
  let polling: PollingStage
  let ignoring: IgnoringStage
  let reporter: EventReporter
  let watching: WatchingStage
  let repairs = Repairs()
  let scanning: ScanningStage
  let known: TreeStage
  let rescanning: RescanningStage
  /// The topmost directory of the tree.
  let top: Directory
  private let reported = Reported()

  private final class Reported { var events: [FileEvent] = [] }

  init(_ options: FileWatchOptions = FileWatchOptions()) throws {
    self.options = options
    let reported = reported
    polling = PollingStage(options, loop.scheduler)
    ignoring = IgnoringStage(options)
    reporter = EventReporter(
      Observer(
        for: Subscription(downstream: nil), next: { reported.events.append($0) }, termination: { Issue.record("\($0)") }
      ), ignoring)
    watching = WatchingStage(try INotify(keepsLoopAlive: false), polling, options)
    let following = FollowingStage(options, watching, polling, reporter, repairs)
    scanning = ScanningStage(options, watching, ignoring, following, reporter, repairs)
    known = TreeStage(options, watching, ignoring, following, scanning, reporter, repairs)
    rescanning = RescanningStage(known)
    top = Directory(root: nil, location: Array(tree.path.utf8), prefix: [])
  }

  /// The events since the last call, in the form `created a/`.
  func texts() -> [String] {
    defer { reported.events = [] }
    return reported.events.map { "\($0.kind) \($0.path)\($0.isDirectory ? "/" : "")" }
  }

  /// Watches and scans the tree.
  func scan(isReported: Bool = false) throws {
    try withDescriptor { descriptor in
      let isBound = try watching.bind(top, descriptor, path: { "" })
      #expect(isBound)
      try scanning.scan(top, descriptor, isReported: isReported)
    }
  }

  /// Calls `body` with the descriptor of a directory in the tree.
  func withDescriptor<Result>(_ name: String = "", _ body: (Int32) throws -> Result) throws -> Result {
    let descriptor = openDirectory(Array(tree.absolute(name).utf8), O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    return try body(descriptor)
  }

  /// The `stat` result of a file in the tree.
  func status(of name: String) throws -> FileWatching.FileStatus? {
    try withDescriptor { descriptor in withBytes(name) { FileWatching.FileStatus(of: $0, in: descriptor) } }
  }

  /// The known directory at a path in the tree.
  func directory(_ path: String) throws -> Directory {
    var directory = top
    for name in path.split(separator: "/") {
      directory = try #require(withBytes(name) { directory.child($0) })
    }
    return directory
  }

  /// The number of watches that the kernel has.
  var watchCount: Int {
    readFile("/proc/self/fdinfo/\(watching.inotify.descriptor)").split(separator: "\n").count {
      $0.hasPrefix("inotify wd:")
    }
  }

  func stop() {
    watching.drop(top)
    polling.stop()
    reporter.stop()
    watching.inotify.close()
    loop.shutdown()
  }
}

/// Runs a test with stages on its own thread.
func withStages(
  _ options: FileWatchOptions = FileWatchOptions(), _ body: @escaping @Sendable (Stages) throws -> Void
) async throws {
  // Passed to the test's thread, and not used here meanwhile.
  nonisolated(unsafe) let options = options
  try await onOwnThread {
    let stages = try Stages(options)
    defer { stages.stop() }
    try body(stages)
  }
}

/// Calls `body` with the bytes of a name.
func withBytes<Result>(_ name: some StringProtocol, _ body: (NameBytes) throws -> Result) rethrows -> Result {
  try Array(name.utf8).withUnsafeBufferPointer(body)
}
