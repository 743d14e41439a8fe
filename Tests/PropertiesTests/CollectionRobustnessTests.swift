import Properties
import Streams
import StreamsTesting
import Testing

/// Collections that are changed silently, bound to several sources, re-entered, and given wrong changes.
@Suite("Collections, robustness", .noLiveResources) struct CollectionRobustnessTests {
  // MARK: Silent changes

  @Test func `after a silent update what is derived begins anew with the next change that is told`() {
    let list = CollectionProperty<[Int]>([])
    let (even, sorted) = (list.filter { $0 % 2 == 0 }, list.sorted(by: >))
    let mapped = list.lazyMap { $0 }.map { -$0 }
    let record = sorted.changes.record()
    list.silentUpdate(Array(0..<1000))
    #expect(even.collection.isEmpty)
    let late = list.map { $0 + 1 }
    #expect(late.count == 1000)
    list.append(1000)
    #expect(even.collection == stride(from: 0, through: 1000, by: 2).map { $0 })
    #expect(sorted.collection == (0...1000).reversed())
    #expect(mapped.collection == (0...1000).map { -$0 })
    #expect(late.collection == Array(1...1001))
    #expect(record.elements.map(\.inserts.count) == [1001])
    list[0] = 4
    #expect(record.elements.last?.inserts.count == 1)
    let ages = CollectionProperty(["a": 1])
    let byAge = ages.sorted { $0.value < $1.value }
    ages.silentUpdate(["b": 3, "c": 2])
    ages["a"] = 1
    #expect(byAge.collection.map(\.key) == ["a", "c", "b"])
  }

  @Test func `a silent update in a batch tells what was changed before it`() {
    let list = CollectionProperty([1])
    let mapped = list.map { $0 }
    let record = list.changes.record()
    list.batchUpdate { list in
      list.append(2)
      list.silentUpdate([1, 2, 3, 4])
      list.append(5)
    }
    #expect(record.elements.map(\.inserts) == [[1], [4]])
    #expect(mapped.collection == [1, 2, 3, 4, 5])
  }

  @Test func `a silent update reaches a bound collection with the next change that is told`() {
    let (source, target) = (CollectionProperty([1]), CollectionProperty<[Int]>([]))
    source.bind(to: target)
    source.silentUpdate([5, 6])
    #expect(target.collection == [1])
    source.append(7)
    #expect(target.collection == [5, 6, 7])
  }

  @Test func `derived collections change when a batch is delivered, and a move in it is told as updates`() {
    let list = CollectionProperty([1, 2, 3])
    let doubled = list.map { $0 * 2 }
    let record = list.changes.record()
    list.batchUpdate { list in
      list.move(from: 0, to: 2)
      #expect(list.collection == [2, 3, 1])
      #expect(doubled.collection == [2, 4, 6])
    }
    #expect(doubled.collection == [4, 6, 2])
    #expect(record.elements.map(\.changes) == [CollectionChanges(updates: [0, 1, 2])])
  }

  // MARK: Bindings

  @Test func `a bound collection that has been changed meanwhile takes over everything`() {
    let (source, target) = (CollectionProperty([1, 2]), CollectionProperty<[Int]>([]))
    source.bind(to: target)
    let mapped = target.map { $0 }
    let record = target.changes.record()
    source.append(3)
    target.append(7)
    source.append(4)
    #expect(mapped.collection == [1, 2, 3, 4])
    target[0] = 9
    source.append(5)
    #expect(mapped.collection == [1, 2, 3, 4, 5])
    source.removeLast()
    #expect(record.elements.last?.changes == CollectionChanges(deletes: [4]))
    #expect(record.elements.first?.changes == CollectionChanges(inserts: [2]))
  }

  @Test func `changesets may be left out before a binding`() {
    let (source, target) = (CollectionProperty([1, 2]), CollectionProperty([5]))
    let mapped = target.map { $0 }
    var isOpen = true
    source.changes.filter { _ in isOpen }.bind(to: target)
    source.append(3)
    #expect(mapped.collection == [1, 2, 3])
    isOpen = false
    source.removeAll()
    source.append(8)
    isOpen = true
    source.append(9)
    #expect(mapped.collection == [8, 9])
  }

  @Test func `a new source at the address of the previous one does not continue its changes`() {
    let sources = PushStream<CollectionProperty<[Int]>>()
    let target = CollectionProperty<[Int]>([])
    sources.flatMap(.latest) { $0.changes }.bind(to: target)
    let mapped = target.map { $0 }
    // Often, the next source has the address of the one that has just been released.
    for number in 1..<200 {
      let source = CollectionProperty([0, number])
      for _ in 1..<number { source[0] += 1 }
      sources.next(source)
      source[0] += 1
      #expect(mapped.collection == source.collection)
    }
  }

  @Test func `two sources may be bound to one collection`() {
    let (one, two) = (CollectionProperty([1]), CollectionProperty([2, 3]))
    let target = CollectionProperty<[Int]>([])
    let mapped = target.map { $0 }
    one.merge(with: two).bind(to: target)
    for number in 0..<3 {
      one.append(number)
      #expect(mapped.collection == one.collection)
      two.removeFirst()
      two.append(number)
      #expect(mapped.collection == two.collection)
    }
  }

  @Test func `changesets of one's own are told as they are where they fit`() {
    let target = CollectionProperty([1])
    let push = PushStream<CollectionChangeset<[Int]>>()
    let record = target.changes.record()
    push.bind(to: target)
    push.next(CollectionChangeset(collection: [1, 2], changes: CollectionChanges(inserts: [1])))
    push.next(CollectionChangeset(collection: [1, 2, 3, 4], changes: CollectionChanges(inserts: [2])))
    #expect(record.elements.map(\.inserts) == [[1], [0, 1, 2, 3]])
    push.completed()
  }

  // MARK: Programmer errors

  @Test(arguments: [
    CollectionChanges(inserts: [3]), CollectionChanges(inserts: [5]), CollectionChanges(deletes: [9]),
    CollectionChanges(updates: [0, 0]), CollectionChanges(inserts: [2], updates: [2]),
    CollectionChanges(updates: [-1]), CollectionChanges(moves: [CollectionMove(from: 3, to: 0)]),
    CollectionChanges(moves: [CollectionMove(from: 2, to: 0)]),
  ]) func `wrong changes do not fit`(_ changes: CollectionChanges<Int>) {
    // The new collection is as long as the list was, or one longer.
    let target = CollectionProperty([1, 2, 3])
    let count = 3 + changes.inserts.count
    let record = target.changes.record()
    let push = PushStream<CollectionChangeset<[Int]>>()
    push.bind(to: target)
    push.next(CollectionChangeset(collection: Array(0..<count), changes: changes))
    #expect(record.elements.first?.deletes == (changes == CollectionChanges(inserts: [3]) ? [] : [0, 1, 2]))
    push.completed()
  }

  @Test func `an update with changes that lead elsewhere traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      CollectionProperty([1]).update(
        CollectionChangeset(collection: [1, 2, 3], changes: CollectionChanges(inserts: [1])))
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("do not lead from a list of 1 elements to one of 3"))
  }

  @Test func `an update compares no elements, so wrong changes that fit reach derived collections as they are`() {
    let list = CollectionProperty([1, 2])
    let mapped = list.map { $0 }
    list.update(CollectionChangeset(collection: [7, 8, 9], changes: CollectionChanges(inserts: [2])))
    #expect(list.collection == [7, 8, 9])
    #expect(mapped.collection == [1, 2, 9])
  }

  @Test func `a derived collection that is used by its own closure traps with the fix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let list = CollectionProperty([1])
      var few: AnyCollectionProperty<[Int]>?
      few = list.filter { _ in (few?.count ?? 0) < 3 }
      list.append(2)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("was used during the change that it is making"))
  }

  // MARK: Re-entrance

  @Test func `a sequence that is added may change the collection`() {
    let list = CollectionProperty([1])
    let mapped = list.map { $0 }
    func changing(_ numbers: [Int]) -> some Collection<Int> {
      numbers.lazy.map { number in
        list.append(number * 10)
        return number
      }
    }
    list.append(contentsOf: changing([2]))
    #expect(list.collection.suffix(1) == [2])
    list.insert(contentsOf: changing([3]), at: 0)
    #expect(list.collection.first == 3)
    list.replaceSubrange(0..<1, with: changing([4]))
    #expect(list.collection.first == 4)
    #expect(mapped.collection == list.collection)
  }

  @Test func `closures of derived collections may change the source`() {
    let list = CollectionProperty([1])
    var credit = 3
    let mapped = list.map { [unowned list] number in
      if credit > 0 {
        credit -= 1
        list.append(number + 1)
      }
      return number
    }
    // The elements that the first call appended were added while the collection was being made.
    list.append(10)
    #expect(mapped.collection == list.collection)
  }

  @Test func `what a derived collection releases may use it`() {
    final class Row {
      let onEnd: () -> Void
      init(_ onEnd: @escaping () -> Void) { self.onEnd = onEnd }
      deinit { onEnd() }
    }
    let list = CollectionProperty(Array(0..<100))
    var counts: [Int] = []
    var rows: AnyCollectionProperty<[Row]>?
    rows = list.map { _ in Row { counts.append(rows?.count ?? -1) } }
    list.remove(at: 0)
    list[0] = 5
    list.removeAll()
    #expect(counts == [99, 99] + Array(repeating: 0, count: 99))
    rows = nil
  }

  @Test func `a change inside of a batch and of an observer's first delivery leaves nothing behind`() {
    let list = CollectionProperty([1])
    let bag = DisposeBag()
    list.batchUpdate { list in
      list.take(1).observeNext { _ in list.append(2) }.dispose(in: bag)
    }
    list.append(3)
    #expect(list.record().elements.map(\.collection) == [[1, 2, 3]])
    bag.dispose()
  }

  @Test func `an observer may dispose of itself and of others, and derive, inside of a changeset`() {
    let list = CollectionProperty([1])
    let bag = DisposeBag()
    var (first, second): ([Int], [Int]) = ([], [])
    let other = SerialDisposable()
    let own = SerialDisposable()
    var derived: AnyCollectionProperty<[Int]>?
    own.inner = list.changes.observeNext { [unowned list] change in
      first.append(change.collection.count)
      derived = list.filter { $0 > 1 }.sorted(by: >)
      other.dispose()
      own.dispose()
      list.append(3)
    }
    other.inner = list.changes.observeNext { second.append($0.collection.count) }
    list.append(2)
    #expect(first == [2])
    #expect(second.isEmpty)
    #expect(derived?.collection == [3, 2])
    list.append(9)
    #expect(derived?.collection == [9, 3, 2])
    bag.dispose()
  }

  // MARK: Objects

  private final class Person {
    var age: Int
    init(_ age: Int) { self.age = age }
  }

  @Test func `objects that are changed in place and told keep a sorted list whole`() {
    let people = CollectionProperty(Dictionary(uniqueKeysWithValues: (0..<20).map { ($0, Person($0)) }))
    let sorted = people.sorted { $0.value.age < $1.value.age }
    for id in [3, 19, 0, 10] {
      let person = people[id]
      person?.age += 40
      people[id] = person
    }
    #expect(sorted.collection.map(\.value.age) == people.collection.values.map(\.age).sorted())
    people[5]?.age = 1000
    people[5] = nil
    #expect(sorted.count == 19)
    #expect(!sorted.collection.contains { $0.key == 5 })
  }

  // MARK: Many changes, and moves

  @Test func `many updates that leave elements where they are are updates`() {
    let list = CollectionProperty((0..<100).map { [$0, 0] })
    let keyed = CollectionProperty(Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, [$0, 0]) }))
    let records = (
      list.sorted { $0[0] < $1[0] }.changes.record(), keyed.sorted { $0.value[0] < $1.value[0] }.changes.record()
    )
    list.batchUpdate { list in for index in 0..<100 { list[index][1] += 1 } }
    keyed.replace(with: keyed.collection.mapValues { [$0[0], 1] }, performDiff: true)
    #expect(records.0.elements.map(\.changes) == [CollectionChanges(updates: Array(0..<100))])
    #expect(records.1.elements.map(\.changes) == [CollectionChanges(updates: Array(0..<100))])
  }

  @Test func `a move calls no predicate, and few comparisons`() {
    let list = CollectionProperty(Array(0..<10_000))
    var (calls, comparisons) = (0, 0)
    let even = list.filter { number in
      calls += 1
      return number % 2 == 0
    }
    let sorted = list.sorted { one, other in
      comparisons += 1
      return one / 100 < other / 100
    }
    let records = (even.changes.record(), sorted.changes.record())
    (calls, comparisons) = (0, 0)
    list.move(from: 0, to: 9999)
    #expect(calls == 0)
    #expect(comparisons < 40)
    #expect(records.0.elements.map(\.moves) == [[CollectionMove(from: 0, to: 4999)]])
    #expect(records.1.elements.map(\.changes) == [CollectionChanges(inserts: [99], deletes: [0])])
    list.move(from: 0, to: 1)
    #expect(records.0.elements.count == 1)
    #expect(even.collection == list.collection.filter { $0 % 2 == 0 })
    #expect(sorted.collection == list.collection.sorted { $0 / 100 < $1 / 100 })
  }
}
