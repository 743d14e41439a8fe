import Properties
import Streams
import StreamsTesting
import Testing

/// The changes that each mutator reports, and those that derived collections report: one vector in each row.
@Suite("Collection vectors", .noLiveResources) struct CollectionVectorTests {
  typealias Change = CollectionChanges<Int>

  struct Vector: CustomTestStringConvertible, Sendable {
    let name: String
    let mutate: @Sendable (CollectionProperty<[Int]>) -> Void
    let result: [Int]
    /// Nil if nothing is reported.
    let change: Change?

    init(
      _ name: String, _ result: [Int], inserts: [Int] = [], deletes: [Int] = [], updates: [Int] = [],
      moves: [CollectionMove<Int>] = [], _ mutate: @escaping @Sendable (CollectionProperty<[Int]>) -> Void
    ) {
      self.name = name
      self.mutate = mutate
      self.result = result
      let change = Change(inserts: inserts, deletes: deletes, updates: updates, moves: moves)
      self.change = change.isEmpty ? nil : change
    }

    var testDescription: String { name }
  }

  /// Mutates [1, 2, 3], and compares the changes that the derived collection reports.
  private func check<Derived: CollectionPropertyProtocol>(
    _ vector: Vector, _ derive: (CollectionProperty<[Int]>) -> Derived
  ) where Derived.Items == [Int] {
    let collection = CollectionProperty([1, 2, 3])
    let derived = derive(collection)
    let record = derived.changes.record()
    vector.mutate(collection)
    #expect(derived.collection == vector.result)
    let told = record.elements
    #expect(told == vector.change.map { [CollectionChangeset(collection: vector.result, changes: $0)] } ?? [])
  }

  static let list = [
    Vector("append", [1, 2, 3, 4], inserts: [3]) { $0.append(4) },
    Vector("append contents", [1, 2, 3, 4, 5], inserts: [3, 4]) { $0.append(contentsOf: [4, 5]) },
    Vector("append nothing", [1, 2, 3]) { $0.append(contentsOf: []) },
    Vector("insert", [0, 1, 2, 3], inserts: [0]) { $0.insert(0, at: 0) },
    Vector("insert contents", [1, 7, 8, 2, 3], inserts: [1, 2]) { $0.insert(contentsOf: [7, 8], at: 1) },
    Vector("remove last", [1, 2], deletes: [2]) { #expect($0.removeLast() == 3) },
    Vector("remove first", [2, 3], deletes: [0]) { #expect($0.removeFirst() == 1) },
    Vector("pop last", [1, 2], deletes: [2]) { #expect($0.popLast() == 3) },
    Vector("remove at", [2, 3], deletes: [0]) { #expect($0.remove(at: 0) == 1) },
    Vector("remove all", [], deletes: [0, 1, 2]) { $0.removeAll() },
    Vector("set", [10, 2, 3], updates: [0]) { $0[0] = 10 },
    Vector("move on", [2, 3, 1], updates: [0, 1, 2], moves: [CollectionMove(from: 0, to: 2)]) {
      $0.move(from: 0, to: 2)
    },
    Vector("move back", [1, 3, 2], updates: [1, 2], moves: [CollectionMove(from: 2, to: 1)]) {
      $0.move(from: 2, to: 1)
    },
    Vector("move nowhere", [1, 2, 3]) { $0.move(from: 1, to: 1) },
    Vector("swap", [3, 2, 1], updates: [0, 2]) { $0.swapAt(2, 0) },
    Vector("replace", [1, 2], inserts: [0, 1], deletes: [0, 1, 2]) { $0.replace(with: [1, 2]) },
    Vector("replace with diff", [0, 1, 3, 4], inserts: [0, 3], deletes: [1]) {
      $0.replace(with: [0, 1, 3, 4], performDiff: true)
    },
    Vector("replace without diff", [9], inserts: [0], deletes: [0, 1, 2]) { $0.replace(with: [9], performDiff: false) },
    Vector("replace by the same with diff", [1, 2, 3]) { $0.replace(with: [1, 2, 3], performDiff: true) },
    Vector("replace a range by more", [1, 7, 8, 9, 3], inserts: [2, 3], updates: [1]) {
      $0.replaceSubrange(1..<2, with: [7, 8, 9])
    },
    Vector("replace a range by less", [7, 3], deletes: [1], updates: [0]) { $0.replaceSubrange(0..<2, with: [7]) },
    Vector("remove a range", [3], deletes: [0, 1]) { $0.removeSubrange(0..<2) },
    Vector("remove some from the front", [3], deletes: [0, 1]) { $0.removeFirst(2) },
    Vector("remove some from the end", [1], deletes: [1, 2]) { $0.removeLast(2) },
    Vector("remove those that", [2], deletes: [0, 2]) { $0.removeAll { $0 % 2 == 1 } },
    Vector("remove those that are not there", [1, 2, 3]) { $0.removeAll { $0 > 9 } },
    Vector("replace a range by nothing", [3], deletes: [0, 1]) { $0.replaceSubrange(0..<2, with: []) },
    Vector("update", [5], inserts: [0], deletes: [0, 1, 2]) {
      $0.update(CollectionChangeset(collection: [5], changes: Change(inserts: [0], deletes: [0, 1, 2])))
    },
    Vector("silent update", [5]) { $0.silentUpdate([5]) },
    Vector("a batch", [0, 1, 9, 4], inserts: [0, 3], deletes: [2], updates: [2]) { collection in
      collection.batchUpdate { collection in
        collection.append(4)
        collection.insert(0, at: 0)
        collection[2] = 9
        collection.remove(at: 3)
      }
    },
    Vector("a batch that undoes itself", [1, 2, 3]) { collection in
      collection.batchUpdate { collection in
        collection.append(4)
        collection.batchUpdate { $0.removeLast() }
      }
    },
  ]

  @Test(arguments: list) func `a list tells`(_ vector: Vector) { check(vector) { $0.readOnlyView } }

  @Test(arguments: [
    Vector("append", [2, 4, 6, 8], inserts: [3]) { $0.append(4) },
    Vector("insert", [20, 2, 4, 6], inserts: [0]) { $0.insert(10, at: 0) },
    Vector("remove last", [2, 4], deletes: [2]) { $0.removeLast() },
    Vector("remove at", [2, 6], deletes: [1]) { $0.remove(at: 1) },
    Vector("set", [2, 40, 6], updates: [1]) { $0[1] = 20 },
    Vector("move", [4, 6, 2], updates: [0, 1, 2], moves: [CollectionMove(from: 0, to: 2)]) { $0.move(from: 0, to: 2) },
    Vector("many", (1...103).map { $0 * 2 }, inserts: Array(3...102)) { $0.append(contentsOf: 4...103) },
  ]) func `map tells`(_ vector: Vector) { check(vector) { $0.map { $0 * 2 } } }

  @Test(arguments: [
    Vector("append the highest", [4, 3, 2, 1], inserts: [0]) { $0.append(4) },
    Vector("append the lowest", [3, 2, 1, 0], inserts: [3]) { $0.append(0) },
    Vector("insert the highest", [4, 3, 2, 1], inserts: [0]) { $0.insert(4, at: 1) },
    Vector("insert the lowest", [3, 2, 1, 0], inserts: [3]) { $0.insert(0, at: 1) },
    Vector("remove the highest", [2, 1], deletes: [0]) { $0.removeLast() },
    Vector("remove the lowest", [3, 2], deletes: [2]) { $0.remove(at: 0) },
    Vector("update that stays last", [3, 2, 0], updates: [2]) { $0[0] = 0 },
    Vector("update that stays first", [4, 2, 1], updates: [0]) { $0[2] = 4 },
    Vector("update that moves to the front", [4, 3, 1], inserts: [0], deletes: [1]) { $0[1] = 4 },
    Vector("update that moves to the back", [3, 1, 0], inserts: [2], deletes: [1]) { $0[1] = 0 },
  ]) func `sorted tells`(_ vector: Vector) { check(vector) { $0.sorted(by: >) } }

  @Test(arguments: [
    Vector("append one that does not pass", [1, 3]) { $0.append(4) },
    Vector("append one that passes", [1, 3, 5], inserts: [2]) { $0.append(5) },
    Vector("insert one that does not pass", [1, 3]) { $0.insert(4, at: 1) },
    Vector("insert one that passes", [1, 5, 3], inserts: [1]) { $0.insert(5, at: 1) },
    Vector("remove one that passes", [1], deletes: [1]) { $0.removeLast() },
    Vector("remove one that does not pass", [1, 3]) { $0.remove(at: 1) },
    Vector("update: neither passes", [1, 3]) { $0[1] = 4 },
    Vector("update: now it passes", [1, 5, 3], inserts: [1]) { $0[1] = 5 },
    Vector("update: both pass", [1, 5], updates: [1]) { $0[2] = 5 },
    Vector("update: it passes no more", [1], deletes: [1]) { $0[2] = 4 },
  ]) func `filter tells`(_ vector: Vector) { check(vector) { $0.filter { $0 % 2 != 0 } } }

  /// Deletions by old index, and insertions by new index.
  @Test(arguments: [
    ("1234", "23", [0, 3], [Int]()),
    ("0125890", "4598310", [0, 1, 2, 4], [0, 3, 4, 5]),
    ("BANANA", "KATANA", [0, 2], [0, 2]),
    ("1234", "1224533324", [], [2, 3, 4, 6, 7, 8]),
    ("thisisatest", "testing123testing", [1, 2, 5, 6], [1, 3, 5, 6, 7, 8, 9, 14, 15, 16]),
    ("HUMAN", "CHIMPANZEE", [1], [0, 2, 4, 7, 8, 9]),
  ]) func `a diff tells what differs`(_ old: String, _ new: String, _ deletes: [Int], _ inserts: [Int]) {
    let collection = CollectionProperty(Array(old))
    let record = collection.changes.record()
    collection.replace(with: Array(new), performDiff: true)
    let changes = record.elements[0].changes
    #expect(changes == Change(inserts: inserts, deletes: deletes))
    #expect(applied(changes, of: Array(new), to: Array(old)) == Array(new))
  }
}

/// Applies a changeset as its documentation specifies.
func applied<Element>(_ changes: CollectionChanges<Int>, of new: [Element], to old: [Element]) -> [Element] {
  var list = old
  for index in changes.deletes.reversed() { list.remove(at: index) }
  for index in changes.inserts { list.insert(new[index], at: index) }
  for index in changes.updates { list[index] = new[index] }
  return list
}
