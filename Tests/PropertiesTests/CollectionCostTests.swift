import EventLoops
import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// The cost of changes: copies, and calls of predicates and comparisons. Also changes from other threads.
@Suite("Collections, cost and threads", .noLiveResources, .timeLimit(.minutes(15))) struct CollectionCostTests {
  private func address(_ list: CollectionProperty<[Int]>) -> UnsafePointer<Int>? {
    list.collection.withUnsafeBufferPointer { $0.baseAddress }
  }

  @Test func `appending to a million elements copies nothing, unless an observer keeps an earlier changeset`() {
    var million = Array(0..<1_000_000)
    million.reserveCapacity(1_100_000)
    let list = CollectionProperty(million)
    million = []
    let bag = DisposeBag()
    var count = 0
    list.observeNext { count = $0.collection.count }.dispose(in: bag)
    let even = list.filter { $0 % 100_000 == 0 }
    list.append(0)
    // The first append may find the buffer shared. From here on, the list owns it alone.
    let before = address(list)
    for number in 0..<1000 { list.append(number) }
    #expect(address(list) == before)
    #expect(count == 1_001_001)
    #expect(even.count == 12)
    var kept: [CollectionChangeset<[Int]>] = []
    list.observeNext { kept.append($0) }.dispose(in: bag)
    list.append(1)
    #expect(address(list) != before)
    #expect(kept.map(\.collection.count) == [1_001_001, 1_001_002])
  }

  @Test func `one change to a filter or a sort over 100,000 calls its closure O(log n) times`() {
    let list = CollectionProperty((0..<100_000).map { $0 &* 7919 % 100_003 })
    var (calls, comparisons) = (0, 0)
    let filtered = list.filter { number in
      calls += 1
      return number % 2 == 0
    }
    let sorted = list.sorted { one, other in
      comparisons += 1
      return one < other
    }
    // log2(100,000) is 17. A second comparison distinguishes equal elements.
    let bound = 2 * 17 + 6
    let changes: [(CollectionProperty<[Int]>) -> Void] = [
      { $0.append(50_000) }, { $0.insert(50_000, at: 0) }, { $0.insert(50_000, at: 50_000) }, { $0.remove(at: 33_333) },
      { $0[12_345] = 99_999 }, { $0[12_345] = 0 }, { $0[0] += 1 },
    ]
    for change in changes {
      (calls, comparisons) = (0, 0)
      change(list)
      #expect(calls <= 1)
      #expect(comparisons <= bound)
    }
    #expect(filtered.collection == list.collection.filter { $0 % 2 == 0 })
    #expect(sorted.collection == list.collection.sorted())
  }

  @Test func `a diff of long lists that differ little is fast and takes no memory for a table`() {
    let old = Array(0..<200_000)
    var new = old
    new.remove(at: 150_000)
    new.insert(-1, at: 100)
    new[70_000] = -2
    let list = CollectionProperty(old)
    let record = list.changes.record()
    list.replace(with: new, performDiff: true)
    #expect(record.elements.first?.changes == CollectionChanges(inserts: [100, 70_000], deletes: [69_999, 150_000]))
  }

  @Test func `lists that have nothing in common are compared in linear space`() {
    let (old, new) = (Array(0..<1500), Array(5000..<6500))
    let list = CollectionProperty(old)
    let record = list.changes.record()
    list.replace(with: new, performDiff: true)
    #expect(record.elements.first?.deletes == Array(0..<1500))
    #expect(record.elements.first?.inserts == Array(0..<1500))
  }

  @Test func `a batch of many changes at one end is linear`() {
    let list = CollectionProperty<[Int]>([])
    let record = list.changes.map(\.inserts.count).record()
    list.batchUpdate { list in for number in 0..<100_000 { list.append(number) } }
    #expect(record.elements == [100_000])
  }

  @Test func `another thread changes a collection through Confined, in order, and the observers run at home`() throws {
    let queue = Queue(label: "home")
    let log = Log()
    let list = try queue.sync {
      let list = CollectionProperty<[Int]>([])
      _ = list.filter { $0 % 2 == 0 }.changes.observeNext { changeset in
        log.add(Queue.current === queue ? "\(changeset.collection.last ?? -1)" : "elsewhere")
      }
      return Confined(list)
    }
    for number in 0..<200 { list.async { $0.append(number) } }
    try queue.sync {}
    #expect(log.entries == (0..<100).map { "\($0 * 2)" })
    // Released before the queue shuts down. Later, it would have no home in which to end.
    _ = consume list
    try queue.sync {}
    queue.shutdown()
  }

  @Test func `a collection that dies elsewhere ends what is derived of it at home`() throws {
    let queue = Queue(label: "home")
    let log = Log()
    let box = Lock<CollectionProperty<[Int]>?>(nil)
    try queue.sync {
      let list = CollectionProperty([1, 2])
      _ = list.sorted(by: >).observe { event in
        log.add("\(event.element?.collection.description ?? "completed") \(Queue.current === queue)")
      }
      // Passed to the thread that releases it.
      nonisolated(unsafe) let last = list
      box.withLock { $0 = last }
    }
    box.withLock { $0 = nil }
    try queue.sync {}
    #expect(log.entries == ["[2, 1] true", "completed true"])
    queue.shutdown()
  }
}
