import Streams
import StreamsTesting
import Testing

/// Pressure on one run with a synchronous source. Inside the call that starts or resumes the source, the observers do not have
/// a subscription yet that they could pause or dispose.
@Suite(.noLiveResources)
struct SharedPressureTests {
  /// A way to share one run among observers.
  struct Sharing: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Source) -> Source

    static let all = [
      Sharing(testDescription: "share") { $0.share() },
      Sharing(testDescription: "refCount") { $0.publish().refCount() },
      Sharing(testDescription: "shareReplay") { $0.shareReplay(1) },
      Sharing(testDescription: "replayLazily(0)") { $0.replayLazily(0) },
      Sharing(testDescription: "replayLazily(1)") { $0.replayLazily(1) },
    ]
  }

  private final class Count {
    var value = 0
  }

  private func numbers(_ pulled: Count) -> Source {
    Source.sequence(1...20_000).map { number in
      pulled.value += 1
      return number
    }
  }

  @Test(arguments: Sharing.all)
  func `a source that is started stops while its only observer pauses`(_ sharing: Sharing) {
    let pulled = Count()
    let push = PushOperation<Int, TestError>()
    let recorder = sharing.apply(numbers(pulled)).zip(with: push).map { $0.0 }.record()
    #expect(pulled.value == Watermarks.standard.high)
    for _ in 0..<Watermarks.standard.high { push.next(0) }
    #expect(recorder.elements == Array(1...Watermarks.standard.high))
    #expect(pulled.value > Watermarks.standard.high)
    #expect(pulled.value <= 2 * Watermarks.standard.high)
    recorder.dispose()
  }

  @Test(arguments: Sharing.all)
  func `a source goes on where an observer that paused at its start resumes`(_ sharing: Sharing) {
    let push = PushOperation<Int, TestError>()
    let recorder = sharing.apply(Source.sequence(0..<5_000)).zip(with: push).map { $0.0 }.record()
    for _ in 0..<5_000 { push.next(0) }
    #expect(recorder.elements == Array(0..<5_000))
    #expect(recorder.isCompleted)
  }

  @Test(arguments: Sharing.all)
  func `a second observer that has had enough at once stops a run that it has resumed`(_ sharing: Sharing) {
    let pulled = Count()
    let shared = sharing.apply(numbers(pulled))
    let push = PushOperation<Int, TestError>()
    let first = shared.zip(with: push).map { $0.0 }.record()
    let before = pulled.value
    let second = shared.take(2).record()
    #expect(second.elements.count == 2)
    #expect(second.isCompleted)
    #expect(pulled.value <= before + 2)
    first.dispose()
  }

  @Test(arguments: Sharing.all)
  func `a second observer that pauses at once stops a run that it has resumed`(_ sharing: Sharing) {
    let pulled = Count()
    let shared = sharing.apply(numbers(pulled))
    let (left, right) = (PushOperation<Int, TestError>(), PushOperation<Int, TestError>())
    let first = shared.zip(with: left).map { $0.0 }.record()
    let second = shared.zip(with: right).map { $0.0 }.record()
    #expect(pulled.value <= 2 * Watermarks.standard.high)
    left.next(0)
    right.next(0)
    #expect(first.elements == [1])
    #expect(second.elements.count == 1)
    first.dispose()
    second.dispose()
  }

  @Test func `observers that replayLazily feeds one after the other get what they take, and no more is pulled`() {
    let pulled = Count()
    let lazy = numbers(pulled).replayLazily(0)
    #expect(lazy.take(2).record().elements == [1, 2])
    #expect(lazy.take(2).record().elements == [3, 4])
    #expect(lazy.take(2).record().elements == [5, 6])
    #expect(pulled.value == 6)
  }
}
