import Streams
import StreamsTesting
import TestSupport
import Testing

/// Sources, and the guard around producers that users write.
@Suite(.noLiveResources) struct CreationTests {
  @Test func `just, completed, failed, never and deferred`() {
    #expect(Stream.just(1).record().events == [.next(1), .completed])
    #expect(Stream<Int>.completed().record().events == [.completed])
    #expect(Source.failed("x").record().events == [.failed("x")])
    #expect(Stream<Int>.never().record().events.isEmpty)
    var made = 0
    let deferred = Stream<Int>.deferred {
      made += 1
      return Stream.just(made)
    }
    #expect(made == 0)
    #expect(deferred.record().elements == [1])
    #expect(deferred.record().elements == [2])
  }

  @Test func `a sequence is iterated anew for each observer and no further than needed`() {
    var iterated = 0
    let numbers = sequence(first: 1) { number in
      iterated += 1
      return number + 1
    }
    let stream = Stream.sequence(numbers)
    #expect(stream.take(3).record().elements == [1, 2, 3])
    #expect(iterated == 2)
    #expect(stream.first().record().elements == [1])
  }

  @Test func `a sequence that is disposed while it is paused is released`() {
    weak var watched: Canary?
    var subscription: Subscription?
    let start = PushStream<Void>()
    do {
      let canary = Canary()
      watched = canary
      let elements = (1...3).lazy.map { number in
        _ = canary
        return number
      }
      subscription = start.flatMap(.latest) { Stream.sequence(elements) }.observeNext { _ in subscription?.pause() }
    }
    start.next()
    #expect(watched != nil)
    subscription?.dispose()
    #expect(watched == nil)
    subscription = nil
  }

  @Test func `a producer may call its observer in any way`() {
    var held: Observer<Int, TestError>?
    let stream = Source { observer in
      held = observer
      observer.next(1)
      return .none
    }
    let recorder = stream.record()
    held?.send(.next(2))
    #expect(held?.isDisposed == false)
    held?.send(.failed("x"))
    held?.next(3)
    held?.completed()
    #expect(recorder.events == [.next(1), .next(2), .failed("x")])
    #expect(held?.isDisposed == true)
  }

  @Test func `a producer that holds on to its observer does not hold the downstream after the end`() {
    weak var watched: Canary?
    var held: [Observer<Int, TestError>] = []
    let stream = Source { observer in
      held.append(observer)
      return .none
    }
    for end in [Termination<TestError>.completed, .failed("x"), nil] {
      var subscription: Subscription?
      do {
        let canary = Canary()
        watched = canary
        subscription = stream.map { $0 }.observe { _ in _ = canary }
      }
      held.last?.next(1)
      #expect(watched != nil)
      if let end { held.last?.terminate(end) } else { subscription?.dispose() }
      #expect(watched == nil)
    }
  }

  @Test func `a producer may be disposed by what it sends before it returns`() {
    var disposals = 0
    var afterwards = 0
    let stream = Stream<Int> { observer in
      for number in 0..<5 {
        if observer.isDisposed { break }
        observer.next(number)
        afterwards += 1
      }
      return BlockDisposable { disposals += 1 }
    }
    #expect(stream.take(2).record().elements == [0, 1])
    #expect(afterwards == 2)
    #expect(disposals == 1)
  }

  @Test func `what is sent from inside a delivery of a cold stream is queued`() {
    var sender: Observer<Int, Never>?
    var log: [Int] = []
    let stream = Stream<Int> { observer in
      sender = observer
      return .none
    }
    let subscription = stream.observe(
      next: { number in
        if number == 1 {
          sender?.next(2)
          sender?.completed()
          sender?.next(3)
        }
        log.append(number)
      }, termination: { _ in log.append(-1) })
    sender?.next(1)
    #expect(log == [1, 2, -1])
    sender = nil
    subscription.dispose()
  }

  @Test func `observers of one kind of event`() {
    var completions = 0
    var failures: [TestError] = []
    let bag = DisposeBag()
    Source.completed().observeCompleted { completions += 1 }.dispose(in: bag)
    Source.failed("x").observeCompleted { completions += 1 }.dispose(in: bag)
    Source.completed().observeFailed { failures.append($0) }.dispose(in: bag)
    Source.failed("x").observeFailed { failures.append($0) }.dispose(in: bag)
    #expect(completions == 1)
    #expect(failures == ["x"])
    #expect(bag.isDisposed)
  }

  @Test func `a producer may add what is to be disposed of`() {
    let flags = [SimpleDisposable(), SimpleDisposable(), SimpleDisposable()]
    var disposables: CompositeDisposable?
    let source = Source { observer, all in
      all += flags[0]
      disposables = all
      observer.next(1)
    }
    let recorder = source.record()
    disposables! += flags[1]
    #expect(recorder.elements == [1])
    #expect(!flags[0].isDisposed && !flags[1].isDisposed)
    recorder.dispose()
    disposables! += flags[2]
    #expect(flags.allSatisfy { $0.isDisposed })
    #expect(Source { observer, _ in observer.completed() }.record().events == [.completed])
  }

  @Test func `void streams`() {
    let push = PushStream<Void>()
    var count = 0
    let subscription = push.observeNext { count += 1 }
    push.next()
    push.send(.next(()))
    #expect(count == 2)
    subscription.dispose()
  }
}

@Suite struct EventTests {
  @Test func `events tell what they are`() {
    let next = Event<Int, TestError>.next(1)
    let failed = Event<Int, TestError>.failed("x")
    let completed = Event<Int, TestError>.completed
    #expect(next.element == 1 && next.error == nil && !next.isTermination && !next.isFailure && !next.isCompletion)
    #expect(failed.element == nil && failed.error == "x" && failed.isTermination && failed.isFailure)
    #expect(completed.isCompletion && completed.isTermination && !completed.isFailure)
    #expect("\(next) \(failed) \(completed)" == "next(1) failed(TestError(x)) completed")
  }

  @Test func `events map`() {
    #expect(Event<Int, TestError>.next(1).map { "\($0)" } == .next("1"))
    #expect(Event<Int, TestError>.failed("x").map { $0 } == .failed("x"))
    #expect(Event<Int, TestError>.failed("x").mapError { TestError($0.name + "y") } == .failed("xy"))
    #expect(Event<Int, TestError>.completed.mapError { $0 } == .completed)
    #expect(Event<Int, TestError>(.failed("x")) == .failed("x"))
    #expect(Termination<TestError>.failed("x").failure == "x")
  }
}

@Suite struct DeadlineQueueTests {
  @Test func `random deadlines come in order, equal ones in the order of adding, cancelled ones not at all`() {
    for seed in 0..<20 as Range<UInt64> {
      var random = SeededGenerator(seed)
      let queue = DeadlineQueue()
      var expected: [(due: Int, number: Int)] = []
      var served: [Int] = []
      var entries: [(entry: DeadlineQueue.Entry, number: Int)] = []
      for number in 0..<1_000 {
        let due = Int.random(in: 0..<200, using: &random)
        entries.append((queue.add(.seconds(due)) { served.append(number) }, number))
        expected.append((due, number))
      }
      entries.shuffle(using: &random)
      let cancelled = Set(entries.prefix(600).map(\.number))
      for (entry, _) in entries.prefix(600) { entry.dispose() }
      #expect(queue.count == 400)
      while let next = queue.next {
        #expect(queue.popDue(at: next - .seconds(1)) == nil)
        queue.popDue(at: next)?()
      }
      // The sort of the standard library is stable.
      #expect(served == expected.filter { !cancelled.contains($0.number) }.sorted { $0.due < $1.due }.map(\.number))
      #expect(queue.count == 0)
    }
  }
}
