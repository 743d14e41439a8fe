import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

@Suite("Requests", .noLiveResources, .timeLimit(.minutes(15)))
struct RequestTests {
  @Test func `a loop that is shut down ends what is under way, tells everybody, and leaves nothing open`() async throws
  {
    let scratch = Scratch()
    let events = try await onOwnThread {
      let loop = Loop()
      var events: [Event<Int32, UVError>] = []
      let subscriptions = (0..<300).map { index in
        Files.open(scratch("\(index)"), for: .writing, options: .create).map(\.descriptor).observe { events.append($0) }
      }
      #expect(loop.firstResource != nil)
      loop.shutdown()
      #expect(subscriptions.allSatisfy { $0.isDisposed })
      return events
    }
    #expect(events.count == 300)
    #expect(events.allSatisfy { $0.error?.name == "ECANCELED" && $0.error?.call == "uv_fs_open" })
    #expect(scratch.open == [])
  }

  @Test func `a loop that is shut down closes its files, also those that are in use`() async throws {
    let scratch = Scratch()
    let names = try await onOwnThread {
      let loop = Loop()
      var names: [String] = []
      var files: [File] = []
      for index in 0..<20 {
        _ = Files.open(scratch("\(index)"), for: .readingAndWriting, options: .create).observeNext { file in
          files.append(file)
          guard files.count == 20 else { return }
          for file in files.prefix(10) {
            for _ in 0..<5 { _ = file.write("abc").observeFailed { names.append($0.name) } }
          }
          loop.stop()
        }
      }
      loop.run()
      #expect(scratch.open.count == 20)
      loop.shutdown()
      #expect(files.allSatisfy { $0.isDisposed })
      files.last?.dispose()
      return names
    }
    #expect(scratch.open == [])
    #expect(names.count == 50 && names.allSatisfy { $0 == "ECANCELED" }, "\(names)")
  }

  @Test func `a file that is made while the loop shuts down is closed, too`() async throws {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      var file: File?
      _ = Files.status(of: "/").observeFailed { _ in
        file = File(takingOver: open(scratch("a"), O_CREAT | O_WRONLY, 0o600))
      }
      loop.shutdown()
      #expect(file?.isDisposed == true && scratch.open == [])
    }
  }

  @Test func `what is asked for while the loop shuts down fails, without end`() async throws {
    let count = try await onOwnThread {
      let loop = Loop()
      var count = 0
      func ask() {
        count += 1
        if count == 1000 {
          Issue.record("it goes on for ever")
          return
        }
        _ = Files.status(of: "/").observe { event in if count < 100, event.isFailure { ask() } }
      }
      ask()
      loop.shutdown()
      return count
    }
    #expect(count == 100)
  }

  @Test
  func
    `disposal cancels what waits for a thread, and what runs ends unheard: nothing is delivered, nothing stays open`()
    async throws
  {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let subscriptions = (0..<300).map { index in
        Files.open(scratch("\(index)"), for: .writing, options: .create).observe { _ in
          Issue.record("a disposed request has delivered")
        }
      }
      for subscription in subscriptions { subscription.dispose() }
      loop.run()
      #expect(loop.firstResource == nil)
      #expect(scratch.open == [])
    }
  }

  @Test func `a temporary file or directory that nobody wants any more is removed`() async throws {
    let scratch = Scratch()
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      for _ in 0..<50 {
        Files.makeTemporaryFile(scratch("t-XXXXXX")).observe { _ in }.dispose()
        Files.makeTemporaryDirectory(scratch("d-XXXXXX")).observe { _ in }.dispose()
      }
      loop.run()
      var names: [String] = []
      _ = Files.entries(of: scratch.path).observeNext { names = $0.map(\.name) }
      loop.run()
      #expect(names == [])
      #expect(scratch.open == [])
    }
  }

  @Test func `an operation of the file system is cold, and made anew for each observer`() async throws {
    let scratch = Scratch()
    try await onLoop { _ in
      let make = Files.makeDirectory(scratch("d"))
      #expect(access(scratch("d"), F_OK) == -1)
      try await make.value
      #expect(await failure { try await make.value }?.name == "EEXIST")
    }
  }

  @Test func `a request keeps the loop running, and run returns after the last`() async throws {
    let kinds = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var kinds: [FileKind] = []
      for path in ["/", "/proc/self/exe", "/dev/null"] {
        _ = Files.status(of: path).observeNext { kinds.append($0.kind) }
      }
      #expect(kinds.isEmpty)
      loop.run()
      return kinds
    }
    #expect(Set(kinds) == [.directory, .file, .characterDevice])
  }

  @Test func `a result cannot wait: it is delivered although the observer pauses`() async throws {
    let results = try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      var results: Set<String> = []
      func ask<Element>(_ name: String, _ operation: Operation<Element, UVError>) {
        operation.observe(next: { _ in results.insert(name) }, termination: { _ in results.insert("end of \(name)") })
          .pause()
      }
      let socket = try UDPHandle()
      ask("status", Files.status(of: "/"))
      ask("work", .work { 1 })
      ask("random", .randomBytes(8))
      ask("names", .names(of: .loopback(port: 80), options: [.numericHost, .numericService]))
      ask("send", socket.send("x", to: .loopback(port: 9)))
      loop.run()
      socket.dispose()
      return results
    }
    let names = ["status", "work", "random", "names", "send"]
    #expect(results == Set(names + names.map { "end of \($0)" }))
  }

  @Test func `observing on a thread without a loop traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try? await onOwnThread { _ = Files.status(of: "/").observe { _ in } }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("This thread has no loop: "), "\(text)")
  }
}
