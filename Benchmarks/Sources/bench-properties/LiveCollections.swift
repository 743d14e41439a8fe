import Properties
import Streams

/// A change to a list of 100,000 elements, for which a live collection is compared with computing the collection again.
/// Inserted elements pass the filter, so that they also move memory in the filtered collection.
struct LiveCase {
  let name: String
  /// Changes the source once, at an index that depends on the number.
  let change: (CollectionProperty<[String]>, Int) -> Void
}

let liveCount = 100_000

/// Strings, so that predicates and comparisons cost as much as in real programs.
let liveElements: [String] = (0..<liveCount).map { "element number \($0 &* 7919 % 100_003)" }

let liveCases = [
  LiveCase(name: "update") { list, number in
    list[number &* 31 % liveCount] = "element number \(number)"
  },
  LiveCase(name: "append, remove last") { list, number in
    if number & 1 == 0 { list.append("element number \(number)1") } else { list.removeLast() }
  },
  LiveCase(name: "insert, remove in the middle") { list, number in
    if number & 1 == 0 {
      list.insert("element number \(number)1", at: liveCount / 2)
    } else {
      list.remove(at: liveCount / 2)
    }
  },
]

func isShown(_ text: String) -> Bool { text.hasSuffix("1") || text.hasSuffix("7") }

/// Returns the nanoseconds of one run of `body`.
func nanoseconds(_ body: () -> Void) -> Double {
  let (seconds, attoseconds) = ContinuousClock().measure(body).components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}

/// Returns the nanoseconds of the best of several runs.
func best(of runs: Int, _ body: () -> Void) -> Double { (0..<runs).map { _ in nanoseconds(body) }.min() ?? 0 }

/// The cost that a derived collection adds to one change of its source, and the cost of computing it again.
struct LiveResult {
  let name: String
  let following: Double
  let anew: Double

  var isMet: Bool { following <= anew / 100 }
}

func measureLiveCollections() -> [LiveResult] {
  let filtering = best(of: 20) { total.value &+= liveElements.filter(isShown).count }
  let sorting = best(of: 5) { total.value &+= liveElements.sorted(by: <).count }
  return liveCases.flatMap { live in
    [
      LiveResult(name: "filter: \(live.name)", following: following(live) { $0.filter(isShown) }, anew: filtering),
      LiveResult(name: "sorted: \(live.name)", following: following(live) { $0.sorted(by: <) }, anew: sorting),
    ]
  }
}

/// Returns the nanoseconds of a change to a list with a derived collection, less those of a change to a list alone. The
/// two are measured in turn.
func following(
  _ live: LiveCase, _ derive: (CollectionProperty<[String]>) -> AnyCollectionProperty<[String]>
) -> Double {
  let count = 1000
  let (alone, source) = (CollectionProperty(liveElements), CollectionProperty(liveElements))
  let derived = derive(source)
  var (without, with) = (Double.infinity, Double.infinity)
  for _ in 0..<9 {
    without = min(without, nanoseconds { for number in 0..<count { live.change(alone, number) } })
    with = min(with, nanoseconds { for number in 0..<count { live.change(source, number) } })
  }
  total.value &+= derived.count
  return max(0, with - without) / Double(count)
}

/// Returns the nanoseconds and allocations of appending one element to an observed list of a million elements.
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
