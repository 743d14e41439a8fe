import OpenCombine
import Streams

/// Elements sent to a subject, through short and long chains, to one observer and to many.
let subjects = [
  Workload(
    row: 1, name: "subject to sink", count: 5_000_000, goal: Goal(nanoseconds: 8, ratio: 10, allocations: 0),
    sides: [
      headwater({ $0.toStream() }) { total.value &+= $0 },
      openCombine({ $0 }) { total.value &+= $0 },
      asyncSequence(.asyncStream) { $0 },
    ] + Peers.subjects),
  Workload(
    row: 2, name: "map, filter, map", count: 5_000_000, goal: Goal(nanoseconds: 10, ratio: 10, allocations: 0),
    sides: [
      headwater({ $0.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 } }) { total.value &+= $0 },
      openCombine({ $0.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 } }) { total.value &+= $0 },
      asyncSequence(.asyncStream) { $0.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 } },
    ] + Peers.chains),
  Workload(
    row: 3, name: "ten maps, chained at run time", count: 2_000_000,
    goal: Goal(nanoseconds: 35, ratio: 5, allocations: 0),
    sides: [
      headwater({ subject in
        var stream = subject.toStream()
        for _ in 0..<opaque(10) { stream = stream.map { $0 &+ 1 } }
        return stream
      }) { total.value &+= $0 },
      openCombine({ subject in
        var stream = subject.eraseToAnyPublisher()
        for _ in 0..<opaque(10) { stream = stream.map { $0 &+ 1 }.eraseToAnyPublisher() }
        return stream
      }) { total.value &+= $0 },
      Side(library: .asyncStream, share: 0.05) {
        { count in
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          for number in 0..<count { continuation.yield(number) }
          continuation.finish()
          complete {
            var chain: any AsyncSequence<Int, Never> = stream
            for _ in 0..<opaque(10) { chain = incremented(chain) }
            await drain(chain)
          }
        }
      },
    ]),
  Workload(
    row: 5, name: "fan-out to 100, a delivery", count: 5_000_000, goal: Goal(nanoseconds: 5, ratio: 10, allocations: 0),
    sides: [
      Side(library: .headwater) {
        let subject = PushStream<Int>()
        let bag = DisposeBag()
        for _ in 0..<100 { subject.observeNext { total.value &+= $0 }.dispose(in: bag) }
        return { count in
          for number in 0..<(count / 100) { subject.next(number) }
          withExtendedLifetime(bag) {}
        }
      },
      Side(library: .openCombine) {
        let subject = PassthroughSubject<Int, Never>()
        var subscriptions: [AnyCancellable] = []
        for _ in 0..<100 { subscriptions.append(subject.sink { total.value &+= $0 }) }
        return { [subscriptions] count in
          for number in 0..<(count / 100) { subject.send(number) }
          withExtendedLifetime(subscriptions) {}
        }
      },
    ]),
  Workload(
    row: 10, name: "property-like replay", count: 5_000_000, goal: Goal(nanoseconds: 10, ratio: 5, allocations: 0),
    sides: [
      Side(library: .headwater) {
        let subject = ReplayOneSubject<Int, Never>()
        let subscription = subject.observeNext { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.next(number) }
          withExtendedLifetime(subscription) {}
        }
      },
      Side(library: .openCombine) {
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscription = subject.sink { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.send(number) }
          withExtendedLifetime(subscription) {}
        }
      },
    ]),
]

nonisolated func incremented<Base: AsyncSequence<Int, Never>>(_ base: Base) -> any AsyncSequence<Int, Never> {
  base.map { $0 &+ 1 }
}

nonisolated func drain<Base: AsyncSequence<Int, Never>>(_ base: Base) async {
  for await element in base { consume(element) }
}
