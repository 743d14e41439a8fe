// Programs without an event loop and with an async `main`, built with the settings of a new package. The tests start them.
import Dispatch
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@main
struct StreamsProbe {
  static func main() async {
    let bag = DisposeBag()
    switch CommandLine.arguments.dropFirst().first {
    // Made before main has suspended, and used afterwards.
    case "hot":
      let numbers = PushStream<Int>()
      numbers.observeNext { print($0) }.dispose(in: bag)
      for number in 0..<3 {
        numbers.next(number)
        try? await Task.sleep(for: .milliseconds(1))
      }
      print("on main:", HomeThread.isMain)
    case "inlet":
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest)
      let sender = Task.detached {
        for number in 0..<3 { inlet.send(number) }
        inlet.finish()
      }
      for await number in inlet.stream.values() { print(number) }
      await sender.value
    // Made and observed after main has suspended.
    case "late-inlet":
      await Task.detached {}.value
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest)
      inlet.stream.observe { print($0) }.dispose(in: bag)
      await Task.detached {
        inlet.send(1)
        inlet.finish()
      }.value
      try? await Task.sleep(for: .milliseconds(1))
    case "sequence":
      let numbers = AsyncStream<Int> { continuation in
        for number in 0..<3 { continuation.yield(number) }
        continuation.finish()
      }
      for await number in Stream(numbers).map({ $0 * 2 }).values() { print(number) }
    case "debounce":
      let numbers = PushStream<Int>()
      numbers.debounce(for: .milliseconds(1), on: ActorScheduler()).observeNext { print($0) }.dispose(in: bag)
      numbers.next(1)
      numbers.next(2)
      try? await Task.sleep(for: .milliseconds(50))
    case "no-clock":
      Stream.timer(1, after: .milliseconds(1)).observeNext { print($0) }.dispose(in: bag)
    // Main returns and has never suspended.
    case "unserved":
      let inlet = Inlet<Int>(capacity: 8, whenFull: .dropOldest)
      inlet.stream.observeNext { print($0) }.dispose(in: bag)
      inlet.send(1)
    // The main thread ends, and its observation is used on another thread.
    case "dispatch-main":
      let numbers = PushStream<Int>()
      numbers.observeNext { print($0) }.dispose(in: bag)
      Task { numbers.next(1) }
      endMainThread()
    case "dispatch-main-subscription":
      let numbers = PushStream<Int>()
      let subscription = numbers.observeNext { print($0) }
      Task { subscription.dispose() }
      endMainThread()
    case "dispatch-main-producer":
      let numbers = Stream<Int> { observer in
        Task { observer.next(1) }
        return .none
      }
      numbers.observeNext { print($0) }.dispose(in: bag)
      endMainThread()
    default:
      print("unknown")
    }
  }

  private static func endMainThread() -> Never { dispatchMain() }
}
