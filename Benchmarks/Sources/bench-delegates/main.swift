// Compares calls through a proxy with calls to a handwritten delegate, in one process and one run. Exits with 1 if a
// goal is missed.
//
// Goals are nanoseconds beyond the handwritten call, on a machine on which a closure call takes 1.5 ns. On a slower
// machine, they grow in proportion.
import Allocations
import Delegates
import Streams

#if canImport(Glibc)
import Glibc
#endif

func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(1, width - text.count)) }
func tenths(_ number: Double) -> String {
  let scaled = Int(abs(number) * 10 + 0.5)
  return "\(number < 0 && scaled > 0 ? "-" : "")\(scaled / 10).\(scaled % 10)"
}

/// Returns the best of 60 runs of each side. The sides take turns, so that the load of the machine affects them
/// equally.
func measure(_ sides: [(Int) -> Void], count: Int) -> [(nanoseconds: Double, allocations: Double)] {
  var best = sides.map { _ in (nanoseconds: Double.infinity, allocations: Double.infinity) }
  for _ in 0..<60 {
    for (index, side) in sides.enumerated() {
      let allocations = allocations_so_far()
      let (seconds, attoseconds) = ContinuousClock().measure { side(count) }.components
      let made = Double(allocations_so_far() - allocations) / Double(count)
      let nanoseconds = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
      best[index] = (min(best[index].nanoseconds, nanoseconds), min(best[index].allocations, made))
    }
  }
  return best
}

/// A comparison of a call through a proxy with a call to `hand`.
struct Comparison {
  let name: String
  let goal: Double
  let hand: any Watcher
  /// Prepares the proxy, and returns an object to retain during the measurement.
  let prepare: (WatcherProxy) -> Any
  let isAsking: Bool

  init(
    _ name: String, goal: Double, beside hand: any Watcher, asking: Bool = false,
    prepare: @escaping (WatcherProxy) -> Any
  ) {
    self.name = name
    self.goal = goal
    self.hand = hand
    self.prepare = prepare
    isAsking = asking
  }
}

let watcher = PlainWatcher()
let closures = ClosureWatcher()
closures.didRead = { total.value &+= $1 }
closures.shouldGoOn = { $1 & 1 == 0 }
let forwarder = PlainForwarder()
forwarder.next = watcher

let comparisons = [
  Comparison("nobody listens", goal: 5, beside: watcher) { _ in () },
  Comparison("nobody answers, default", goal: 5, beside: watcher, asking: true) { _ in () },
  Comparison("one observer", goal: 15, beside: watcher) { $0.didRead.stream.observeNext { total.value &+= $0.1 } },
  Comparison("one observer before", goal: 15, beside: watcher) {
    $0.didRead.willInvoke.observeNext { total.value &+= $0.1 }
  },
  Comparison("results, one observer", goal: 60, beside: watcher, asking: true) {
    $0.shouldGoOn.results.observeNext { total.value &+= $0.1 }
  },
  Comparison("a handler", goal: 40, beside: closures) { $0.didRead.replaceAnswer { total.value &+= $1 } },
  Comparison("a handler answers", goal: 40, beside: closures, asking: true) {
    $0.shouldGoOn.replaceAnswer { $1 & 1 == 0 }
  },
  Comparison("forwarding", goal: 5, beside: forwarder) { $0.forwardTo = watcher },
  Comparison("forwarding a question", goal: 5, beside: forwarder, asking: true) { $0.forwardTo = watcher },
  Comparison("forwarding, kept", goal: 5, beside: forwarder) { $0.setForwardee(watcher, retaining: true) },
  Comparison("forwarding and one observer", goal: 15, beside: forwarder) { proxy in
    proxy.forwardTo = watcher
    return proxy.didRead.stream.observeNext { total.value &+= $0.1 }
  },
]

let add: (Int) -> Void = opaque { total.value &+= $0 }
let unit = measure([{ for number in 0..<$0 { add(number) } }], count: 1_000_000)[0].nanoseconds
let scale = max(1, unit / 1.5)
print("closure call: \(tenths(unit)) ns; goals are multiplied by \(tenths(scale))")
print(padded("", 32) + padded("by hand", 14) + padded("proxy", 26) + padded("beyond", 12) + "goal")
var missed: [String] = []
for comparison in comparisons {
  let (plain, proxied) = (Source(), Source())
  plain.watcher = opaque(comparison.hand)
  let proxy = WatcherProxy()
  let kept = comparison.prepare(proxy)
  proxied.watcher = opaque(proxy)
  let isAsking = comparison.isAsking
  let results = measure(
    [plain, proxied].map { source in { count in if isAsking { source.ask(count) } else { source.tell(count) } } },
    count: 250_000)
  withExtendedLifetime(kept) {}
  let beyond = results[1].nanoseconds - results[0].nanoseconds
  let isMet = beyond <= comparison.goal * scale && results[1].allocations < 0.001
  if !isMet { missed.append(comparison.name) }
  print(
    padded(comparison.name, 32) + padded("\(tenths(results[0].nanoseconds)) ns", 14)
      + padded("\(tenths(results[1].nanoseconds)) ns, \(tenths(results[1].allocations)) allocs", 26)
      + padded("\(tenths(beyond)) ns", 12)
      + "\(tenths(comparison.goal * scale)) ns, no allocation\(isMet ? "" : "  MISSED")")
}
if !missed.isEmpty { print("goals missed: \(missed.joined(separator: "; "))") }
exit(missed.isEmpty && total.value != 0 ? 0 : 1)
