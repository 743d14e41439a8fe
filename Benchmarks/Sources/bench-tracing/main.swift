import Streams

// What one element costs that a hot stream sends through `map` and `filter` to an observer: prints the lowest of ten means, in
// nanoseconds. `Scripts/bench tracing` runs it with the trait Tracing and without.

let count = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 1_000_000 : 1_000_000
let subject = PushStream<Int>()
var sum = 0
let subscription = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.observeNext { sum &+= $0 }

var best = Double.infinity
for _ in 0..<10 {
  let start = ContinuousClock.now
  for element in 0..<count { subject.next(element) }
  best = min(best, (ContinuousClock.now - start) / .nanoseconds(1) / Double(count))
}
precondition(sum != 0)
print(best)
