import Dispatch
import OpenCombine
import Streams

/// Returns the side of Headwater in a workload that sends elements through a chain of operators, from a subject to a
/// closure.
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

/// Returns the side of OpenCombine in such a workload.
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

/// Returns the side of an asynchronous sequence in such a workload. All elements are sent before the first one is
/// consumed, so the consumer never waits. This is its best case: a consumer that is woken for each element takes
/// several times as long.
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

/// Runs `body` on the concurrency pool, and waits for its end.
func complete(_ body: @escaping @Sendable () async throws -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    try? await body()
    done.signal()
  }
  done.wait()
}

/// Consumes an element of an asynchronous sequence.
@inline(never)
nonisolated func consume<Element>(_ element: Element) {}
