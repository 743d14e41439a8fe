import Glibc
import Streams
import StreamsTesting
import Testing

@testable import EventLoops

/// `Operation.driving`, with a library of one socket.
@Suite("Driving", .noLiveResources)
struct DrivingTests {
  /// A library that reads its socket, and may close it and open another one.
  final class Library {
    var near: Int32 = -1
    var far: Int32 = -1
    var log: [String] = []
    var elements = 0
    var wantsToWrite = false
    var timeout: Duration?

    init() { open() }

    func open() {
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      (near, far) = (ends[0], ends[1])
    }

    func shut() {
      // Another test may have a descriptor with the number of one that is closed twice.
      if near >= 0 { close(near) }
      if far >= 0 { close(far) }
      (near, far) = (-1, -1)
    }

    func operation(_ process: @escaping (PollEvents) throws(UVError) -> Bool) -> Operation<Void, UVError> {
      .driving(
        descriptor: { self.near }, events: { self.wantsToWrite ? [.readable, .writable] : .readable },
        timeout: { self.timeout }, failure: { $0 }, process: process)
    }
  }

  private func run(_ body: @escaping @Sendable (Loop, Library, DisposeBag) -> Void) async throws -> [String] {
    try await onOwnThread {
      let loop = Loop()
      defer { loop.shutdown() }
      let library = Library()
      defer { library.shut() }
      let guardian = deadline(loop)
      defer { guardian.dispose() }
      let bag = DisposeBag()
      body(loop, library, bag)
      loop.run()
      bag.dispose()
      return library.log
    }
  }

  @Test func `the library is called at once, when it is ready, again if it has more, and when its time is over`()
    async throws
  {
    let log = try await run { _, library, bag in
      library.operation { ready in
        library.log.append(
          ready.isEmpty ? "called" : ready.contains(.writable) ? "writes" : LibraryDriverTests.readAll(library.near))
        switch library.log.count {
        // Between its calls, the program changes what the library waits for.
        case 1: return true
        case 2: send(library.far, "text", 4, 0)
        case 3: library.wantsToWrite = true
        case 4:
          library.wantsToWrite = false
          library.timeout = .milliseconds(1)
        default: library.timeout = nil
        }
        return false
      }.observe { event in
        if case .next = event { library.elements += 1 }
        #expect(library.elements == library.log.count)
        if library.log.count == 5 { bag.dispose() }
      }.dispose(in: bag)
    }
    #expect(log == ["called", "called", "text", "writes", "called"])
  }

  @Test func `a failure of the library ends the stream after the call`() async throws {
    let log = try await run { _, library, bag in
      library.operation { _ throws(UVError) in
        library.log.append("called")
        throw UVError(errno: EPROTO, call: "library")
      }.observeFailed { library.log.append("\($0.code == UVError.Code(errno: EPROTO))") }.dispose(in: bag)
    }
    #expect(log == ["called", "true"])
  }

  @Test func `the library may close its descriptor in a call and open another one, and end without one`() async throws {
    let log = try await run { _, library, bag in
      send(library.far, "first", 5, 0)
      library.operation { ready in
        if ready.isEmpty { return false }
        library.log.append(LibraryDriverTests.readAll(library.near))
        library.shut()
        if library.log.count == 1 {
          library.open()
          send(library.far, "second", 6, 0)
        }
        return false
      }.observe { event in
        if case .next = event { library.elements += 1 }
        // The element of the last call comes before the failure.
        if case .failed(let error) = event {
          library.log.append("\(error.code == UVError.Code(errno: EBADF)) after \(library.elements)")
        }
      }.dispose(in: bag)
    }
    #expect(log == ["first", "second", "true after 3"])
  }

  @Test func `pausing stops the calls, and resuming goes on`() async throws {
    let log = try await run { _, library, bag in
      send(library.far, "text", 4, 0)
      let observation = library.operation { ready in
        library.log.append(ready.isEmpty ? "called" : LibraryDriverTests.readAll(library.near))
        if !ready.isEmpty { bag.dispose() }
        return false
      }.observeFailed { _ in }
      observation.pause()
      observation.dispose(in: bag)
      Stream<Int>.interval(.milliseconds(5)).prefix(1).observeNext { _ in
        library.log.append("resumed")
        observation.resume()
      }.dispose(in: bag)
    }
    // The library may be ready before the call without readiness that begins.
    #expect(log.filter { $0 != "called" } == ["resumed", "text"] && log.first == "resumed")
  }

  @Test func `an interval counts from the last call, whatever else the loop does`() async throws {
    let log = try await run { _, library, bag in
      // Wakes the loop far more often than the interval.
      Stream<Int>.interval(.milliseconds(2)).observeNext { _ in }.dispose(in: bag)
      Operation<Void, UVError>.driving(
        descriptor: { library.near }, interval: .milliseconds(20), failure: { $0 }
      ) { _ in
        library.log.append("called")
        if library.log.count == 3 { bag.dispose() }
        return false
      }.observeFailed { _ in }.dispose(in: bag)
    }
    #expect(log == ["called", "called", "called"])
  }
}
