import AsyncAlgorithms
import OpenCombine
import Streams

/// Two subjects that are combined into one stream. The subjects send in turn, and each send counts as one element.
let combining = [
  Workload(
    row: 6, name: "combineLatest, a send", count: 2_000_000, goal: Goal(nanoseconds: 25, ratio: 5, allocations: 0),
    sides: [
      headwater({ $0.combineLatest(with: $1) }) { total.value &+= $0.0 &+ $0.1 },
      asyncSequences { combineLatest($0, $1) },
    ]),
  Workload(
    row: 6, name: "merge, a send", count: 2_000_000, goal: Goal(nanoseconds: 25, ratio: 5, allocations: 0),
    sides: [
      headwater({ $0.merge(with: $1) }) { total.value &+= $0 },
      // OpenCombine has no merge, so this builds one.
      openCombine({ Publishers.Sequence<_, Never>(sequence: [$0, $1]).flatMap { $0 } }) { total.value &+= $0 },
      asyncSequences { merge($0, $1) },
    ]),
  Workload(
    row: 6, name: "zip, a send", count: 2_000_000, goal: Goal(nanoseconds: 25, ratio: 5, allocations: 0),
    sides: [
      headwater({ $0.zip(with: $1) }) { total.value &+= $0.0 &+ $0.1 },
      openCombine({ $0.zip($1) }) { total.value &+= $0.0 &+ $0.1 },
      asyncSequences { zip($0, $1) },
    ]),
]

private func headwater<Output>(
  _ chain: @escaping (PushStream<Int>, PushStream<Int>) -> Streams.Stream<Output>, _ add: @escaping (Output) -> Void
) -> Side {
  Side(library: .headwater) {
    let left = PushStream<Int>()
    let right = PushStream<Int>()
    let subscription = chain(left, right).observeNext(add)
    return { count in
      for number in 0..<(count / 2) {
        left.next(number)
        right.next(number)
      }
      withExtendedLifetime(subscription) {}
    }
  }
}

private func openCombine<Chain: Publisher>(
  _ chain: @escaping (PassthroughSubject<Int, Never>, PassthroughSubject<Int, Never>) -> Chain,
  _ add: @escaping (Chain.Output) -> Void
) -> Side where Chain.Failure == Never {
  Side(library: .openCombine) {
    let left = PassthroughSubject<Int, Never>()
    let right = PassthroughSubject<Int, Never>()
    let subscription = chain(left, right).sink(receiveValue: add)
    return { count in
      for number in 0..<(count / 2) {
        left.send(number)
        right.send(number)
      }
      withExtendedLifetime(subscription) {}
    }
  }
}

private func asyncSequences<Chain: AsyncSequence & SendableMetatype>(
  _ chain: @escaping @Sendable (AsyncStream<Int>, AsyncStream<Int>) -> Chain
) -> Side where Chain.AsyncIterator: SendableMetatype {
  Side(library: .asyncAlgorithms, share: 0.02) {
    { count in
      let (left, leftInput) = AsyncStream.makeStream(of: Int.self)
      let (right, rightInput) = AsyncStream.makeStream(of: Int.self)
      for number in 0..<(count / 2) {
        leftInput.yield(number)
        rightInput.yield(number)
      }
      leftInput.finish()
      rightInput.finish()
      complete { for try await element in chain(left, right) { consume(element) } }
    }
  }
}
