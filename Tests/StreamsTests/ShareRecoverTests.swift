import Streams
import StreamsTesting
import Testing

/// Sharing one run, and continuing after a failure.
@Suite(.noLiveResources) struct ShareRecoverTests {
  @Test func `share runs its source once for all observers`() {
    let probe = Probe<TestError>()
    let shared = probe.stream.share()
    let first = shared.record()
    probe.next(1)
    let second = shared.record()
    probe.next(2)
    #expect(probe.starts == 1)
    #expect(first.elements == [1, 2])
    #expect(second.elements == [2])
    first.dispose()
    #expect(probe.disposals == 0)
    second.dispose()
    #expect(probe.disposals == 1)
  }

  @Test func `share starts anew after the last has left and after the end`() {
    let probe = Probe<TestError>()
    let shared = probe.stream.share()
    shared.record().dispose()
    let second = shared.record()
    #expect(probe.starts == 2)
    probe.terminate(.completed)
    #expect(second.isCompleted)
    let third = shared.record()
    #expect(probe.starts == 3)
    #expect(third.events.isEmpty)
    third.dispose()
    #expect(probe.disposals == 3)
  }

  @Test func `share lets an observer of the end start it anew`() {
    let probe = Probe<TestError>()
    let shared = probe.stream.share()
    var again: Recorder<Int, TestError>?
    let first = shared.observeCompleted { again = shared.record() }
    probe.observers[0].completed()
    #expect(probe.starts == 2)
    #expect(again?.events.isEmpty == true)
    again?.dispose()
    first.dispose()
  }

  @Test func `share pauses its source while all observers pause`() {
    let probe = Probe<TestError>()
    let shared = probe.stream.share()
    let first = shared.record()
    let second = shared.record()
    first.pause()
    #expect(probe.pauses == 0)
    second.pause()
    #expect(probe.pauses == 1)
    let third = shared.record()
    #expect(probe.resumes == 1)
    third.dispose()
    #expect(probe.pauses == 2)
    first.resume()
    #expect(probe.resumes == 2)
    first.dispose()
    #expect(probe.pauses == 3)
    second.dispose()
    #expect(probe.disposals == 1)
  }

  @Test func `flatMapError goes on with another operation`() {
    let failing = Operation<Int, TestError>.just(1).concat(with: Operation.failed("first"))
    let recovered: Stream<Int> = failing.flatMapError { _ in Stream.sequence([2, 3]) }
    #expect(recovered.record().events == [.next(1), .next(2), .next(3), .completed])
    struct Other: Error, Equatable { let name: String }
    let other = failing.flatMapError { Operation<Int, Other>.failed(Other(name: "after \($0.name)")) }
    #expect(other.record().failure == Other(name: "after first"))
    let unneeded = Operation<Int, TestError>.just(1).flatMapError { _ in Stream.just(9) }
    #expect(unneeded.record().events == [.next(1), .completed])
  }

  @Test func `flatMapError disposes of, and pauses, whichever of the two runs`() {
    let first = Probe<TestError>()
    let second = Probe<Never>()
    let recorder = first.stream.flatMapError { _ in second.stream }.record()
    recorder.pause()
    #expect(first.pauses == 1)
    first.terminate(.failed("first"))
    #expect(first.disposals == 1)
    #expect(second.starts == 1 && second.pauses == 1)
    recorder.resume()
    #expect(second.resumes == 1)
    recorder.dispose()
    #expect(second.disposals == 1)
  }

  @Test func `recover emits a last element and completes`() {
    let failing = Operation<Int, TestError>.just(1).concat(with: Operation.failed("first"))
    #expect(failing.recover(with: 9).record().events == [.next(1), .next(9), .completed])
    #expect(failing.toStream(recoverWith: 9).record().events == [.next(1), .next(9), .completed])
    #expect(failing.recover(with: 9).take(2).record().events == [.next(1), .next(9), .completed])
    #expect(Operation<Int, TestError>.just(1).recover(with: 9).record().elements == [1])
  }

  @Test func `toStream(logError:) completes, and says why if it is asked to`() {
    let failing = Operation<Int, TestError>.just(1).concat(with: Operation.failed("first"))
    var events: [Event<Int, Never>] = []
    let silent = captureDiagnostics { events = failing.toStream(logError: false).record().events }
    #expect(events == [.next(1), .completed])
    #expect(silent.isEmpty)
    let loud = captureDiagnostics { events = failing.toStream(logError: true).record().events }
    #expect(events == [.next(1), .completed])
    #expect(loud.count == 1)
    #expect(loud.first?.contains("ShareRecoverTests.swift") == true)
    #expect(loud.first?.contains("TestError(first)") == true)
  }
}
