import Dispatch
import EventLoops
import OpenCombine
import OpenCombineDispatch
import Streams

/// Elements that one thread sends and another one receives.
let threads = [
  Workload(
    row: 9, name: "hop to another thread", count: 500_000,
    sides: [
      Side(library: .headwater) {
        let queue = Queue(label: "bench")
        return { count in
          let inlet = Inlet<Int>(capacity: count, whenFull: .dropNewest)
          let done = DispatchSemaphore(value: 0)
          queue.async {
            _ = inlet.stream.observe(next: { consume($0) }, termination: { _ in done.signal() })
          }
          for number in 0..<count { inlet.send(number) }
          inlet.finish()
          done.wait()
        }
      },
      Side(library: .openCombine) {
        let queue = DispatchQueue(label: "bench")
        return { count in
          let subject = PassthroughSubject<Int, Never>()
          let done = DispatchSemaphore(value: 0)
          let subscription = subject.receive(on: queue.ocombine)
            .sink(receiveCompletion: { @Sendable _ in done.signal() }, receiveValue: { @Sendable in consume($0) })
          for number in 0..<count { subject.send(number) }
          subject.send(completion: .finished)
          done.wait()
          withExtendedLifetime(subscription) {}
        }
      },
      Side(library: .asyncStream) {
        { count in
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          let done = DispatchSemaphore(value: 0)
          Task.detached {
            for await element in stream { consume(element) }
            done.signal()
          }
          for number in 0..<count { continuation.yield(number) }
          continuation.finish()
          done.wait()
        }
      },
    ])
]
