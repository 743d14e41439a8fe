import EventLoops
import Foundation
import Streams

/// Programs for which the system has no descriptors, or no threads.
@MainActor let shortageProbes: [String: () -> Void] = [
  "no-descriptors": {
    // Some are open already, for example for the test's pipes.
    let first = dup(0)
    close(first)
    let free = rlim_t(CommandLine.arguments[2])! + rlim_t(first)
    var limit = rlimit(rlim_cur: free, rlim_max: free)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let timer = try! TimerHandle()
    timer.start(after: .zero) { Loop.main.stop() }
    Loop.main.run()
    print("ended")
  },
  "no-descriptors-for-names": {
    let bag = DisposeBag()
    _ = Loop.main
    while open("/dev/null", O_RDONLY) >= 0 {}
    Streams.Operation<[SocketAddress], UVError>.addresses(of: "localhost", port: 1)
      .observe(next: { print($0) }, termination: { print($0) }).dispose(in: bag)
    Loop.main.run()
  },
  // No memory for the stacks of the pool's threads, until another thread raises the limit.
  "no-threads": {
    let isWaiting = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      isWaiting.wait()
      usleep(50_000)
      limitMemory(to: .max)
    }
    let pages = try! String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[0]
    limitMemory(to: rlim_t(pages)! * 4096 + 10_000_000)
    let bag = DisposeBag()
    Files.status(of: "/").observe(next: { _ in print("a file") }, termination: { print($0) }).dispose(in: bag)
    isWaiting.signal()
    Streams.Operation<Int, Never>.work { 3 }.observeNext { print($0) }.dispose(in: bag)
    Loop.main.run()
  },
]

@Sendable private nonisolated func limitMemory(to size: rlim_t) {
  var limit = rlimit(rlim_cur: size, rlim_max: rlim_t.max)
  setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
}
