import AsyncAlgorithms
import OpenCombine
import Streams

/// A sum like `Total`, for the consuming thread.
nonisolated final class Sum {
  var value = 0
}

/// A cold source, and operators with state.
let operators = [
  Workload(
    row: 4, name: "cold sequence", count: 2_000_000, goal: Goal(nanoseconds: 10, allocations: 0),
    sides: [
      Side(library: .headwater) {
        { count in _ = Stream.sequence(0..<count).observeNext { total.value &+= $0 } }
      },
      Side(library: .openCombine) {
        { count in _ = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count).sink { total.value &+= $0 } }
      },
      Side(library: .asyncAlgorithms) {
        { count in
          complete {
            let sum = Sum()
            for await element in (0..<count).async { sum.value &+= element }
            consume(sum)
          }
        }
      },
    ]),
  Workload(
    row: 11, name: "scan", count: 2_000_000, goal: Goal(allocations: 0),
    sides: [
      headwater({ $0.scan(0, &+) }) { total.value &+= $0 },
      openCombine({ $0.scan(0, &+) }) { total.value &+= $0 },
      asyncSequence(.asyncAlgorithms) { $0.reductions(0) { $0 &+ $1 } },
    ]),
  Workload(
    row: 11, name: "distinct", count: 2_000_000, goal: Goal(allocations: 0),
    sides: [
      headwater({ $0.distinct() }) { total.value &+= $0 },
      openCombine({ $0.removeDuplicates() }) { total.value &+= $0 },
      asyncSequence(.asyncAlgorithms) { $0.removeDuplicates() },
    ]),
  Workload(
    row: 11, name: "skip and take", count: 2_000_000, goal: Goal(allocations: 0),
    sides: [
      headwater({ $0.skip(1).take(.max) }) { total.value &+= $0 },
      openCombine({ $0.dropFirst(1).prefix(.max) }) { total.value &+= $0 },
      asyncSequence(.asyncStream) { $0.dropFirst(1).prefix(.max) },
    ]),
]
