#if canImport(Glibc)
import Glibc

/// The preemptions that are enough to find nearly every fault. A sanitizer makes each order take ten times as long.
package let standardPreemptions = getenv("HEADWATER_SANITIZER") == nil ? 3 : 2

/// The preemptions of a program with so many steps that more would take minutes.
package let fewPreemptions = standardPreemptions - 1

/// Runs `program` once for each order in which its threads can reach what they share, and returns what was found.
///
/// The threads run one at a time. They can take turns before each lock, and before each access that the package announces. All orders with at
/// most `preemptions` preemptions are tried, except those that differ only in steps on different objects. A switch at the end or at a
/// wait of a thread is no preemption.
///
/// - Parameters:
///   - preemptions: The bound; nil for none.
///   - most: The number of orders after which the exploration stops.
///   - seconds: The duration of random orders, which follow if nothing was found.
///   - program: Makes the threads, runs them, and checks what has happened. It must do the same each time.
package func explore(
  preemptions: Int? = standardPreemptions, atMost most: Int = 1_000_000, atRandomFor seconds: Int? = nil,
  _ program: (Schedule) -> Void
) -> Exploration {
  _ = Traps.areReported
  defer { Schedule.leave() }
  if let text = getenv("HEADWATER_SCHEDULE") {
    let schedule = Schedule(plan: String(cString: text).split(separator: ".").compactMap { Int($0) })
    schedule.enter()
    program(schedule)
    return Exploration(schedules: 1, isComplete: false, failure: schedule.failure)
  }
  var tree = ScheduleTree(preemptions)
  var count = 0
  var beginnings = 1
  while let plan = tree.next(), count < most {
    let schedule = Schedule(plan: plan)
    schedule.enter()
    program(schedule)
    schedule.clear()
    count += 1
    // What happens once in a process, such as a report, makes one order differ from the ones before.
    if schedule.isDifferent, beginnings < 10 {
      beginnings += 1
      tree = ScheduleTree(preemptions)
      continue
    }
    if let failure = schedule.failure { return Exploration(schedules: count, isComplete: false, failure: failure) }
    tree.add(schedule.steps)
  }
  var failure: String?
  let isComplete = tree.isDone
  if let seconds {
    failure = exploreAtRandom(seconds, &count, program)
  }
  return Exploration(schedules: count, isComplete: isComplete, failure: failure)
}

/// Runs `program` in random orders.
private func exploreAtRandom(_ seconds: Int, _ count: inout Int, _ program: (Schedule) -> Void) -> String? {
  let clock = ContinuousClock()
  let end = clock.now + .seconds(seconds)
  while clock.now < end {
    let schedule = Schedule(seed: UInt64(count))
    schedule.enter()
    program(schedule)
    schedule.clear()
    count += 1
    if let failure = schedule.failure { return failure }
  }
  return nil
}

/// What an exploration has found.
package struct Exploration {
  /// The number of orders that were tried.
  package let schedules: Int
  /// True if no further order is within the bound.
  package let isComplete: Bool
  /// What went wrong first, with the order that repeats it.
  package let failure: String?
}

/// The orders that were tried, and those that remain.
///
/// The search is depth-first. Two steps depend on each other if they are on the same object. For each step, the thread also gets a turn
/// before the last step of another thread on that object, as in dynamic partial-order reduction; and at the beginning of that
/// thread's turn, where the switch is no preemption, as a bound on preemptions requires.
private struct ScheduleTree {
  private struct Node {
    let enabled: ThreadSet
    let previous: Int?
    /// The preemptions before this step.
    let preemptions: Int
    var chosen: Int
    var done: ThreadSet
    var wanted: ThreadSet

    func isPreemption(_ thread: Int) -> Bool { previous.map { $0 != thread && enabled.contains($0) } ?? false }
  }

  private let bound: Int?
  private var nodes: [Node] = []
  private var hasBegun = false

  init(_ bound: Int?) { self.bound = bound }

  private(set) var isDone = false

  /// The choices of the next order, or nil if there is none.
  mutating func next() -> [Int]? {
    if !hasBegun {
      hasBegun = true
      return []
    }
    while let node = nodes.popLast() {
      let left = node.wanted.subtracting(node.done).numbers.first { thread in
        bound.map { node.preemptions + (node.isPreemption(thread) ? 1 : 0) <= $0 } ?? true
      }
      guard let left else { continue }
      var node = node
      node.chosen = left
      node.done.insert(left)
      nodes.append(node)
      return nodes.map { $0.chosen }
    }
    isDone = true
    return nil
  }

  /// Adds the steps of an order that was run.
  mutating func add(_ steps: [Schedule.Step]) {
    // The steps before the last choice were added with the order that this one branches from.
    let first = max(nodes.count - 1, 0)
    var preemptions = nodes.last?.preemptions ?? 0
    for index in first..<steps.count {
      let step = steps[index]
      if index >= nodes.count {
        let chosen = ThreadSet(step.thread)
        nodes.append(
          Node(
            enabled: step.enabled, previous: step.previous, preemptions: preemptions, chosen: step.thread,
            done: chosen, wanted: chosen))
      }
      if nodes[index].isPreemption(step.thread) { preemptions += 1 }
    }
    for index in first..<steps.count {
      let step = steps[index]
      var other = index - 1
      while other >= 0, steps[other].thread == step.thread || !steps[other].depends(on: step) { other -= 1 }
      if other < 0 { continue }
      want(step.thread, at: other)
      var start = other
      while start > 0, steps[start - 1].thread == steps[other].thread { start -= 1 }
      if start != other { want(step.thread, at: start) }
    }
  }

  private mutating func want(_ thread: Int, at index: Int) {
    if nodes[index].enabled.contains(thread) {
      nodes[index].wanted.insert(thread)
    } else {
      nodes[index].wanted.formUnion(nodes[index].enabled)
    }
  }
}
#endif
