import Properties
import Streams
import StreamsTesting
import Testing

/// `CollectionProperty` besides its vectors: observers, batches, dictionaries, sets, views, steps, and bindings.
@Suite("CollectionProperty", .noLiveResources) struct CollectionPropertyTests {
  @Test func `observing gives a changeset without changes at once, then one for each change, and the completion`() {
    var list: CollectionProperty<[Int]>? = CollectionProperty([1, 2])
    let record = list!.record()
    let view = list!.readOnlyView
    #expect(record.elements == [CollectionChangeset(collection: [1, 2])])
    list?.append(3)
    #expect(record.elements.last?.collection == [1, 2, 3])
    #expect(record.elements.last?.isEmpty == false)
    weak let reference = list
    list = nil
    #expect(reference == nil)
    #expect(record.isCompleted)
    #expect(view.collection == [1, 2, 3])
    #expect(view.record().elements == [CollectionChangeset(collection: [1, 2, 3])])
    #expect(view.record().isCompleted)
  }

  @Test func `a change from inside an observer is visible at once and told after the current one, to all in order`() {
    let list = CollectionProperty([0])
    var log: [String] = []
    let bag = DisposeBag()
    var late: [[Int]] = []
    list.changes.observeNext { [unowned list] changeset in
      log.append("a\(changeset.collection)")
      if changeset.collection == [0, 1] {
        list.append(2)
        #expect(list.collection == [0, 1, 2])
        list.observeNext { late.append($0.collection) }.dispose(in: bag)
      }
    }.dispose(in: bag)
    list.changes.observeNext { log.append("b\($0.collection)") }.dispose(in: bag)
    list.append(1)
    #expect(log == ["a[0, 1]", "b[0, 1]", "a[0, 1, 2]", "b[0, 1, 2]"])
    #expect(late == [[0, 1], [0, 1, 2]])
    bag.dispose()
  }

  @Test func `one who comes in the middle of a batch misses nothing and gets nothing twice`() {
    let list = CollectionProperty([1])
    let early = list.changes.record()
    var late: Recorder<CollectionChangeset<[Int]>, Never>?
    list.batchUpdate { list in
      list.append(2)
      late = list.record()
      list.append(3)
    }
    #expect(late?.elements.map(\.collection) == [[1, 2], [1, 2, 3]])
    #expect(late?.elements.last?.inserts == [2])
    #expect(early.elements.map(\.inserts) == [[1], [2]])
  }

  @Test func `a batch that throws tells what it has changed`() {
    let list = CollectionProperty([1])
    let record = list.changes.record()
    #expect(throws: TestError("stop")) {
      try list.batchUpdate { (list) throws(TestError) in
        list.append(2)
        throw TestError("stop")
      }
    }
    #expect(record.elements.map(\.inserts) == [[1]])
    #expect(list.collection == [1, 2])
  }

  @Test func `reading`() {
    let list = CollectionProperty([1, 2])
    #expect((list.count, list.isEmpty, list[1]) == (2, false, 2))
    let empty = CollectionProperty<[Int]>([])
    #expect(empty.popLast() == nil)
    let record = empty.changes.record()
    empty.removeAll()
    #expect(record.elements.isEmpty)
  }

  @Test func `a change from inside an observer that changes nothing leaves nothing behind`() {
    let ages = CollectionProperty(["a": 1])
    let bag = DisposeBag()
    ages.changes.observeNext { [unowned ages] _ in
      ages["x"] = nil
      ages.batchUpdate { _ in }
    }.dispose(in: bag)
    ages["b"] = 2
    ages["c"] = 3
    #expect(ages.record().elements.map(\.collection) == [["a": 1, "b": 2, "c": 3]])
  }

  @Test func `releasing an element may change the collection`() {
    final class Item {
      let number: Int
      let onDeinit: () -> Void
      init(_ number: Int, _ onDeinit: @escaping () -> Void) {
        self.number = number
        self.onDeinit = onDeinit
      }
      deinit { onDeinit() }
    }
    let list = CollectionProperty<[Item]>([])
    let copy = list.map(\.number)
    func item(_ number: Int) -> Item { Item(number) { [unowned list] in list.append(Item(number + 100) {}) } }
    for number in 0..<4 { list.append(item(number)) }
    list[0] = Item(50) {}
    list.replaceSubrange(1..<2, with: [Item(51) {}])
    list.remove(at: 2)
    #expect(copy.collection == [50, 51, 3, 100, 101, 102])
    list.removeAll()
    #expect(copy.collection == [103])
    list.replace(with: [item(1)])
    list.replace(with: [])
    #expect(copy.collection == [101])
    #expect(copy.collection == list.collection.map(\.number))
    list.removeAll()
  }

  // MARK: Dictionaries and sets

  @Test func `a dictionary tells by key`() {
    let ages = CollectionProperty(["a": 1, "b": 2])
    let record = ages.changes.record()
    ages["c"] = 3
    ages["a"] = 10
    ages["b"] = nil
    ages["x"] = nil
    #expect(ages.updateValue(4, forKey: "c") == 3)
    #expect(ages.removeValue(forKey: "c") == 4)
    #expect(ages["a"] == 10)
    #expect(ages.index(forKey: "a").map { ages.collection[$0].value } == 10)
    ages.replace(with: ["a": 10, "z": 1], performDiff: true)
    ages.removeAll()
    typealias Change = CollectionChanges<String>
    #expect(
      record.elements.map(\.changes) == [
        Change(inserts: ["c"]), Change(updates: ["a"]), Change(deletes: ["b"]), Change(updates: ["c"]),
        Change(deletes: ["c"]), Change(inserts: ["z"]),
        Change(deletes: record.elements.last?.deletes ?? []),
      ])
    #expect(Set(record.elements.last?.deletes ?? []) == ["a", "z"])
  }

  @Test func `a dictionary with default values, and pairs removed by a closure`() {
    let counts = CollectionProperty<[String: Int]>([:])
    let record = counts.changes.record()
    for word in ["a", "b", "a"] { counts[word, default: 0] += 1 }
    counts.removeAll { $0.value == 1 }
    counts.removeAll { $0.value == 1 }
    #expect(counts.collection == ["a": 2])
    #expect(
      record.elements.map(\.changes).suffix(2) == [
        CollectionChanges(updates: ["a"]), CollectionChanges(deletes: ["b"]),
      ])
    #expect(record.elements.count == 4)
  }

  @Test func `a set and other members`() {
    let set = CollectionProperty<Set<Int>>([1, 2, 3])
    let record = set.changes.record()
    set.formUnion([3, 4])
    set.subtract([1, 9])
    set.formIntersection([2, 4])
    set.formUnion([4])
    #expect(set.collection == [2, 4])
    #expect(
      record.elements.map(\.changes) == [
        CollectionChanges(inserts: [4]), CollectionChanges(deletes: [1]), CollectionChanges(deletes: [3]),
      ])
  }

  @Test func `a batch of a dictionary tells each key once`() {
    let ages = CollectionProperty(["a": 1, "b": 2])
    let record = ages.changes.record()
    ages.batchUpdate { ages in
      ages["a"] = nil
      ages["a"] = 5
      ages["c"] = 1
      ages["c"] = 2
      ages["d"] = 1
      ages["d"] = nil
      ages["b"] = nil
    }
    #expect(record.elements.map(\.changes) == [CollectionChanges(inserts: ["c"], deletes: ["b"], updates: ["a"])])
  }

  @Test func `a set tells by member; inserting one that is there is an update`() {
    let names = CollectionProperty(Set(["a", "b"]))
    let record = names.changes.record()
    names.insert("c")
    names.insert("a")
    #expect(names.remove("b") == "b")
    #expect(names.remove("x") == nil)
    #expect(names.contains("a") && !names.contains("b"))
    #expect(names.index(of: "c").map { names[$0] } == "c")
    names.replace(with: ["a", "z"], performDiff: true)
    names.batchUpdate { names in
      names.insert("q")
      names.remove("a")
    }
    typealias Change = CollectionChanges<String>
    #expect(
      record.elements.map(\.changes) == [
        Change(inserts: ["c"]), Change(updates: ["a"]), Change(deletes: ["b"]),
        Change(inserts: ["z"], deletes: ["c"]), Change(inserts: ["q"], deletes: ["a"]),
      ])
    names.removeAll()
    #expect(names.isEmpty)
  }

  @Test func `a dictionary sorted is a list`() {
    let ages = CollectionProperty(["A": 1, "B": 2, "C": 3])
    let sorted = ages.sorted { $0.value < $1.value }
    let record = sorted.changes.record()
    ages["X"] = 4
    ages["X"] = nil
    ages["X"] = 0
    ages["X"] = nil
    ages["A"] = 0
    ages["C"] = 4
    ages["B"] = -1
    ages["B"] = 9
    #expect(sorted.collection.map(\.key) == ["A", "C", "B"])
    typealias Change = CollectionChanges<Int>
    #expect(
      record.elements.map(\.changes) == [
        Change(inserts: [3]), Change(deletes: [3]), Change(inserts: [0]), Change(deletes: [0]), Change(updates: [0]),
        Change(updates: [2]), Change(inserts: [0], deletes: [1]), Change(inserts: [2], deletes: [0]),
      ])
  }

  // MARK: Derived

  @Test func `lazyMap computes when it is asked and holds nothing`() {
    let list = CollectionProperty([1, 2])
    var calls = 0
    let mapped = list.lazyMap { number in
      calls += 1
      return number * 10
    }
    let record = mapped.changes.map(\.inserts).record()
    list.append(3)
    #expect(record.elements == [[2]])
    #expect(calls == 0)
    #expect(Array(mapped.collection) == [10, 20, 30])
    #expect(calls == 3)
    #expect(mapped.filter { $0 > 10 }.collection == [20, 30])
  }

  @Test func `map and filter call their closure once for each element that comes or changes`() {
    let list = CollectionProperty(Array(0..<10))
    var (mapCalls, filterCalls) = (0, 0)
    let derived = list.map { number in
      mapCalls += 1
      return number
    }.filter { number in
      filterCalls += 1
      return number % 2 == 0
    }
    (mapCalls, filterCalls) = (0, 0)
    list.append(10)
    list[0] = 20
    list.remove(at: 5)
    list.insert(11, at: 3)
    #expect((mapCalls, filterCalls) == (3, 3))
    #expect(derived.collection == [20, 2, 4, 6, 8, 10])
  }

  @Test func `a derived collection lets go of its source when nobody keeps or observes it, and not before`() {
    let list = CollectionProperty([1, 2, 3])
    do { #expect(list.filter { $0 > 1 }.sorted().collection == [2, 3]) }
    #expect(list.observerCount == 0)
    var seen: [[Int]] = []
    let subscription = list.map { $0 * 2 }.sorted(by: >).observeNext { seen.append($0.collection) }
    list.append(4)
    #expect(seen == [[6, 4, 2], [8, 6, 4, 2]])
    subscription.dispose()
    #expect(list.observerCount == 0)
  }

  @Test func `derived dictionaries and sets`() {
    let ages = CollectionProperty(["a": 1, "b": 2])
    let (doubled, old) = (ages.mapValues { $0 * 2 }, ages.filter { $0.value > 1 })
    let record = old.changes.record()
    ages["c"] = 3
    ages["a"] = 5
    ages["b"] = 0
    ages["c"] = nil
    #expect(doubled.collection == ["a": 10, "b": 0])
    #expect(old.collection == ["a": 5])
    typealias Change = CollectionChanges<String>
    #expect(
      record.elements.map(\.changes) == [
        Change(inserts: ["c"]), Change(inserts: ["a"]), Change(deletes: ["b"]), Change(deletes: ["c"]),
      ])
    let names = CollectionProperty(Set([3, 1, 2]))
    let (odd, sorted) = (names.filter { $0 % 2 == 1 }, names.sorted(by: <))
    names.insert(5)
    names.remove(1)
    names.insert(4)
    #expect(odd.collection == [3, 5])
    #expect(sorted.collection == [2, 3, 4, 5])
  }

  @Test func `as a property its value is the collection`() {
    let list = CollectionProperty([1])
    let count = list.asProperty.map(\.count)
    let record = count.record()
    list.append(2)
    #expect(count.value == 2)
    #expect(record.elements == [1, 2])
  }

  // MARK: Steps and bindings

  @Test func `steps come between begin and end and lead to the new list`() {
    let list = CollectionProperty([1, 2, 3])
    var copy = list.collection
    let record = list.steps.record()
    let subscription = list.steps.observeNext { if case .step(let step) = $0 { copy.apply(step) } }
    list.move(from: 0, to: 2)
    #expect(record.elements == [.begin, .step(.move(from: 0, to: 2)), .end])
    #expect(copy == [2, 3, 1])
    list.batchUpdate { list in
      list.remove(at: 0)
      list.append(9)
      list[0] = 8
    }
    #expect(copy == list.collection)
    #expect(
      record.elements.dropFirst(3) == [
        .begin, .step(.remove(at: 0)), .step(.insert(9, at: 2)), .step(.replace(8, at: 0)), .end,
      ])
    list.removeAll()
    #expect(copy.isEmpty)
    subscription.dispose()
  }

  /// A list that draws its changes, as on a terminal.
  private final class Screen: LifetimeProviding {
    var lines: [String] = []
    private let token = Lifetime.Token()
    var lifetime: Lifetime { Lifetime(token) }
    var list: Binder<CollectionChangeset<[String]>> {
      Binder(self) { screen, changeset in
        if changeset.isEmpty { screen.lines = changeset.collection }
        for step in changeset.steps { screen.lines.apply(step) }
      }
    }
  }

  @Test func `a live collection is bound to whoever takes changesets`() {
    let names = CollectionProperty(["b"])
    var screen: Screen? = Screen()
    names.sorted().bind(to: screen!.list)
    names.append("a")
    names[0] = "c"
    #expect(screen?.lines == ["a", "c"])
    screen = nil
    #expect(names.observerCount == 0)
  }

  @Test func `another collection property follows`() {
    let source = CollectionProperty([3, 1, 2])
    let target = CollectionProperty([9])
    let record = target.changes.record()
    let binding = source.sorted().bind(to: target)
    #expect(target.collection == [1, 2, 3])
    source.append(0)
    #expect(
      record.elements.map(\.changes) == [
        CollectionChanges(inserts: [0, 1, 2], deletes: [0]), CollectionChanges(inserts: [0]),
      ])
    binding.dispose()
    source.append(5)
    #expect(target.collection == [0, 1, 2, 3])
    target.send(.next(CollectionChangeset(collection: [], changes: CollectionChanges(deletes: [0, 1, 2, 3]))))
    target.send(.completed)
    #expect(target.isEmpty)
  }
}
