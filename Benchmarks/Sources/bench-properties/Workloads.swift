import OpenCombine
import Properties
import Streams

/// A closure call, by whose time the goals are scaled.
let closure = Workload(
  name: "closure call", count: 10_000_000, goal: .infinity,
  sides: [
    Side(name: "Swift") {
      let add: (Int) -> Void = opaque { total.value &+= $0 }
      return { count in for number in 0..<count { add(number) } }
    }
  ])

/// The workloads. None may allocate memory for an element.
let workloads = [
  Workload(
    name: "set a property, one observer", count: 5_000_000, goal: 12,
    sides: [
      Side(name: "Headwater") {
        let property = Property(0)
        let subscription = property.observeNext { total.value &+= $0 }
        return { count in
          for number in 0..<count { property.value = number }
          withExtendedLifetime(subscription) {}
        }
      },
      Side(name: "OpenCombine") {
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscription = subject.sink { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.value = number }
          withExtendedLifetime(subscription) {}
        }
      },
    ]),
  Workload(
    name: "set a property, map observed", count: 2_000_000, goal: 25,
    sides: [
      Side(name: "Headwater") {
        let property = Property(0)
        let subscription = property.map { $0 &+ 1 }.observeNext { total.value &+= $0 }
        return { count in
          for number in 0..<count { property.value = number }
          withExtendedLifetime(subscription) {}
        }
      },
      Side(name: "OpenCombine") {
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscription = subject.map { $0 &+ 1 }.sink { total.value &+= $0 }
        return { count in
          for number in 0..<count { subject.value = number }
          withExtendedLifetime(subscription) {}
        }
      },
    ]),
  Workload(
    name: "set a property, bound to another", count: 2_000_000, goal: 30,
    sides: [
      Side(name: "Headwater") {
        let (source, target) = (Property(0), Property(0))
        source.bind(to: target)
        return { count in
          for number in 0..<count { source.value = number }
          total.value &+= target.value
        }
      },
      Side(name: "OpenCombine") {
        let (source, target) = (CurrentValueSubject<Int, Never>(0), CurrentValueSubject<Int, Never>(0))
        let subscription = source.sink { target.value = $0 }
        return { count in
          for number in 0..<count { source.value = number }
          total.value &+= target.value
          withExtendedLifetime(subscription) {}
        }
      },
    ]),
]
