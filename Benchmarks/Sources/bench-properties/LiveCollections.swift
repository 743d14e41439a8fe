import Properties
import Streams

/// A live collection beside computing it anew: the time of one change to 100,000 elements.
struct LiveCase {
  let name: String
  /// Changes the source once, at a place that depends on the number.
  let change: (CollectionProperty<[String]>, Int) -> Void
}

let liveCount = 100_000

/// Text, so that a predicate and a comparison cost what they cost in programs.
let liveElements: [String] = (0..<liveCount).map { "element number \($0 &* 7919 % 100_003)" }

let liveCases = [
  LiveCase(name: "update") { list, number in
    list[number &* 31 % liveCount] = "element number \(number)"
  },
  LiveCase(name: "append, remove last") { list, number in
    if number & 1 == 0 { list.append("element number \(number)") } else { list.removeLast() }
  },
  LiveCase(name: "insert, remove in the middle") { list, number in
    if number & 1 == 0 {
      list.insert("element number \(number)", at: liveCount / 2)
    } else {
      list.remove(at: liveCount / 2)
    }
  },
]

func isShown(_ text: String) -> Bool { text.hasSuffix("1") || text.hasSuffix("7") }

/// Nanoseconds of `body`, the best of several runs, divided by `count`.
func nanoseconds(_ count: Int, runs: Int = 5, _ body: (Int) -> Void) -> Double {
  var best = Double.infinity
  for _ in 0..<runs {
    let duration = ContinuousClock().measure { for number in 0..<count { body(number) } }
    let (seconds, attoseconds) = duration.components
    best = min(best, (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count))
  }
  return best
}

/// The cost of following one change beyond what the change costs the source alone, and that of computing anew.
struct LiveResult {
  let name: String
  let following: Double
  let anew: Double

  var isMet: Bool { following <= anew / 100 }
}

func measureLiveCollections() -> [LiveResult] {
  let filtering = nanoseconds(1, runs: 20) { _ in total.value &+= liveElements.filter(isShown).count }
  let sorting = nanoseconds(1) { _ in total.value &+= liveElements.sorted(by: <).count }
  var results: [LiveResult] = []
  for live in liveCases {
    let list = CollectionProperty(liveElements)
    let alone = nanoseconds(2000) { live.change(list, $0) }
    do {
      let filtered = list.filter(isShown)
      let both = nanoseconds(2000) { live.change(list, $0) }
      results.append(LiveResult(name: "filter: \(live.name)", following: max(0, both - alone), anew: filtering))
      total.value &+= filtered.count
    }
    do {
      let sorted = list.sorted(by: <)
      let both = nanoseconds(2000) { live.change(list, $0) }
      results.append(LiveResult(name: "sorted: \(live.name)", following: max(0, both - alone), anew: sorting))
      total.value &+= sorted.count
    }
  }
  return results
}

/// Appending to a million elements while somebody observes: nanoseconds and allocations an element.
func measureAppend() -> (nanoseconds: Double, allocations: Double) {
  var million = Array(0..<1_000_000)
  million.reserveCapacity(4_000_000)
  let list = CollectionProperty(million)
  million = []
  let subscription = list.observeNext { total.value &+= $0.collection.count }
  list.append(0)
  let result = measure(
    Workload(
      name: "append", count: 100_000, goal: 0,
      sides: [Side(name: "Headwater") { { count in for number in 0..<count { list.append(number) } } }]))[0]
  subscription.dispose()
  return (result.nanoseconds, result.allocations)
}
