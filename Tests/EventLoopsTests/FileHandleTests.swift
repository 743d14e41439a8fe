import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// The handles that watch files: fs_event and fs_poll.
@Suite("File handles", .noLiveResources, .timeLimit(.minutes(15)))
struct FileHandleTests {
  static func write(_ text: String, to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    Glibc.write(descriptor, text, text.utf8.count)
    close(descriptor)
  }

  @Test func `a directory tells of names that come, change and go`() async throws {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var events: [PathEvent] = []
      let subscription = Operation.pathEvents(scratch.path).observeNext { event in
        events.append(event)
        if event.name == "b" { loop.stop() }
      }
      Self.write("x", to: scratch("a"))
      rename(scratch("a"), scratch("b"))
      guardian.keepsLoopAlive = true
      loop.run()
      #expect(events.first == PathEvent(name: "a", kinds: .rename))
      #expect(events.contains(PathEvent(name: "a", kinds: .change)))
      #expect(events.last == PathEvent(name: "b", kinds: .rename))
      subscription.dispose()
      guardian.dispose()
    }
  }

  @Test func `pausing stops the watching; starting, stopping, the path; double starts and missing paths fail`()
    async throws
  {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      var count = 0
      let subscription = Operation.pathEvents(scratch.path).observeNext { _ in
        count += 1
        loop.stop()
      }
      subscription.pause()
      Self.write("x", to: scratch("a"))
      loop.run()
      #expect(count == 0)
      subscription.resume()
      Self.write("x", to: scratch("b"))
      loop.run()
      #expect(count > 0)
      subscription.dispose()
      var error: UVError?
      _ = Operation.pathEvents(scratch("no")).observeFailed { error = $0 }
      #expect(error == UVError(code: -ENOENT, call: "uv_fs_event_start", path: scratch("no")))
      let handle = try FileEventHandle()
      #expect(handle.path == nil)
      try handle.start(scratch.path) { _ in }
      #expect(handle.path == scratch.path)
      #expect(throws: UVError(code: -EALREADY, call: "uv_fs_event_start", path: "/")) { try handle.start("/") { _ in } }
      handle.stop()
      handle.stop()
      try handle.start("/") { _ in }
      handle.dispose()
      #expect(handle.path == nil)
      guardian.dispose()
      loop.run()
    }
  }

  @Test func `looking again and again sees a file change, go and come`() async throws {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      Self.write("1", to: scratch("a"))
      var changes: [String] = []
      let bag = DisposeBag()
      // The first look reports nothing, so the file is changed until a change is reported.
      let timer = try TimerHandle()
      var length = 1
      timer.start(after: .milliseconds(1), every: .milliseconds(1)) {
        length += 1
        Self.write(String(repeating: "x", count: length), to: scratch("a"))
      }
      Operation.statusChanges(of: scratch("a"), every: .milliseconds(1)).observeNext { change in
        switch (changes.count, change.old, change.new) {
        case (0, let old?, let new?):
          #expect(old != new)
          changes.append("changed")
          timer.stop()
          unlink(scratch("a"))
        case (1, _?, nil):
          changes.append("gone")
          Self.write("123", to: scratch("a"))
        case (2, nil, let new?):
          #expect(new.kind == .file)
          changes.append("back")
          bag.dispose()
          timer.dispose()
        // The last write before the timer stopped.
        case (1, _?, _?), (2, nil, nil): break
        default: Issue.record("\(change)")
        }
      }.dispose(in: bag)
      loop.run()
      #expect(changes == ["changed", "gone", "back"])
      guardian.dispose()
    }
  }

  @Test func `a path that is not there is told at once, and the handle says what it looks at`() async throws {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let guardian = deadline(loop)
      let handle = try FilePollHandle()
      var first: FileStatusChange?
      try handle.start(scratch("a"), every: .zero) { result in
        first = try? result.get()
        handle.dispose()
      }
      #expect(handle.path == scratch("a"))
      loop.run()
      #expect(first == FileStatusChange(old: nil, new: nil))
      #expect(handle.path == nil)
      var error: UVError?
      _ = Operation.statusChanges(of: "a\0b", every: .seconds(1)).observeFailed { error = $0 }
      #expect(error?.name == "EINVAL")
      let paused = Operation.statusChanges(of: "/", every: .milliseconds(1)).observe { _ in }
      paused.pause()
      loop.run()
      paused.resume()
      paused.dispose()
      loop.run()
      guardian.dispose()
    }
  }
}
