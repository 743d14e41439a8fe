import Properties
import Streams
import StreamsTesting
import TestSupport
import Testing

/// Random graphs of composed properties, compared with values that are computed from scratch. Observers set the properties that
/// they observe, and objects are released in any order.
@Suite("Composed properties, random", .noLiveResources) struct ComposedRandomTests {
  private struct Node {
    let view: AnyProperty<Int>
    let compute: () -> Int
  }

  private static func grow(
    _ sources: [Property<Int>], _ random: inout SeededGenerator
  ) -> [Node] {
    var nodes = sources.map { source in
      Node(view: source.readOnlyView, compute: { [unowned source] in source.value })
    }
    for _ in 0..<12 {
      let (one, two) = (nodes.randomElement(using: &random)!, nodes.randomElement(using: &random)!)
      let number = Int.random(in: 2...5, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: nodes.append(Node(view: one.view.map { $0 &* number % 101 }, compute: { one.compute() &* number % 101 }))
      case 1:
        nodes.append(
          Node(
            view: one.view.combineLatest(with: two.view).map { ($0 &+ $1) % 997 },
            compute: { (one.compute() &+ two.compute()) % 997 }))
      case 2: nodes.append(Node(view: one.view.distinct(), compute: one.compute))
      case 3:
        nodes.append(
          Node(
            view: combineLatest(one.view, two.view, one.view).map { $0 &- $1 &+ $2 },
            compute: { one.compute() &- two.compute() &+ one.compute() }))
      default:
        nodes.append(
          Node(
            view: one.view.map { $0 % 2 == 0 ? two.view : one.view }.flatten(.latest),
            compute: { one.compute() % 2 == 0 ? two.compute() : one.compute() }))
      }
    }
    return nodes
  }

  @Test(arguments: 0..<80) func `values are what computing them anew gives, and observers end with them`(_ seed: Int) {
    var random = SeededGenerator(UInt64(seed))
    let sources = (0..<3).map { Property($0) }
    let nodes = Self.grow(sources, &random)
    let bag = DisposeBag()
    var credit = 0
    for _ in 0..<3 {
      let (node, target) = (nodes.randomElement(using: &random)!, sources.randomElement(using: &random)!)
      let value = Int.random(in: 0...50, using: &random)
      node.view.changes.observeNext { [unowned target] in
        if $0 % 3 == 0, credit > 0 {
          credit -= 1
          target.value = value
        }
      }.dispose(in: bag)
    }
    let records = nodes.map { $0.view.record() }
    for _ in 0..<25 {
      credit = 4
      sources.randomElement(using: &random)!.value = Int.random(in: 0...100, using: &random)
      for (node, record) in zip(nodes, records) {
        #expect(node.view.value == node.compute())
        #expect(record.elements.last == node.compute())
      }
    }
    bag.dispose()
  }

  @Test(arguments: 0..<60) func `sources, views and observers may go in any order`(_ seed: Int) {
    var random = SeededGenerator(UInt64(500 + seed))
    var sources: [Property<Int>?] = (0..<3).map { Property($0) }
    weak let (one, two, three) = (sources[0], sources[1], sources[2])
    var views: [AnyProperty<Int>?] = Self.grow(sources.map { $0! }, &random).map(\.view)
    var bags = (0..<6).map { _ in DisposeBag() }
    for bag in bags { views.randomElement(using: &random)!!.observeNext { _ in }.dispose(in: bag) }
    let record = views.last!!.record()
    var jobs: [() -> Void] = sources.indices.map { index in { sources[index] = nil } }
    jobs += views.indices.map { index in { views[index] = nil } }
    jobs += bags.indices.map { index in { bags[index] = DisposeBag() } }
    for job in jobs.shuffled(using: &random) {
      sources.compactMap { $0 }.randomElement(using: &random)?.value += 1
      job()
    }
    #expect(one == nil && two == nil && three == nil)
    #expect(record.isCompleted)
  }

  @Test(arguments: 0..<40) func `live collections, what is derived of them and their observers may go in any order`(
    _ seed: Int
  ) {
    var random = SeededGenerator(UInt64(900 + seed))
    var list: CollectionProperty<[Int]>? = CollectionProperty(Array(0..<50))
    weak let reference = list
    var views: [AnyCollectionProperty<[Int]>?] = [list!.filter { $0 % 3 > 0 }]
    for _ in 0..<6 {
      let view = views.randomElement(using: &random)!!
      views.append(
        [view.map { $0 + 1 }, view.sorted(by: >), view.filter { $0 % 5 > 0 }].randomElement(using: &random)!)
    }
    let target = CollectionProperty<[Int]>([])
    views[3]?.bind(to: target)
    let last = views.last!!.record()
    var jobs: [() -> Void] = views.indices.map { index in { views[index] = nil } }
    jobs.append { list = nil }
    for _ in 0..<4 {
      let bag = DisposeBag()
      views.randomElement(using: &random)!!.observeNext { [weak bag] in if $0.collection.count > 52 { bag?.dispose() } }
        .dispose(in: bag)
      jobs.append { bag.dispose() }
    }
    for job in jobs.shuffled(using: &random) {
      list?.append(Int.random(in: 0..<100, using: &random))
      job()
    }
    #expect(reference == nil)
    #expect(last.isCompleted)
  }

  @Test func `an observer may let go of the property it observes, and of its view, inside of a delivery`() {
    var source: Property<Int>? = Property(1)
    var view: AnyProperty<Int>? = source?.map { $0 * 2 }
    var seen: [Int] = []
    let bag = DisposeBag()
    view?.observe { event in
      if let element = event.element { seen.append(element) }
      if event.element == 4 {
        source?.value = 3
        source = nil
        view = nil
      }
      if event.isCompletion { seen.append(-1) }
    }.dispose(in: bag)
    source?.value = 2
    #expect(seen == [2, 4, 6, -1])
    bag.dispose()
  }
}
