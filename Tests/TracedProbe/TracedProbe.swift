// Programs to record, built with the settings of a new package. The tests start them.
import Headwater
import HostileC

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

protocol QuizDelegate: AnyObject {
  func answer(_ question: Int) -> Int
}

final class QuizProxy: ProtocolProxy<any QuizDelegate>, QuizDelegate {
  let ask = ProxyMethod<Int, Int>()
  func answer(_ question: Int) -> Int { call(ask, question, default: 0) { $0.answer(question) } }
}

final class Expert: QuizDelegate {
  func answer(_ question: Int) -> Int { question * 2 }
}

@main
struct TracedProbe {
  static func main() throws {
    let bag = DisposeBag()
    switch CommandLine.arguments.dropFirst().first {
    case "chain":
      let numbers = PushStream<Int>()
      let subscription = numbers.map { $0 * 2 }.filter { $0 > 2 }.lane("big").take(2).observeNext { print($0) }
      numbers.next(1)
      subscription.pause()
      numbers.next(2)
      subscription.resume()
      numbers.next(3)
      numbers.next(4)
      struct Broken: Error {}
      Operation<String, Broken>.failed(Broken()).lane("broken").observe(next: { _ in }, termination: { _ in })
        .dispose(in: bag)
      Stream.just("\"<a>\u{1}\\\n").observeNext { _ in }.dispose(in: bag)
      Stream.just(Array(0..<1000)).observeNext { _ in }.dispose(in: bag)
      PushStream<Int>().observeNext { _ in }.dispose(in: bag)
      numbers.observeNext { _ in }.dispose(in: bag)
      print(Tracing.describeOpenSubscriptions())
    case "loop":
      let queue = Queue(label: "worker")
      Stream.interval(.milliseconds(5)).take(4).observe(on: queue) { numbers, bag in
        numbers.observeNext { _ in busy(milliseconds: 3) }.dispose(in: bag)
      }.dispose(in: bag)
      let task = Task<Void, Never> { @MainActor in
        for await number in Stream.interval(.milliseconds(5)).take(3).values() { print("task", number) }
      }
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropNewest)
      inlet.stream.observeNext { print("inlet", $0) }.dispose(in: bag)
      queue.async {
        for number in 0..<3 { inlet.send(number) }
        inlet.finish()
      }
      try Loop.main.run(until: task) as Void
      Loop.main.run()
      _ = Loop.main.run(until: Stream.timer((), after: .milliseconds(200)))
    case "callbacks":
      let object = hostile_new()
      let callback = RepeatingCallback<Int32, Void> { print($0) }
      hostile_set(object, { RepeatingCallback<Int32, Void>.call($0, $1) }, callback.context, nil)
      hostile_fire(object, 1)
      callback.cancel()
      hostile_fire(object, 2)
      hostile_free(object)
    case "proxy":
      let proxy = QuizProxy()
      print(proxy.answer(1))
      let expert = Expert()
      proxy.setForwardee(expert)
      print(proxy.answer(2))
      let handler = try proxy.ask.answer { $0 * 100 }
      print(proxy.answer(3))
      handler.dispose()
    case "crash":
      Stream.just(1).observeNext { _ in abort() }.dispose(in: bag)
    case "flood":
      // One that stays open from the beginning, and more than the file holds.
      let numbers = PushStream<Int>()
      numbers.map { $0 + 1 }.observeNext { _ in }.dispose(in: bag)
      for number in 0..<Int(CommandLine.arguments[2])! {
        Stream.just(number).observeNext { _ in }.dispose(in: bag)
      }
      numbers.next(-1)
    case "many-open":
      // More open subscriptions than half of the file has room for.
      let numbers = PushStream<Int>()
      for _ in 0..<20_000 { numbers.observeNext { _ in }.dispose(in: bag) }
      for number in 0..<3 { numbers.next(number) }
      print("done")
    case "threads":
      let queues = (0..<4).map { Queue(label: "queue \($0)") }
      for queue in queues {
        queue.async { for number in 0..<2_000 { Stream.just(number).observeNext { _ in }.dispose() } }
      }
      for queue in queues { try queue.sync {} }
    case "start":
      print(Tracing.isOn)
      let numbers = PushStream<Int>()
      numbers.observeNext { _ in }.dispose(in: bag)
      do {
        try Tracing.start(writingTo: "/")
      } catch {
        print(error)
      }
      try Tracing.start(writingTo: CommandLine.arguments[2])
      print(Tracing.isOn)
      numbers.next(1)
      Tracing.stop()
      print(Tracing.isOn)
      numbers.next(2)
      // Another recording knows what was open before, and replaces one that runs.
      for _ in 0..<2 { try Tracing.start(writingTo: CommandLine.arguments[2] + ".second") }
      numbers.next(3)
    case "leak":
      // Each screen retains itself through its bag.
      let changes = Screen.changes
      for number in 0..<8 {
        Loop.main.scheduler.schedule(at: .milliseconds(20 * number)) { Screen().show(changes) }.dispose(in: bag)
      }
      Stream.interval(.milliseconds(10)).take(20).lane("changes").observeNext { changes.next(Int($0)) }
        .dispose(in: bag)
      Loop.main.run()
      print(Tracing.describeOpenSubscriptions())
    case "stuck":
      // The consumer pauses after 20 elements, and is not resumed: the others wait.
      let queue = Queue(label: "disk")
      var hasEnded = false
      let ticks = Stream.interval(.milliseconds(4)).take(50).doOn(completed: { hasEnded = true })
      ticks.observe(on: queue) { readings, bag in
        var count = 0
        var subscription: Subscription?
        subscription = readings.lane("readings").observeNext { _ in
          count += 1
          if count == 20 { subscription?.pause() }
        }
        subscription?.dispose(in: bag)
      }.dispose(in: bag)
      // All that waits is there, also on a machine that is busy, and some time before the end.
      repeat { _ = Loop.main.run(until: Stream.timer((), after: .milliseconds(250))) } while !hasEnded
      print(Tracing.describeOpenSubscriptions())
    case "blocked":
      Stream.interval(.milliseconds(10)).take(20).lane("clock").observeNext { _ in }.dispose(in: bag)
      Stream.interval(.milliseconds(70)).take(2).observeNext { _ in busy(milliseconds: 45) }.dispose(in: bag)
      Loop.main.run()
    case "bindings":
      let (first, second) = (Property(1), Property(0))
      first.bind(to: second).dispose(in: bag)
      first.map { Optional($0) }.bind(to: Property<Int?>(nil)).dispose()
      first.bidirectionalBind(to: Property(2)).dispose()
      (second <~ Stream.just(3)).dispose(in: bag)
      _ = Loop.main.run(until: Stream.timer(4, after: .zero))
    case "pauses":
      let numbers = PushStream<Int>()
      let subscription = numbers.observeNext { _ in }
      for _ in 0..<20_000 {
        subscription.pause()
        subscription.resume()
      }
      subscription.pause()
      // They displace the begin of the subscription.
      for number in 0..<10_000 { Stream.just(number).observeNext { _ in }.dispose() }
    case "short-threads":
      for number in 0..<12_000 {
        hostile_call_on_thread(
          { @Sendable _, value in Stream.just(value).observeNext { _ in }.dispose() }, nil, Int32(number))
      }
    case "forks":
      let numbers = PushStream<Int>()
      numbers.observeNext { _ in }.dispose(in: bag)
      numbers.next(0)
      // The children end as if `exec` had failed, and record nothing.
      for _ in 0..<3 { print(hostile_fork_and_exit { Stream.just(-1).observeNext { _ in }.dispose() }) }
      for number in 1...1000 { numbers.next(number) }
    case "starts":
      let numbers = PushStream<Int>()
      numbers.observeNext { _ in }.dispose(in: bag)
      let path = CommandLine.arguments[2]
      let queue = Queue(label: "starts")
      queue.async { for _ in 0..<200 { try? Tracing.start(writingTo: path) } }
      for number in 0..<200 {
        try Tracing.start(writingTo: path)
        numbers.next(number)
      }
      try queue.sync {}
      Tracing.stop()
      print((0..<1000).filter { fcntl($0, F_GETFD) >= 0 }.count < 30)
    case "elements":
      indirect enum List {
        case end
        case node(Int, List)
      }
      var list = List.end
      for number in 0..<100_000 { list = .node(number, list) }
      Stream.just(0...Int.max).observeNext { _ in }.dispose(in: bag)
      Stream.just(Int.min..<Int.max).observeNext { _ in }.dispose(in: bag)
      Stream.just(list).observeNext { _ in }.dispose(in: bag)
      Stream.just(Set(0..<100_000)).observeNext { _ in }.dispose(in: bag)
      Stream.just([["a": [1, 2]]]).observeNext { _ in }.dispose(in: bag)
      Stream.just((name: "b", size: Optional(3))).observeNext { _ in }.dispose(in: bag)
      Stream.just(Event<Int, Never>.next(4)).observeNext { _ in }.dispose(in: bag)
      // A list of this length is released recursively.
      _exit(0)
    case "backlog":
      let (left, right) = (PushStream<Int>(), PushStream<Int>())
      left.zip(with: right).observeNext { _ in }.dispose(in: bag)
      for number in 0..<3 { left.next(number) }
      // What follows a stream is no element that waits.
      left.concat(with: right).observeNext { _ in }.dispose()
      print(Tracing.describeOpenSubscriptions())
      right.next(0)
      bag.dispose()
      PushStream<Int>().lane("never").observeNext { _ in }.dispose()
      print(Tracing.describeOpenSubscriptions())
    case "child":
      // The loop waits for the end of a child, of which a signal tells.
      try ProcessHandle(ProcessCommand("sleep", ["1"])).exit.observeNext { print($0) }.dispose(in: bag)
      Loop.main.run()
    case "small-disk":
      Diagnostics.setSink { print($0) }
      var bound = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
      let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      guard setrlimit(kind, &bound) == 0 else { fatalError("The size of files could not be limited.") }
      let (left, right) = (PushStream<Int>(), PushStream<Int>())
      left.zip(with: right).observeNext { _ in }.dispose(in: bag)
      for number in 0..<3 { left.next(number) }
      for number in 0..<10_000 { Stream.just(number).observeNext { _ in }.dispose() }
      withExtendedLifetime((left, right)) {}
    default: fatalError("Name a program.")
    }
  }

  static func busy(milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {}
  }
}

final class Screen {
  // Used on the main thread only.
  nonisolated(unsafe) static let changes = PushStream<Int>()
  let bag = DisposeBag()
  var text = ""

  func show(_ changes: PushStream<Int>) {
    changes.map { "\($0)" }.observeNext { self.text = $0 }.dispose(in: bag)
  }
}
