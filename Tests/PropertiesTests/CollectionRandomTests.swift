import Properties
import Streams
import StreamsTesting
import Testing

/// Random mutations: a changeset leads from the old collection to the new one, and a derived collection equals one that is
/// computed from scratch.
@Suite("Collections, random", .noLiveResources) struct CollectionRandomTests {
  /// A generator whose numbers are the same in each run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &self) }
  }

  /// Elements of the same rank have different names, because sorting must be stable.
  private struct Item: Equatable {
    let rank: Int
    let name: Int
  }

  private static func mutate(_ list: CollectionProperty<[Item]>, _ random: inout Numbers, inBatch: Bool = false) {
    func item() -> Item { Item(rank: random.below(20), name: random.below(1_000_000)) }
    let count = list.count
    switch random.below(inBatch ? 11 : 14) {
    case 0, 1: list.append(item())
    case 2: list.insert(item(), at: random.below(count + 1))
    case 3: if count > 0 { list.remove(at: random.below(count)) }
    case 4: if count > 0 { list[random.below(count)] = item() }
    case 5: if count > 0 { list.move(from: random.below(count), to: random.below(count)) }
    case 6: if count > 0 { list.swapAt(random.below(count), random.below(count)) }
    case 7:
      // Sometimes more elements than are followed one by one.
      let added = random.below(random.below(4) == 0 ? 60 : 5)
      list.insert(contentsOf: (0..<added).map { _ in item() }, at: random.below(count + 1))
    case 8:
      let start = random.below(count + 1)
      let end = start + random.below(count - start + 1)
      list.replaceSubrange(start..<end, with: (0..<random.below(4)).map { _ in item() })
    case 9: list.replace(with: list.collection.filter { _ in random.below(4) > 0 } + [item()], performDiff: true)
    case 10: list.replace(with: (0..<random.below(30)).map { _ in item() })
    case 11:
      list.batchUpdate { list in for _ in 0..<random.below(12) { mutate(list, &random, inBatch: true) } }
    case 12:
      // More changes than are followed one by one.
      list.batchUpdate { list in for _ in 0..<80 { mutate(list, &random, inBatch: true) } }
    default: if random.below(10) == 0 { list.removeAll() }
    }
  }

  @Test(arguments: 0..<60) func `lists and what is derived of them`(_ seed: Int) {
    var random = Numbers(state: UInt64(seed))
    let list = CollectionProperty((0..<random.below(40)).map { Item(rank: $0 % 7, name: $0) })
    let filtered = list.filter { $0.rank % 3 != 0 }
    let sorted = list.sorted { $0.rank < $1.rank }
    let mapped = list.map { $0.rank * 2 }
    let chain = filtered.map { $0.rank }.sorted(by: >).filter { $0 > 4 }
    let lazy = sorted.lazyMap { $0.name }

    let bag = DisposeBag()
    var copies = (list.collection, filtered.collection, sorted.collection, chain.collection)
    var steps = list.collection
    list.changes.observeNext { changeset in
      copies.0 = applied(changeset.changes, of: changeset.collection, to: copies.0)
      for step in changeset.steps { steps.apply(step) }
    }.dispose(in: bag)
    filtered.changes.observeNext { copies.1 = applied($0.changes, of: $0.collection, to: copies.1) }.dispose(in: bag)
    sorted.changes.observeNext { copies.2 = applied($0.changes, of: $0.collection, to: copies.2) }.dispose(in: bag)
    chain.changes.observeNext { copies.3 = applied($0.changes, of: $0.collection, to: copies.3) }.dispose(in: bag)

    for _ in 0..<60 {
      Self.mutate(list, &random)
      let now = list.collection
      #expect(copies.0 == now)
      #expect(steps == now)
      #expect(filtered.collection == now.filter { $0.rank % 3 != 0 })
      #expect(copies.1 == filtered.collection)
      #expect(sorted.collection == now.sorted { $0.rank < $1.rank })
      #expect(copies.2 == sorted.collection)
      #expect(mapped.collection == now.map { $0.rank * 2 })
      #expect(copies.3 == chain.collection)
      #expect(chain.collection == now.map(\.rank).filter { $0 % 3 != 0 }.sorted(by: >).filter { $0 > 4 })
      #expect(Array(lazy.collection) == sorted.collection.map(\.name))
    }
  }

  @Test(arguments: 0..<20) func `dictionaries and what is derived of them`(_ seed: Int) {
    var random = Numbers(state: UInt64(1000 + seed))
    let ages = CollectionProperty<[Int: Int]>([:])
    let filtered = ages.filter { $0.value % 2 == 0 }
    let values = ages.mapValues { -$0 }
    let sorted = filtered.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    var copy = ages.collection
    var sortedCopy: [Int] = []
    let bag = DisposeBag()
    ages.changes.observeNext { changeset in
      for key in changeset.deletes { #expect(copy.removeValue(forKey: key) != nil) }
      for key in changeset.inserts { #expect(copy.updateValue(changeset.collection[key]!, forKey: key) == nil) }
      for key in changeset.updates { #expect(copy.updateValue(changeset.collection[key]!, forKey: key) != nil) }
    }.dispose(in: bag)
    sorted.changes.observeNext { changeset in
      sortedCopy = applied(changeset.changes, of: changeset.collection.map(\.key), to: sortedCopy)
    }.dispose(in: bag)
    func change() {
      switch random.below(6) {
      case 0: ages[random.below(30)] = nil
      case 1:
        let new = Dictionary(uniqueKeysWithValues: (0..<random.below(30)).map { ($0, random.below(9)) })
        ages.replace(with: new, performDiff: random.below(2) == 0)
      default: ages[random.below(30)] = random.below(9)
      }
    }
    for _ in 0..<80 {
      if random.below(5) == 0 {
        ages.batchUpdate { _ in for _ in 0..<10 { change() } }
      } else {
        change()
      }
      let now = ages.collection
      #expect(copy == now)
      #expect(filtered.collection == now.filter { $0.value % 2 == 0 })
      #expect(values.collection == now.mapValues { -$0 })
      let expected = filtered.collection.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
      #expect(sorted.collection.map(\.key) == expected.map(\.key))
      #expect(sortedCopy == sorted.collection.map(\.key))
    }
  }

  /// Chains of derived collections that the seed chooses, compared with the same chains of arrays.
  @Test(arguments: 0..<60) func `chains of derived collections`(_ seed: Int) {
    var random = Numbers(state: UInt64(9000 + seed))
    let list = CollectionProperty((0..<random.below(60)).map { Item(rank: $0 % 7, name: $0) })
    var live: [AnyCollectionProperty<[Item]>] = []
    var plain: [([Item]) -> [Item]] = []
    for chain in 0..<4 {
      // Some chains share their beginning.
      let start = chain == 3 ? random.below(3) : nil
      var view = start.map { live[$0] } ?? list.readOnlyView
      var compute: ([Item]) -> [Item] = start.map { plain[$0] } ?? { $0 }
      for _ in 0..<1 + random.below(5) {
        let (before, number) = (compute, 2 + random.below(3))
        switch random.below(4) {
        case 0:
          view = view.map { Item(rank: ($0.rank * number) % 11, name: $0.name) }
          compute = { before($0).map { Item(rank: ($0.rank * number) % 11, name: $0.name) } }
        case 1:
          view = view.filter { $0.rank % number != 0 }
          compute = { before($0).filter { $0.rank % number != 0 } }
        case 2:
          view = view.sorted { $0.rank % (number + 3) < $1.rank % (number + 3) }
          compute = { before($0).sorted { $0.rank % (number + 3) < $1.rank % (number + 3) } }
        default:
          view = view.lazyMap { Item(rank: $0.rank + 1, name: $0.name) }.filter { $0.rank != number }
          compute = { before($0).map { Item(rank: $0.rank + 1, name: $0.name) }.filter { $0.rank != number } }
        }
      }
      live.append(view)
      plain.append(compute)
    }
    let bag = DisposeBag()
    let target = CollectionProperty<[Item]>([])
    live[0].bind(to: target)
    var copies = live.map(\.collection)
    for index in live.indices {
      live[index].changes.observeNext { changeset in
        copies[index] = applied(changeset.changes, of: changeset.collection, to: copies[index])
      }.dispose(in: bag)
    }
    for _ in 0..<40 {
      if random.below(12) == 0 {
        // Earlier changes are of no use from here on, so the copies of the test start again, too.
        list.silentUpdate(list.collection.shuffled(using: &random).dropLast(random.below(3)))
        list.append(Item(rank: 3, name: -1))
      } else if random.below(6) == 0, list.count > 40 {
        // One update of many elements, in place.
        list.batchUpdate { list in
          for index in 0..<40 { list[index] = Item(rank: list[index].rank, name: list[index].name + 1) }
        }
      } else {
        Self.mutate(list, &random)
      }
      for index in live.indices {
        #expect(live[index].collection == plain[index](list.collection))
        #expect(copies[index] == live[index].collection)
      }
      #expect(target.collection == live[0].collection)
    }
  }

  @Test(arguments: 0..<20) func `sets and what is derived of them, and dictionaries by many keys`(_ seed: Int) {
    var random = Numbers(state: UInt64(3000 + seed))
    let set = CollectionProperty<Set<Int>>([])
    let odd = set.filter { $0 % 2 == 1 }
    let sorted = odd.sorted { $0 % 10 < $1 % 10 }
    let ages = CollectionProperty<[Int: Int]>([:])
    let byAge = ages.filter { $0.value > 2 }.sorted { $0.value < $1.value }
    var (copy, sortedCopy, ageCopy): (Set<Int>, [Int], [Int]) = ([], [], [])
    let bag = DisposeBag()
    set.changes.observeNext { change in
      for member in change.deletes { #expect(copy.remove(member) != nil) }
      for member in change.inserts { #expect(copy.insert(member).inserted) }
    }.dispose(in: bag)
    sorted.changes.observeNext { sortedCopy = applied($0.changes, of: $0.collection, to: sortedCopy) }
      .dispose(in: bag)
    byAge.changes.observeNext { ageCopy = applied($0.changes, of: $0.collection.map(\.key), to: ageCopy) }
      .dispose(in: bag)
    for _ in 0..<60 {
      let bound = random.below(3) == 0 ? 200 : 20
      let members = Set((0..<random.below(bound)).map { _ in random.below(200) })
      switch random.below(5) {
      case 0: set.replace(with: members, performDiff: random.below(2) == 0)
      case 1: set.batchUpdate { set in for member in members { set.remove(member) } }
      case 2: for member in members.prefix(3) { set.remove(member) }
      default: set.batchUpdate { set in for member in members { set.insert(member) } }
      }
      switch random.below(4) {
      case 0: ages.replace(with: Dictionary(uniqueKeysWithValues: members.map { ($0, $0 % 9) }), performDiff: false)
      case 1: ages.batchUpdate { ages in for member in members { ages[member] = nil } }
      case 2: ages.replace(with: ages.collection.mapValues { ($0 + 1) % 9 }, performDiff: true)
      default: ages.batchUpdate { ages in for member in members { ages[member] = random.below(9) } }
      }
      #expect(copy == set.collection)
      #expect(odd.collection == set.collection.filter { $0 % 2 == 1 })
      #expect(Set(sorted.collection) == odd.collection)
      #expect(sorted.collection.map { $0 % 10 } == sorted.collection.map { $0 % 10 }.sorted())
      #expect(sortedCopy == sorted.collection)
      #expect(Set(byAge.collection.map(\.key)) == Set(ages.collection.filter { $0.value > 2 }.keys))
      #expect(byAge.collection.map(\.value) == byAge.collection.map(\.value).sorted())
      #expect(byAge.collection.allSatisfy { ages.collection[$0.key] == $0.value })
      #expect(ageCopy == byAge.collection.map(\.key))
    }
  }

  /// A value that is compared by its number alone, so that a set can replace it by a different one.
  private struct Member: Hashable {
    let number: Int
    let rank: Int

    static func == (one: Member, other: Member) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test(arguments: 0..<20) func `what is derived of sets whose members are updated`(_ seed: Int) {
    var random = Numbers(state: UInt64(7000 + seed))
    let set = CollectionProperty<Set<Member>>([])
    let even = set.filter { $0.rank % 2 == 0 }
    let sorted = set.sorted { ($0.rank, $0.number) < ($1.rank, $1.number) }
    var copy: [Int: Int] = [:]
    let bag = DisposeBag()
    even.changes.observeNext { change in
      for member in change.deletes { #expect(copy.removeValue(forKey: member.number) != nil) }
      for member in change.inserts { #expect(copy.updateValue(member.rank, forKey: member.number) == nil) }
      for member in change.updates { #expect(copy.updateValue(member.rank, forKey: member.number) != nil) }
    }.dispose(in: bag)
    for _ in 0..<60 {
      let members = (0..<random.below(random.below(3) == 0 ? 60 : 4)).map { _ in
        Member(number: random.below(40), rank: random.below(6))
      }
      switch random.below(6) {
      case 0: set.replace(with: Set(members), performDiff: random.below(2) == 0)
      case 1: set.formUnion(members)
      case 2: set.subtract(members)
      default:
        set.batchUpdate { set in
          for member in members { if random.below(3) == 0 { set.remove(member) } else { set.insert(member) } }
          if random.below(9) == 0 { set.replace(with: Set(members)) }
        }
      }
      let now = set.collection
      #expect(copy == Dictionary(uniqueKeysWithValues: now.filter { $0.rank % 2 == 0 }.map { ($0.number, $0.rank) }))
      #expect(Dictionary(uniqueKeysWithValues: even.collection.map { ($0.number, $0.rank) }) == copy)
      let expected = now.sorted { ($0.rank, $0.number) < ($1.rank, $1.number) }
      #expect(sorted.collection.map { [$0.rank, $0.number] } == expected.map { [$0.rank, $0.number] })
    }
  }

  @Test(arguments: 0..<200) func `diffs are shortest scripts`(_ seed: Int) {
    var random = Numbers(state: UInt64(5000 + seed))
    let alphabet = 2 + random.below(6)
    let old = (0..<random.below(40)).map { _ in random.below(alphabet) }
    let new = (0..<random.below(40)).map { _ in random.below(alphabet) }
    let list = CollectionProperty(old)
    let record = list.changes.record()
    list.replace(with: new, performDiff: true)
    guard let changes = record.elements.first?.changes else {
      #expect(old == new)
      return
    }
    #expect(applied(changes, of: new, to: old) == new)
    #expect(changes.deletes == changes.deletes.sorted() && changes.inserts == changes.inserts.sorted())
    // The longest common subsequence, computed the slow way.
    var lengths = Array(repeating: Array(repeating: 0, count: new.count + 1), count: old.count + 1)
    for (i, a) in old.enumerated() {
      for (j, b) in new.enumerated() {
        lengths[i + 1][j + 1] = a == b ? lengths[i][j] + 1 : max(lengths[i][j + 1], lengths[i + 1][j])
      }
    }
    #expect(old.count - changes.deletes.count == lengths[old.count][new.count])
  }
}
