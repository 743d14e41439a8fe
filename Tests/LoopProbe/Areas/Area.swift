import CUV
import EventLoops
import Glibc
import Streams

/// A program that uses one part of `EventLoops`, for `Scripts/fail-calls`.
///
/// Prints a line for each element on standard output, and one for each failure on standard error. Prints "done" when all
/// streams have ended and the loop has returned. With the argument `stop`, it stops itself before it does anything, so
/// that the script can attach strace, and waits for a signal at the end, so that the script can count descriptors.
@MainActor
final class Area {
  let bag = DisposeBag()
  /// A directory that the script has made for the run.
  let directory = CommandLine.arguments[3]
  private var left: Set<String> = []
  private var isRunning = false
  private let isTraced = CommandLine.arguments.last == "stop"
  private let ends = PublishSubject<String, Never>()
  /// Objects that are used until the end.
  var kept: [AnyObject] = []

  /// Observes `stream`, and prints its elements after `name`.
  func expect<Element, Failure>(
    _ name: String, _ stream: Operation<Element, Failure>, _ text: @escaping (Element) -> String = { "\($0)" }
  ) {
    left.insert(name)
    stream.observe(
      next: { say("\(name): \(text($0).split(separator: "\n").joined(separator: "|"))") },
      termination: { end in
        if case .failed(let error) = end { complain("\(name): \(error)") }
        self.ended(name)
      }
    ).dispose(in: bag)
  }

  /// Observes the stream that `make` returns. Prints the error of `make`, such as one that makes a handle.
  func expect<Element, Failure>(
    _ name: String, _ make: () throws(UVError) -> Operation<Element, Failure>,
    _ text: @escaping (Element) -> String = { "\($0)" }
  ) {
    left.insert(name)
    do throws(UVError) {
      expect(name, try make(), text)
    } catch {
      complain("\(name): \(error)")
      ended(name)
    }
  }

  /// Emits when all streams with these names have ended.
  func end(of names: String...) -> Stream<Void> {
    var waiting = Set(names)
    return ends.filter {
      waiting.remove($0)
      return waiting.isEmpty
    }.map { _ in }.take(1)
  }

  private func ended(_ name: String) {
    left.remove(name)
    ends.next(name)
    // Before the loop runs, others may follow.
    if left.isEmpty, isRunning { bag.dispose() }
  }

  /// Runs the loop until all streams have ended.
  func run(_ start: @MainActor (Area) -> Void) {
    if isTraced { raise(SIGSTOP) }
    start(self)
    isRunning = true
    if left.isEmpty { bag.dispose() }
    Loop.main.run()
    Loop.main.shutdown()
    for name in left.sorted() { complain("\(name): has not ended") }
    say("done")
    while isTraced { pause() }
  }
}

/// Prints a line. A call that fails must not lose it silently.
nonisolated func say(_ line: String) { put(line, on: 1) }

/// Prints a line on standard error.
nonisolated func complain(_ line: String) { put(line, on: 2) }

private nonisolated func put(_ line: String, on descriptor: Int32) {
  var rest = Array("\(line)\n".utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
    } else if errno != EINTR {
      if descriptor == 1 { perror("loop-probe: cannot write") }
      _exit(1)
    }
  }
}

/// The error of a C function that has failed.
nonisolated func systemError(_ call: String) -> UVError { UVError(errno: errno, call: call) }

/// Writes a text to a pipe or a terminal.
nonisolated func send(_ text: String, to descriptor: Int32) throws(UVError) {
  var count: Int
  repeat { count = write(descriptor, text, text.utf8.count) } while count < 0 && errno == EINTR
  if count < 0 { throw systemError("write") }
}

/// The two ends of a pipe.
nonisolated func makePipe() throws(UVError) -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [0, 0]
  if uv_pipe(&ends, 0, 0) != 0 { throw systemError("pipe2") }
  return (ends[0], ends[1])
}

@MainActor let areas: [String: @MainActor (Area) -> Void] = [
  "timers": timers, "tcp": tcp, "serving": serving, "udp": udp, "pipes": pipes, "terminals": terminals,
  "children": children, "signals": signals, "files": files, "directories": directories, "names": names,
  "watches": watches, "queues": queues, "input": input, "system": system, "tasks": tasks,
]

@MainActor let areaProbes: [String: () -> Void] = [
  "area": {
    guard CommandLine.arguments.count >= 4, let start = areas[CommandLine.arguments[2]] else {
      say(areas.keys.sorted().joined(separator: " "))
      exit(64)
    }
    Area().run(start)
  }
]
