import OpenCombine
import Streams

/// Something whose value the compiler does not know.
@inline(never)
func opaque<Value>(_ value: Value) -> Value { value }

let total = Total()

/// What one closure call costs here: the unit in which the goals are meant.
let closure = Workload(
  name: "closure call", count: 10_000_000, goal: .infinity,
  sides: [
    Side(name: "Swift") {
      let add: (Int) -> Void = opaque { total.value &+= $0 }
      return { count in for number in 0..<count { add(number) } }
    }
  ])

let workloads = [
  Workload(
    name: "subject to sink", count: 5_000_000, goal: 15,
    sides: [
      Side(name: "Headwater") {
        let subject = PushStream<Int>()
        let subscription = subject.observeNext { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.next(number) }
          withExtendedLifetime(subscription) {}
        }
      },
      Side(name: "OpenCombine") {
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.sink { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.send(number) }
          withExtendedLifetime(subscription) {}
        }
      },
    ]),
  Workload(
    name: "map, filter, map", count: 5_000_000, goal: 20,
    sides: [
      Side(name: "Headwater") {
        let subject = PushStream<Int>()
        let subscription = subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 }
          .observeNext { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.next(number) }
          withExtendedLifetime(subscription) {}
        }
      },
      Side(name: "OpenCombine") {
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 }
          .sink { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.send(number) }
          withExtendedLifetime(subscription) {}
        }
      },
    ]),
  Workload(
    name: "ten maps, chained at run time", count: 2_000_000, goal: 50,
    sides: [
      Side(name: "Headwater") {
        let subject = PushStream<Int>()
        var stream = subject.toStream()
        for _ in 0..<opaque(10) { stream = stream.map { $0 &+ 1 } }
        let subscription = stream.observeNext { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.next(number) }
          withExtendedLifetime(subscription) {}
        }
      },
      Side(name: "OpenCombine") {
        let subject = PassthroughSubject<Int, Never>()
        var stream = subject.eraseToAnyPublisher()
        for _ in 0..<opaque(10) { stream = stream.map { $0 &+ 1 }.eraseToAnyPublisher() }
        let subscription = stream.sink { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.send(number) }
          withExtendedLifetime(subscription) {}
        }
      },
    ]),
  Workload(
    name: "fan-out to 100, a delivery", count: 5_000_000, goal: 10,
    sides: [
      Side(name: "Headwater") {
        let subject = PushStream<Int>()
        let bag = DisposeBag()
        for _ in 0..<100 { subject.observeNext { total.value &+= $0 }.dispose(in: bag) }
        return { count in
          for number in 0..<(count / 100) { subject.next(number) }
          withExtendedLifetime(bag) {}
        }
      },
      Side(name: "OpenCombine") {
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
    name: "cold sequence", count: 2_000_000, goal: 15,
    sides: [
      Side(name: "Headwater") {
        { count in _ = Stream.sequence(0..<count).observeNext { total.value &+= $0 } }
      },
      Side(name: "OpenCombine") {
        { count in _ = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count).sink { total.value &+= $0 } }
      },
    ]),
  Workload(
    name: "flatMap of just", count: 500_000, goal: 250,
    sides: [
      Side(name: "Headwater") {
        let subject = PushStream<Int>()
        let subscription = subject.flatMap(.merge) { Stream.just($0) }.observeNext { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.next(number) }
          withExtendedLifetime(subscription) {}
        }
      },
      Side(name: "OpenCombine") {
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.flatMap { Just($0) }.sink { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.send(number) }
          withExtendedLifetime(subscription) {}
        }
      },
    ]),
  Workload(
    name: "observe and dispose", count: 500_000, goal: 300,
    sides: [
      Side(name: "Headwater") {
        let subject = PushStream<Int>()
        return { count in
          for _ in 0..<count { subject.map { $0 &+ 1 }.observeNext { total.value &+= $0 }.dispose() }
        }
      },
      Side(name: "OpenCombine") {
        let subject = PassthroughSubject<Int, Never>()
        return { count in
          for _ in 0..<count { subject.map { $0 &+ 1 }.sink { total.value &+= $0 }.cancel() }
        }
      },
    ]),
]
