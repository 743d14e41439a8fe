import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// Each test runs in its own process, where no other test opens a descriptor with the number of a closed one.
@Suite("Descriptors that are closed while they are watched")
struct ClosedDescriptorTests {
  /// The behavior of a library that closes a watched descriptor: it does nothing more, or it opens another one with the same
  /// number, and may watch that for the same or for other events.
  enum Closing: CaseIterable { case only, replaced, watchedAgain, watchedForMore }

  @Test func `a descriptor that is closed inside of a call is reported, or watched again under the same number`() async
  {
    await #expect(processExitsWith: .success) {
      for closing in Closing.allCases { try await Self.closeInsideOfACall(closing) }
    }
  }

  private static func closeInsideOfACall(_ closing: Closing) async throws {
    let isWatchedAgain = closing == .watchedAgain || closing == .watchedForMore
    let (reports, isReady) = try await LibraryDriverTests.withSockets { loop, driver, near, far in
      let watched = dup(near)
      let other = dup(near)
      defer { close(other) }
      var isReady = false
      driver.start(ready: { [unowned driver] descriptor, _ in
        #expect(descriptor == watched && LibraryDriverTests.readAll(near) == "text")
        isReady = true
        driver.watchNothing()
      })
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      defer { for end in ends { close(end) } }
      // A file other than the one that takes over the number.
      dup2(ends[0], watched)
      try driver.watch(watched, for: .readable)
      _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1)))
      try driver.during {
        close(watched)
        if closing != .only { #expect(dup2(other, watched) == watched) }
        if isWatchedAgain {
          try driver.watch(watched, for: closing == .watchedAgain ? .readable : [.readable, .disconnect])
        }
      }
      send(far, "text", 4, 0)
      let reports = captureDiagnostics {
        loop.run()
        #expect(driver.watchedDescriptors == [])
      }
      if closing != .only { close(watched) }
      return (reports, isReady)
    }
    #expect(isReady == isWatchedAgain)
    #expect(
      reports.count(where: { $0.contains("Stop watching it before the library closes it.") })
        == (isWatchedAgain ? 0 : 1))
  }

  @Test func `a descriptor that was closed, or is a file now, cannot be watched for other events`() async {
    await #expect(processExitsWith: .success) { try await Self.watchWhatIsClosed() }
  }

  private static func watchWhatIsClosed() async throws {
    let names = try await LibraryDriverTests.withSockets { _, driver, near, _ in
      let watched = dup(near)
      try driver.watch(watched, for: .readable)
      close(watched)
      var names: [String?] = []
      func watch() {
        do throws(UVError) {
          try driver.watch(watched, for: [.readable, .writable])
          names.append(nil)
        } catch {
          names.append(error.name)
        }
      }
      watch()
      let file = open("/proc/self/exe", O_RDONLY)
      dup2(file, watched)
      watch()
      close(file)
      close(watched)
      return names
    }
    #expect(names == ["EBADF", "EPERM"])
  }

  @Test func `a poll handle does not start again with a descriptor that has been closed`() async {
    await #expect(processExitsWith: .success) { try await Self.startAgain() }
  }

  private static func startAgain() async throws {
    try await LibraryDriverTests.withSockets { _, _, near, _ in
      let descriptor = dup(near)
      let handle = try PollHandle(descriptor: descriptor)
      try handle.start(.readable) { _ in }
      handle.stop()
      close(descriptor)
      do throws(UVError) {
        try handle.start(.readable) { _ in }
        Issue.record("started")
      } catch {
        #expect(error.name == "EBADF")
      }
      handle.dispose()
    }
  }

  /// When the library closes the descriptors: in the call that watches them, after a change, or later.
  enum Moment: CaseIterable { case atOnce, afterAChange, later }

  @Test func `a descriptor that is closed before the loop waits is reported, and does not abort the program`() async {
    await #expect(processExitsWith: .success) {
      try await onOwnThread {
        let loop = Loop()
        defer { loop.shutdown() }
        var results: [Result<PollEvents, UVError>] = []
        for changes in [false, true] {
          var ends: [Int32] = [0, 0]
          #expect(pipe(&ends) == 0)
          let handle = try PollHandle(descriptor: ends[0])
          try handle.start(.readable) { _ in }
          if changes {
            _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1)))
            try handle.start([.readable, .disconnect]) { results.append($0) }
          } else {
            try handle.start(.readable) { results.append($0) }
          }
          close(ends[0])
          _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1)))
          // It has stopped, so nothing keeps the loop running.
          loop.run()
          handle.dispose()
          close(ends[1])
        }
        let names = results.map { result in if case .failure(let error) = result { error.name } else { "ready" } }
        #expect(names == ["EBADF", "EBADF"])
      }
    }
  }

  @Test func `any number of descriptors that are closed in one call are noticed`() async {
    await #expect(processExitsWith: .success) { for moment in Moment.allCases { try await Self.closeMany(moment) } }
  }

  private static func closeMany(_ moment: Moment) async throws {
    let reports = try await LibraryDriverTests.withSockets { loop, driver, near, _ in
      driver.start()
      let watched = (0..<200).map { _ in
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        return (reading: ends[0], writing: ends[1])
      }
      defer { for pipe in watched { close(pipe.writing) } }
      return captureDiagnostics {
        driver.during {
          for pipe in watched { #expect(throws: Never.self) { try driver.watch(pipe.reading, for: .readable) } }
          if moment == .atOnce { for pipe in watched { close(pipe.reading) } }
        }
        if moment != .atOnce {
          _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(1)))
          driver.during {
            if moment == .afterAChange {
              for pipe in watched {
                #expect(throws: Never.self) { try driver.watch(pipe.reading, for: [.readable, .disconnect]) }
              }
            }
            for pipe in watched { close(pipe.reading) }
          }
        }
        loop.run()
        #expect(driver.watchedDescriptors == [])
      }
    }
    #expect(reports.count == 200)
  }

  @Test func `a descriptor that is closed right before the loop waits is noticed`() async {
    await #expect(processExitsWith: .success) { try await Self.closeBeforeWaiting() }
  }

  private static func closeBeforeWaiting() async throws {
    try await LibraryDriverTests.withSockets { loop, _, near, _ in
      var library: (() -> Void)?
      // An older hook runs after a newer one.
      let hook = Operation.beforePolling().observeNext {
        library?()
        library = nil
      }
      let driver = try LibraryDriver()
      driver.start()
      let reports = captureDiagnostics {
        library = {
          driver.during {
            let descriptor = dup(near)
            #expect(throws: Never.self) { try driver.watch(descriptor, for: .readable) }
            close(descriptor)
          }
        }
        _ = loop.run(until: Stream<Int>.timer(1, after: .milliseconds(10)))
      }
      #expect(reports.count == 1)
      #expect(driver.watchedDescriptors == [])
      hook.dispose()
      driver.close()
    }
  }
}
