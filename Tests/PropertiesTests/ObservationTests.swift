import EventLoops
import Observation
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// `@Observable` objects as streams.
@Suite("Observation", .noLiveResources, .timeLimit(.minutes(15))) struct ObservationTests {
  @Observable fileprivate final class Model: ReactiveCompatible {
    var count = 0
    var name = "a"
    var shout: String { name + "!" }
  }

  @Observable fileprivate final class Owned: ReactiveCompatible, LifetimeProviding {
    var count = 0
    @ObservationIgnored private let token = Lifetime.Token()
    var lifetime: Lifetime { Lifetime(token) }
  }

  /// An observable object without a lifetime.
  @Observable fileprivate final class Plain {
    var count = 0
    @ObservationIgnored var constant = 7
    @ObservationIgnored let inner = Model()
  }

  @MainActor private final class Watch {
    let model = Model()
    private let bag = DisposeBag()

    func start(_ continuation: AsyncStream<Int>.Continuation) {
      model.reactive.values(for: \.count).observeNext { count in
        MainActor.assumeIsolated { _ = continuation.yield(count) }
      }.dispose(in: bag)
    }

    func stop() { bag.dispose() }
  }

  @Test func `the current value at once, then each new one on the next turn`() {
    let home = ThreadMailbox()
    let elements = runAtHome(home) {
      let model = Model()
      let record = model.reactive.values(for: \.count).record()
      let changes = model.reactive.changes(for: \.count).record()
      #expect(record.elements == [0])
      model.count = 1
      model.name = "unrelated"
      home.run()
      model.count = 2
      model.count = 3
      home.run()
      #expect(changes.elements == [1, 3])
      return record.elements
    }
    #expect(elements == [0, 1, 3])
  }

  @Test func `computed properties are tracked through what they read`() {
    let home = ThreadMailbox()
    let elements = runAtHome(home) {
      let model = Model()
      let record = model.reactive.values(for: \.shout).record()
      model.name = "b"
      home.run()
      return record.elements
    }
    #expect(elements == ["a!", "b!"])
  }

  @Test func `after disposal nothing comes, also of what is on its way`() {
    let home = ThreadMailbox()
    let elements = runAtHome(home) {
      let model = Model()
      let record = model.reactive.values(for: \.count).record()
      model.count = 1
      record.dispose()
      home.run()
      return record.elements
    }
    #expect(elements == [0])
  }

  @Test func `the object is not kept; one with a lifetime completes the stream`() {
    let home = ThreadMailbox()
    runAtHome(home) {
      var model: Model? = Model()
      let record = model!.reactive.values(for: \.count).record()
      weak let reference = model
      model = nil
      #expect(reference == nil)
      #expect(record.events == [.next(0)])
      var owned: Owned? = Owned()
      let other = owned!.reactive.values(for: \.count).record()
      owned?.count = 1
      owned = nil
      home.run()
      #expect(other.events == [.next(0), .completed])
    }
  }

  @Test func `the stream completes on the next turn when an object without a lifetime has gone`() {
    let home = ThreadMailbox()
    runAtHome(home) {
      var model: Plain? = Plain()
      let values = Reactive(model!).values(for: \.count)
      let (record, constant) = (values.record(), Reactive(model!).values(for: \.constant).record())
      home.run()
      #expect(constant.events == [.next(7)])
      model?.count = 1
      home.run()
      model = nil
      #expect(record.events == [.next(0), .next(1)])
      home.run()
      #expect(record.events == [.next(0), .next(1), .completed])
      #expect(values.record().events == [.completed])
    }
  }

  @Test func `a key path through another object completes with the next change of that`() {
    let home = ThreadMailbox()
    runAtHome(home) {
      var model: Plain? = Plain()
      let inner = model!.inner
      let record = Reactive(model!).values(for: \.inner.count).record()
      model = nil
      home.run()
      inner.count = 1
      home.run()
      #expect(record.events == [.next(0), .completed])
    }
  }

  @Test func `on the main actor it delivers there`() async {
    let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
    let watch = await Watch()
    await watch.start(continuation)
    var seen: [Int] = []
    for await number in numbers {
      seen.append(number)
      if number == 3 { break }
      await MainActor.run { watch.model.count = number + 1 }
    }
    #expect(seen == [0, 1, 2, 3])
    await watch.stop()
  }

  @Test func `observed on a thread that cannot receive changes it traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await onOwnThread {
        let model = Model()
        _ = model.reactive.values(for: \.count).observe(isolation: nil) { _ in }
        withExtendedLifetime(model) {}
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Observe it on a loop's thread, on the main actor, or in an actor"))
  }
}

/// Runs `body` on this thread as if it were the thread of `home`.
private func runAtHome<Result>(_ home: ThreadMailbox, _ body: () -> Result) -> Result {
  let previous = HomeThread.mailbox
  HomeThread.set(mailbox: home, scheduler: nil)
  defer { HomeThread.set(mailbox: previous, scheduler: nil) }
  return body()
}
