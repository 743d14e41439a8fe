import Streams
import StreamsTesting
import TestSupport
import Testing

/// An actor with a subject that was made before the actor.
private actor Keeper {
  let state: ReplayOneSubject<Int, Never>
  let bag = DisposeBag()
  private(set) var seen: [Int] = []

  init(_ state: sending ReplayOneSubject<Int, Never>) { self.state = state }

  func start() {
    state.observeNext(with: self) { keeper, element in keeper.seen.append(element) }.dispose(in: bag)
    state.next(1)
  }

  func stop() { bag.dispose() }
}

/// The elements that late observers receive, and the runs of shared streams.
@Suite(.noLiveResources) struct ReplayTests {
  let probe = Probe<TestError>()

  // MARK: Subjects

  @Test(arguments: 0...4) func `a replay subject gives exactly its last elements, before the end and after it`(
    _ size: Int
  ) {
    let subject = ReplaySubject<Int, TestError>(bufferSize: size)
    for number in 1...6 { subject.next(number) }
    let last = (1...6).suffix(size).map { Event<Int, TestError>.next($0) }
    let recorder = subject.record()
    #expect(recorder.events == last)
    #expect(subject.observerCount == 1)
    subject.failed("end")
    #expect(recorder.events == last + [.failed("end")])
    #expect(subject.record().events == last + [.failed("end")])
    subject.next(7)
    #expect(subject.record().events == last + [.failed("end")])
    #expect(subject.observerCount == 0)
  }

  @Test func `what is sent during the last delivery is stored although nobody observes any more`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 2)
    let bag = DisposeBag()
    subject.observeNext { element in
      subject.next(element + 1)
      subject.next(element + 2)
      bag.dispose()
    }.dispose(in: bag)
    subject.next(1)
    #expect(subject.record().elements == [2, 3])
  }

  @Test func `a replay subject that has less gives what it has`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 5)
    #expect(subject.record().events.isEmpty)
    subject.next(1)
    #expect(subject.record().elements == [1])
    subject.completed()
    #expect(subject.record().events == [.next(1), .completed])
    #expect(subject.record().subscription.isDisposed)
    #expect(subject.take(1).record().events == [.next(1), .completed])
  }

  @Test func `who observes a replay subject during a delivery gets each element once`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 2)
    var late: Recorder<Int, Never>?
    let subscription = subject.observeNext { element in
      if element == 1 {
        subject.next(2)
        late = subject.record()
      }
    }
    subject.next(0)
    subject.next(1)
    #expect(late?.elements == [0, 1, 2])
    subscription.dispose()
    late?.dispose()
    #expect(subject.observerCount == 0)
  }

  @Test func `what is sent while it replays comes after it, for all`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 2)
    subject.next(1)
    subject.next(2)
    let early = subject.record()
    var log: [Int] = []
    let subscription = subject.observe(
      next: { element in
        log.append(element)
        if element == 1 {
          subject.next(3)
          subject.completed()
        }
      }, termination: { _ in log.append(-1) })
    #expect(log == [1, 2, 3, -1])
    #expect(early.events == [.next(1), .next(2), .next(3), .completed])
    #expect(subscription.isDisposed)
  }

  @Test func `an observer that subscribes while another one receives old elements comes after it`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 1)
    let bag = DisposeBag()
    var log: [String] = []
    func observe(_ name: String, _ then: @escaping (Int) -> Void = { _ in }) {
      subject.observeNext {
        log.append("\(name)\($0)")
        then($0)
      }.dispose(in: bag)
    }
    subject.next(0)
    observe("a") { if $0 == 0 { observe("b") } }
    subject.next(1)
    #expect(log == ["a0", "b0", "a1", "b1"])
    bag.dispose()
  }

  @Test func `a replay-one subject gives the newest element`() {
    let subject = ReplayOneSubject<Int, TestError>()
    subject.next(1)
    subject.next(2)
    let recorder = subject.record()
    subject.next(3)
    subject.completed()
    #expect(recorder.events == [.next(2), .next(3), .completed])
    #expect(subject.record().events == [.next(3), .completed])
  }

  @Test func `an element that is remembered for late observers is not disposed`() {
    let counter = ResourceCounter()
    let source = PushOperation<Resource, TestError>()
    let subject = ReplaySubject<Resource, TestError>(bufferSize: 1)
    let shared = [source.shareReplay(1), source.replayLazily(1), source.replay(1).refCount(), subject.toOperation()]
    let subscriptions = shared.map { $0.observe { _ in } }
    for _ in 0..<3 {
      source.next(Resource(counter))
      subject.next(Resource(counter))
    }
    for subscription in subscriptions { subscription.dispose() }
    #expect(counter.made == 6 && counter.count == 6)
  }

  // MARK: Connectable streams

  @Test func `a connectable stream starts once, when it is told to`() {
    let connectable = probe.stream.publish()
    let first = connectable.record()
    let second = connectable.record()
    #expect(probe.starts == 0)
    let connection = connectable.connect()
    connectable.connect()
    #expect(probe.starts == 1)
    probe.next(1)
    #expect(first.elements == [1] && second.elements == [1])
    connection.dispose()
    #expect(probe.disposals == 1)
    probe.next(2)
    #expect(first.elements == [1])
    first.dispose()
    second.dispose()
  }

  @Test func `connect works again after its run was disposed of, and after its end`() {
    let connectable = probe.stream.replay(2)
    let recorder = connectable.record()
    let connection = connectable.connect()
    probe.observers[0].next(1)
    connection.dispose()
    let again = connectable.connect()
    #expect(probe.starts == 2)
    connection.dispose()
    #expect(!again.isDisposed)
    probe.observers[1].next(2)
    #expect(recorder.elements == [1, 2])
    #expect(connectable.record().elements == [2])
    probe.observers[1].completed()
    #expect(recorder.isCompleted)
    let third = connectable.connect()
    #expect(probe.starts == 3)
    let late = connectable.record()
    probe.observers[2].next(3)
    #expect(late.events == [.next(3)])
    third.dispose()
    late.dispose()
  }

  @Test func `refCount connects with the first observer, ends with the last, and connects again`() {
    let shared = probe.stream.publish().refCount()
    let first = shared.record()
    let second = shared.record()
    #expect(probe.starts == 1)
    first.dispose()
    #expect(probe.disposals == 0)
    second.dispose()
    #expect(probe.disposals == 1)
    let third = shared.record()
    #expect(probe.starts == 2)
    probe.observers[1].next(1)
    #expect(third.elements == [1])
    third.dispose()
    #expect(probe.disposals == 2)
  }

  @Test func `a run that connect() holds is neither ended nor paused by the observers of refCount()`() {
    let connectable = probe.stream.publish()
    let direct = connectable.record()
    let counted = connectable.refCount().record()
    counted.pause()
    #expect(probe.pauses == 1, "an observer of the connectable stream does not count")
    let connection = connectable.connect()
    #expect(probe.starts == 1 && probe.resumes == 1)
    counted.resume()
    counted.pause()
    #expect(probe.pauses == 1)
    probe.observers[0].next(1)
    counted.dispose()
    #expect(probe.disposals == 0)
    probe.observers[0].next(2)
    #expect(direct.elements == [1, 2])
    connection.dispose()
    #expect(probe.disposals == 1)
    direct.dispose()
  }

  @Test func `the disposal of a connection ends the run for all, and the next run reaches those that have stayed`() {
    let connectable = probe.stream.replay(2)
    let connection = connectable.connect()
    let direct = connectable.record()
    let counted = connectable.refCount().record()
    probe.observers[0].next(1)
    connection.dispose()
    #expect(probe.disposals == 1)
    let second = connectable.refCount().record()
    #expect(probe.starts == 2)
    probe.observers[1].next(2)
    #expect(direct.elements == [1, 2] && counted.elements == [1, 2])
    #expect(second.elements == [2], "the elements of the run before are not replayed")
    for recorder in [direct, counted, second] { recorder.dispose() }
    #expect(probe.disposals == 2)
  }

  @Test func `a run that the end of the previous one starts keeps its elements`() {
    var shared = Stream<Int>.never()
    var again: Recorder<Int, Never>?
    var runs = 0
    shared = Stream { observer in
      runs += 1
      observer.next(runs)
      return BlockDisposable { if runs == 1 { again = shared.record() } }
    }.shareReplay(1)
    shared.record().dispose()
    #expect(again?.elements == [2])
    #expect(shared.record().elements == [2], "late observers get the element of the run that goes on")
    again?.dispose()
    again = nil
    shared = .never()
  }

  @Test func `shareReplay gives late observers the last elements and replays a run that has ended`() {
    let shared = probe.stream.shareReplay(2)
    let first = shared.record()
    for number in 1...3 { probe.next(number) }
    let late = shared.record()
    #expect(late.elements == [2, 3])
    probe.terminate(.completed)
    #expect(first.isCompleted && late.isCompleted)
    #expect(shared.record().events == [.next(2), .next(3), .completed])
    #expect(probe.starts == 1)
  }

  @Test func `shareReplay forgets when the last has left`() {
    let shared = probe.stream.shareReplay(2)
    let first = shared.record()
    for number in 1...3 { probe.next(number) }
    first.dispose()
    let second = shared.record()
    #expect(probe.starts == 2)
    #expect(second.events.isEmpty)
    for number in 4...6 {
      probe.next(number)
      let late = shared.record()
      #expect(late.elements == Array([4, 5, 6].prefix(number - 3).suffix(2)))
      late.dispose()
    }
    second.dispose()
  }

  @Test func `shareReplay pauses its source while all observers pause`() {
    let shared = probe.stream.shareReplay(1)
    let first = shared.record()
    let second = shared.record()
    first.pause()
    #expect(probe.pauses == 0)
    second.pause()
    #expect(probe.pauses == 1)
    second.dispose()
    #expect(probe.resumes == 0)
    first.resume()
    #expect(probe.resumes == 1)
    first.dispose()
    #expect(probe.disposals == 1)
  }

  @Test func `split gives elements and failures of one run`() {
    let (elements, failures) = probe.stream.split()
    let values = elements.record()
    let errors = failures.record()
    probe.next(1)
    probe.terminate(.failed("end"))
    #expect(probe.starts == 1)
    #expect(values.events == [.next(1), .completed])
    #expect(errors.events == [.next("end"), .completed])
    #expect(failures.record().events == [.next("end"), .completed])
    #expect(probe.starts == 1)
  }

  // MARK: pipe and lifetimes

  @Test func `a pipe has a stream and an input apart from each other`() {
    var (stream, input) = Operation<Int, TestError>.pipe()
    let recorder = stream.record()
    input.next(1)
    #expect(recorder.events == [.next(1)])
    input.completed()
    #expect(recorder.isCompleted)
    #expect(stream.record().events == [.completed])
    (stream, input) = Operation.pipe()
    weak var watched: Canary?
    do {
      let canary = Canary()
      watched = canary
      _ = stream.observeNext { _ in _ = canary }
    }
    #expect(watched != nil)
    input = PushOperation()
    #expect(watched == nil)
  }

  @Test func `a lifetime ends with its token, which it does not keep`() {
    var ends = 0
    var token: Lifetime.Token? = Lifetime.Token()
    let lifetime = Lifetime(token!)
    lifetime.observeEnded { ends += 1 }
    let recorder = probe.stream.take(during: lifetime).record()
    probe.next(1)
    #expect(!lifetime.hasEnded && ends == 0)
    token = nil
    #expect(lifetime.hasEnded && ends == 1)
    #expect(recorder.events == [.next(1), .completed])
    #expect(probe.disposals == 1)
    lifetime.observeEnded { ends += 1 }
    #expect(ends == 2)
    #expect(probe.stream.take(during: lifetime).record().events == [.completed])
    #expect(probe.starts == 1)
    #expect(Lifetime.empty.hasEnded)
  }

  @Test func `a subject that remembers may be made in another domain than the one that observes it`() async {
    let keeper = await MainActor.run { Keeper(ReplayOneSubject()) }
    await keeper.start()
    #expect(await keeper.seen == [1])
    await keeper.stop()
  }
}
