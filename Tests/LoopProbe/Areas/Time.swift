import Dispatch
import EventLoops
import Glibc
import Streams

@MainActor func timers(_ area: Area) {
  area.expect("timer", Stream<Int>.timer(1, after: .milliseconds(1)))
  area.expect("interval", Stream<Int>.interval(.milliseconds(1)).take(3))
  area.expect("debounce", Stream<Int>.sequence(1...3).debounce(for: .milliseconds(1)))
  area.expect("idle", Operation<Void, UVError>.idle().take(1)) { "woken" }
  area.expect(
    "handle",
    { () throws(UVError) in
      let handle = try TimerHandle()
      return Stream<Int> { observer in
        handle.start(after: .milliseconds(1), every: .milliseconds(1)) { observer.next(1) }
        return handle
      }.take(2)
    })
  area.expect(
    "wake-ups", Operation<Void, UVError>.wakeUps { sender in DispatchQueue.global().async { sender.send() } }.take(1)
  ) { "woken" }
  area.expect(
    "later",
    Stream<Int> { observer in
      Queue.main.after(.milliseconds(1)) {
        observer.next(1)
        observer.completed()
      }
      return .none
    })
}

@MainActor func signals(_ area: Area) {
  area.expect("user", Operation.signal(.user1).take(1)) { "signal \($0.rawValue)" }
  area.expect("hangup", Operation.signal(.hangup).take(1)) { "signal \($0.rawValue)" }
  // A second handle of the same signal.
  area.expect("again", Operation.signal(.user1).take(1)) { "signal \($0.rawValue)" }
  area.expect("timer", Stream<Int>.timer(1, after: .milliseconds(1))) {
    kill(getpid(), SIGUSR1)
    kill(getpid(), SIGHUP)
    return "\($0)"
  }
}

@MainActor func queues(_ area: Area) {
  let worker = Queue(label: "worker")
  area.kept.append(worker)
  area.expect("execute", Operation<Int, Never>.execute(on: worker.context) { 1 })
  area.expect("pool", Operation<Int, Never>.execute(on: .threadPool) { 2 })
  area.expect("work", Stream<Int>.work { 3 })
  let back = Inlet<Int>(capacity: 4, whenFull: .dropNewest)
  area.expect("crossing", back.stream)
  Stream<Int>.sequence(1...3).observe(on: worker) { numbers, bag in
    numbers.observe(next: { back.send($0) }, termination: { _ in back.finish() }).dispose(in: bag)
  }.dispose(in: area.bag)
  let inlet = Inlet<Int>(capacity: 4, whenFull: .dropNewest)
  area.expect("inlet", inlet.stream)
  worker.async {
    inlet.send(1)
    inlet.finish()
  }
  area.expect(
    "after",
    Stream<Int> { observer in
      let answer = Inlet<Int>(capacity: 1, whenFull: .dropNewest)
      worker.after(.milliseconds(2)) {
        answer.send(4)
        answer.finish()
      }
      return answer.stream.subscribe(observer)
    })
  area.expect("random", Operation.randomBytes(8)) { "\($0.count) bytes" }
  do {
    say("sync: \(try worker.sync { 5 })")
  } catch {
    complain("sync: \(error)")
  }
}

@MainActor func tasks(_ area: Area) {
  area.expect(
    "task",
    Operation<Int, any Error> { observer in
      Task { @MainActor in
        do {
          let kind = try await Files.status(of: "/").value.kind
          say("kind: \(kind)")
          var count = 0
          for await number in Stream<Int>.interval(.milliseconds(1)).take(3).values() { count += number }
          observer.next(count)
          observer.next(await Task.detached { 7 }.value)
          observer.completed()
        } catch {
          observer.failed(error)
        }
      }
      return .none
    })
}
