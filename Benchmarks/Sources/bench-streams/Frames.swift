import Dispatch
import OpenCombine
import Streams

/// Headwater's side of a workload whose elements are sent to a subject and end in a closure.
func headwater<Output>(
  _ chain: @escaping (PushStream<Int>) -> Streams.Stream<Output>, _ add: @escaping (Output) -> Void
) -> Side {
  Side(library: .headwater) {
    let subject = PushStream<Int>()
    let subscription = chain(subject).observeNext(add)
    return { count in
      for number in 0..<count { subject.next(number) }
      withExtendedLifetime(subscription) {}
    }
  }
}

/// The same with OpenCombine.
func openCombine<Chain: Publisher>(
  _ chain: @escaping (PassthroughSubject<Int, Never>) -> Chain, _ add: @escaping (Chain.Output) -> Void
) -> Side where Chain.Failure == Never {
  Side(library: .openCombine) {
    let subject = PassthroughSubject<Int, Never>()
    let subscription = chain(subject).sink(receiveValue: add)
    return { count in
      for number in 0..<count { subject.send(number) }
      withExtendedLifetime(subscription) {}
    }
  }
}

/// The same with an asynchronous sequence. All elements are sent before the first is taken, so that nobody ever waits:
/// the case that suits it best. A consumer that is woken for each element pays several times as much.
func asyncSequence<Chain: AsyncSequence & SendableMetatype>(
  _ library: Library, share: Double = 0.1, _ chain: @escaping @Sendable (AsyncStream<Int>) -> Chain
) -> Side where Chain.AsyncIterator: SendableMetatype {
  Side(library: library, share: share) {
    { count in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      for number in 0..<count { continuation.yield(number) }
      continuation.finish()
      complete { for try await element in chain(stream) { consume(element) } }
    }
  }
}

/// Runs an asynchronous body to its end, on the concurrency pool, and waits for it.
func complete(_ body: @escaping @Sendable () async throws -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    try? await body()
    done.signal()
  }
  done.wait()
}

/// Where the elements of asynchronous sequences end.
@inline(never)
nonisolated func consume<Element>(_ element: Element) {}
