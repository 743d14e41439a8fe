import Streams
import StreamsTesting
import Testing

/// `replayLazily`, `withShared`, and the race of inner streams.
@Suite(.noLiveResources)
struct SharingTests {
  let probe = Probe<TestError>()

  @Test func `an endless source stops when the observers that one of them has added have had enough`() {
    let bag = DisposeBag()
    var log: [String] = []
    let shared = Stream.sequence(0...).share()
    shared.take(1).flatMap(.merge) { _ in shared }.take(3).observe { log.append("\($0)") }.dispose(in: bag)
    #expect(log == ["next(1)", "next(2)", "next(3)", "completed"])
  }

  @Test func `who observes while an ended source is disposed neither starts it in that run nor ends with it later`() {
    typealias Numbers = Streams.Operation<Int, TestError>
    let operators: [(name: String, apply: (Numbers) -> Numbers)] = [
      ("share", { $0.share() }), ("shareReplay", { $0.shareReplay(1) }), ("refCount", { $0.publish().refCount() }),
      ("replay", { $0.replay(1).refCount() }), ("replayLazily", { $0.replayLazily(1) }),
    ]
    for (name, apply) in operators {
      for end in [Termination<TestError>.completed, .failed("end")] {
        let probe = Probe<TestError>()
        var onDisposed: (() -> Void)?
        let shared = apply(probe.stream.doOn(disposed: { onDisposed?() }))
        let first = shared.record()
        probe.next(1)
        var second: Recorder<Int, TestError>?
        onDisposed = {
          onDisposed = nil
          second = shared.record()
        }
        probe.terminate(end)
        #expect(first.events == [.next(1), end.failure.map { .failed($0) } ?? .completed], "\(name)")
        let isNewRun = end.failure != nil || name == "share"
        #expect(probe.starts == (isNewRun ? 2 : 1), "\(name)")
        if isNewRun {
          probe.next(2)
          #expect(second?.events == [.next(2)], "\(name)")
        } else {
          #expect(second?.events.last == .completed, "\(name)")
        }
        second?.dispose()
        // A run of `replayLazily` continues while the stream is retained.
        if name != "replayLazily" { #expect(probe.disposals == probe.starts, "\(name)") }
      }
    }
  }

  // MARK: replayLazily

  @Test func `replayLazily is started by its first observer, once`() {
    let lazy = probe.stream.replayLazily(1)
    #expect(probe.starts == 0)
    let first = lazy.record()
    #expect(probe.starts == 1)
    probe.next(1)
    probe.next(2)
    let second = lazy.record()
    #expect(probe.starts == 1)
    #expect(first.elements == [1, 2])
    #expect(second.elements == [2])
  }

  @Test func `replayLazily goes on without observers while somebody keeps it`() {
    var lazy: Source? = probe.stream.replayLazily(2)
    lazy!.record().dispose()
    #expect(probe.disposals == 0)
    for number in 1...3 { probe.next(number) }
    let late = lazy!.record()
    #expect(late.elements == [2, 3])
    lazy = nil
    probe.next(4)
    #expect(late.elements == [2, 3, 4])
    #expect(probe.disposals == 0)
    late.dispose()
    #expect(probe.disposals == 1)
  }

  @Test func `letting go of a subscription does not end replayLazily`() {
    var elements: [Int] = []
    let bag = DisposeBag()
    do {
      probe.stream.replayLazily(1).observeNext { elements.append($0) }.dispose(in: bag)
    }
    probe.next(1)
    #expect(elements == [1])
    bag.dispose()
    #expect(probe.disposals == 1)
  }

  @Test func `replayLazily gives its completion to those who come late, and does not run twice`() {
    let lazy = probe.stream.replayLazily(1)
    let first = lazy.record()
    probe.next(1)
    probe.terminate(.completed)
    #expect(first.events == [.next(1), .completed])
    #expect(lazy.record().events == [.next(1), .completed])
    #expect(probe.starts == 1)
  }

  // MARK: Failures

  private static let sharings: [@Sendable (Source) -> Source] = [
    { $0.share() }, { $0.shareReplay(2) }, { $0.publish().refCount() }, { $0.replay(1).refCount() },
    { $0.replayLazily(2) },
  ]

  @Test func `retry of a shared run that fails tries again, also where it fails at once`() {
    for sharing in Self.sharings {
      var attempts = 0
      let source = Source.deferred {
        attempts += 1
        if attempts < 4 { return .failed("attempt") }
        return .sequence([1, 2])
      }
      #expect(sharing(source).retry().record().events == [.next(1), .next(2), .completed])
      #expect(attempts == 4)
    }
  }

  @Test func `a failure is not remembered, and the next observer starts a new run`() {
    for sharing in Self.sharings {
      let probe = Probe<TestError>()
      let shared = sharing(probe.stream)
      let first = shared.record()
      let second = shared.record()
      probe.observers[0].next(1)
      probe.observers[0].failed("end")
      #expect(first.events == [.next(1), .failed("end")])
      #expect(second.events == [.next(1), .failed("end")])
      let third = shared.record()
      #expect(probe.starts == 2)
      probe.observers[1].next(2)
      #expect(third.events == [.next(2)])
      probe.observers[1].completed()
      #expect(third.isCompleted)
    }
  }

  @Test func `who observes a connectable stream after a failure waits for the next run`() {
    let connectable = probe.stream.replay(1)
    connectable.connect()
    let first = connectable.record()
    probe.observers[0].next(1)
    probe.observers[0].failed("end")
    #expect(first.events == [.next(1), .failed("end")])
    let second = connectable.record()
    #expect(second.events.isEmpty)
    let run = connectable.connect()
    probe.observers[1].next(2)
    #expect(second.elements == [2])
    run.dispose()
    second.dispose()
  }

  // MARK: refCount

  @Test func `after a completion, late observers of refCount receive it at once, with the remembered elements`() {
    for (limit, remembered) in [(0, []), (2, [2, 3])] as [(Int, [Int])] {
      let probe = Probe<TestError>()
      let shared = limit == 0 ? probe.stream.publish().refCount() : probe.stream.replay(limit).refCount()
      let first = shared.record()
      for number in 1...3 { probe.next(number) }
      probe.terminate(.completed)
      #expect(first.isCompleted)
      #expect(shared.record().events == remembered.map { .next($0) } + [.completed])
      #expect(probe.starts == 1)
    }
  }

  @Test func `refCount of a replay forgets its elements when the last observer leaves`() {
    let shared = probe.stream.replay(2).refCount()
    let first = shared.record()
    probe.next(1)
    first.dispose()
    let second = shared.record()
    #expect(probe.starts == 2 && second.events.isEmpty)
    second.dispose()
  }

  @Test func `replayLazily of a synchronous source`() {
    let lazy = Source.sequence(1...5).replayLazily(2)
    #expect(lazy.record().elements == [1, 2, 3, 4, 5])
    #expect(lazy.record().events == [.next(4), .next(5), .completed])
  }

  // MARK: withShared

  @Test func `withShared starts when all observe`() {
    let recorders = Source.sequence(1...3).withShared { shared, _ in [shared.record(), shared.map { $0 * 10 }.record()]
    }
    #expect(recorders.map(\.elements) == [[1, 2, 3], [10, 20, 30]])
    #expect(recorders.allSatisfy { $0.isCompleted })
  }

  @Test func `withShared goes on until its run is disposed of`() {
    let (recorder, run) = probe.stream.withShared { shared, run in (shared.record(), run) }
    probe.next(1)
    recorder.dispose()
    #expect(probe.disposals == 0)
    run.dispose()
    #expect(probe.disposals == 1)
    #expect(recorder.elements == [1])
  }

  @Test func `withShared does not start what has been disposed of`() {
    probe.stream.withShared { _, run in run.dispose() }
    #expect(probe.starts == 0)
  }

  @Test func `withShared of an infinite source is ended from inside of a delivery`() {
    var count = 0
    let bag = DisposeBag()
    Source.sequence(0...).withShared { shared, run in
      shared.observeNext { _ in
        count += 1
        if count == 3 { run.dispose() }
      }.dispose(in: bag)
    }
    #expect(count == 3)
    bag.dispose()
  }

  // MARK: flatMap(.race)

  @Test func `race lets the inner stream win that sends first, and ends the others and the outer stream`() {
    let inner = [Probe<TestError>(), Probe<TestError>(), Probe<TestError>()]
    let outer = Probe<TestError>()
    let recorder = outer.stream.flatMap(.race) { inner[$0].stream }.record()
    outer.next(0)
    outer.next(1)
    inner[1].next(10)
    #expect(inner[0].disposals == 1)
    #expect(outer.disposals == 1)
    outer.next(2)
    #expect(inner[2].starts == 0)
    inner[1].next(11)
    inner[1].terminate(.completed)
    #expect(recorder.events == [.next(10), .next(11), .completed])
  }

  @Test func `a race is also won by an end`() {
    let inner = [Probe<TestError>(), Probe<TestError>()]
    let outer = Probe<TestError>()
    let recorder = outer.stream.flatMap(.race) { inner[$0].stream }.record()
    outer.next(0)
    outer.next(1)
    inner[0].terminate(.completed)
    #expect(recorder.events == [.completed])
    #expect(inner[1].disposals == 1)
    #expect(outer.disposals == 1)
  }

  @Test func `a race without runners completes with the outer stream, one with a runner waits for it`() {
    #expect(Source.completed().flatMap(.race) { Source.just($0) }.record().events == [.completed])
    let recorder = Source.just(0).flatMap(.race) { _ in self.probe.stream }.record()
    #expect(recorder.events.isEmpty)
    probe.next(1)
    probe.terminate(.failed("end"))
    #expect(recorder.events == [.next(1), .failed("end")])
  }

  @Test func `a race of synchronous streams is won by the first`() {
    let recorder = Source.sequence(1...1_000).flatMap(.race) { number in Source.sequence([number, -number]) }.record()
    #expect(recorder.events == [.next(1), .next(-1), .completed])
  }

  @Test func `a winner that disposes of the race from its first element is quiet`() {
    let bag = DisposeBag()
    var elements: [Int] = []
    let outer = PushOperation<Int, TestError>()
    outer.flatMap(.race) { _ in self.probe.stream }.observeNext {
      elements.append($0)
      bag.dispose()
    }.dispose(in: bag)
    outer.next(0)
    outer.next(0)
    probe.next(1)
    #expect(elements == [1])
    #expect(probe.disposals == 2)
  }
}
