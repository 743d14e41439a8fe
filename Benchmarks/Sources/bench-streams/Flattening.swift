import AsyncAlgorithms
import OpenCombine
import Streams

/// Flattening a stream of one element for each element.
let flattening = [
  Workload(
    row: 7, name: "flatMap of just", count: 500_000, goal: Goal(nanoseconds: 120),
    sides: [
      headwater({ $0.flatMap(.merge) { Stream.just($0) } }) { total.value &+= $0 },
      openCombine({ $0.flatMap { Just($0) } }) { total.value &+= $0 },
    ]),
  Workload(
    row: 7, name: "flatMap of just, one by one", count: 500_000,
    sides: [
      headwater({ $0.flatMap(.concat) { Stream.just($0) } }) { total.value &+= $0 },
      openCombine({ $0.flatMap(maxPublishers: .max(1)) { Just($0) } }) { total.value &+= $0 },
      asyncSequence(.asyncAlgorithms) { $0.flatMap { CollectionOfOne($0).async } },
    ]),
  Workload(
    row: 7, name: "flatMap of just, the latest", count: 500_000,
    sides: [
      headwater({ $0.flatMap(.latest) { Stream.just($0) } }) { total.value &+= $0 },
      openCombine({ $0.map { Just($0) }.switchToLatest() }) { total.value &+= $0 },
    ]),
]
