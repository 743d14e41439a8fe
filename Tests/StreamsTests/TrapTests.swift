import Streams
import StreamsTesting
import TestSupport
import Testing

/// Traps are part of the interface: each message names the fix.
@Suite(.timeLimit(.minutes(15))) struct TrapTests {
  private func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func `a debounce without a clock`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PushStream<Int>().debounce(for: .seconds(1)).observeNext { _ in }
    }
    #expect(message(result).contains("debounce(for:on:) needs a clock, and was observed on a thread without one"))
    #expect(message(result).contains("on: ActorScheduler()"))
  }

  @Test func `an interval of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Stream.interval(.zero)
    }
    #expect(message(result).contains("an interval is longer than zero."))
  }

  @Test func `a buffer of nothing`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PushStream<Int>().buffer(0)
    }
    #expect(message(result).contains("buffer(0): the size of a buffer is at least 1."))
  }

  @Test func `a trap names the operator that was called`() async {
    let window = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PushStream<Int>().window(0)
    }
    #expect(message(window).contains("window(0): the size of a window is at least 1."))
    let buffer = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PushStream<Int>().buffer(for: .zero)
    }
    #expect(message(buffer).contains("buffer(for: 0.0 seconds): the interval has to be longer than zero."))
    let replay = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PushStream<Int>().shareReplay(-1)
    }
    #expect(message(replay).contains("shareReplay(-1): the number of elements is at least 0."))
  }

  @Test func `no concurrency at all`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = FlattenStrategy.concurrent(limit: 0)
    }
    #expect(message(result).contains("at least one inner stream has to run."))
  }

  @Test func `an actor scheduler outside of an actor`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ActorScheduler(isolation: nil)
    }
    #expect(message(result).contains("An ActorScheduler is made in an actor or on the main actor"))
  }

  @Test func `one observer in two hot streams`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (one, two) = (PushStream<Int>(), PushStream<Int>())
      let both = Stream<Int> { observer in CompositeDisposable([one.subscribe(observer), two.subscribe(observer)]) }
      _ = both.observeNext { _ in }
    }
    #expect(message(result).contains("In a producer observe each with `observe` and send on to the observer"))
  }

  @Test func `a bag that is used in another home`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Used in another home on purpose: this is the programmer error that traps.
      nonisolated(unsafe) let bag = DisposeBag()
      await onOwnThreadWithHome { BlockDisposable {}.dispose(in: bag) }
      await onOwnThreadWithHome { BlockDisposable {}.dispose(in: bag) }
    }
    #expect(
      message(result).contains("a DisposeBag was used outside of the isolation domain in which it was first used."))
    #expect(message(result).contains("send elements there with an Inlet"))
  }

  @Test func `a hot stream that is sent to in another home`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Used in another home on purpose: this is the programmer error that traps.
      nonisolated(unsafe) let push = PushStream<Int>()
      // The thread of the home is still alive, or another one could have its number.
      await MainActor.run { _ = push.observeNext { _ in } }
      await onOwnThreadWithHome { push.next(1) }
    }
    #expect(
      message(result).contains("A hot stream was used outside of the isolation domain in which it was first used."))
  }

  @Test func `a hot stream of an actor that is observed on the main thread`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Observed by another actor on purpose: this is the programmer error that traps.
      nonisolated(unsafe) let push = PushStream<Int>()
      let owner = Owner()
      await owner.observe(push)
      // The function is not isolated, so the compiler does not find the error.
      await MainActor.run { observe(push) }
      await owner.observe(push)
    }
    #expect(message(result).contains("A hot stream belongs to one actor and was observed in another."))
  }

  @Test func `a producer that sends from another thread`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Passed to another thread on purpose: this is the programmer error that traps.
      nonisolated(unsafe) var observer: Observer<Int, Never>?
      let numbers = Stream<Int> {
        observer = $0
        return .none
      }
      await MainActor.run { _ = numbers.observeNext { _ in } }
      await onOwnThreadWithHome { observer?.next(1) }
    }
    #expect(message(result).contains("A producer sent to its observer from another thread"))
  }

  @Test(arguments: 0..<3, [false, true])
  func `a subscription that is used on another thread`(_ use: Int, isInlet: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use, isInlet] in
      // Passed to another thread on purpose: this is the programmer error that traps.
      nonisolated(unsafe) var subscription: Subscription?
      let inlet = Inlet<Int>(capacity: 1, whenFull: .dropNewest, isolation: nil)
      await MainActor.run {
        let producer = Stream<Int> { _ in BlockDisposable {} }
        subscription = (isInlet ? inlet.stream : producer).observeNext { _ in }
        if use == 1 { subscription?.pause() }
      }
      await onOwnThreadWithHome {
        switch use {
        case 0: subscription?.pause()
        case 1: subscription?.resume()
        default: subscription?.dispose()
        }
      }
    }
    let text = message(result)
    #expect(text.contains("on another thread than the one that observes") || text.contains("A hot stream was used"))
  }
}

private func observe(_ push: PushStream<Int>) { _ = push.observeNext { _ in } }

private actor Owner {
  func observe(_ push: PushStream<Int>) { _ = push.observeNext { _ in } }
}

/// Runs `body` on a new thread with a home of its own.
private func onOwnThreadWithHome(_ body: @escaping @Sendable () -> Void) async {
  try? await onOwnThread {
    HomeThread.set(mailbox: ThreadMailbox(), scheduler: nil)
    body()
  }
}
