import Headwater
import StreamsTesting
import Testing

/// Situations in which live collections of other libraries have delivered changes that do not lead to the new collection.
@Suite(.noLiveResources) struct CollectionFaultTests {
  /// A list that knows a collection from its changes alone, as a table on a screen does.
  final class Screen {
    private(set) var rows: [String] = []
    private(set) var isWrong = false

    func show(_ change: CollectionChangeset<[String]>) {
      if change.isEmpty { rows = change.collection }
      for step in change.steps { rows.apply(step) }
      if rows != change.collection { isWrong = true }
    }
  }

  @Test func `a filter passes on every deletion of a difference`() {
    let letters = CollectionProperty(["A", "B", "C"])
    let filtered = letters.filter { _ in true }
    let recorder = filtered.changes.record()
    letters.replace(with: [], performDiff: true)
    #expect(recorder.elements.map(\.deletes) == [[0, 1, 2]] && filtered.collection.isEmpty)
  }

  @Test func `a collection that is emptied and filled again leads a screen through both states`() {
    let list = CollectionProperty<[String]>([])
    let (screen, sorted) = (Screen(), Screen())
    list.bind(to: Binder(screen) { $0.show($1) })
    list.sorted().bind(to: Binder(sorted) { $0.show($1) })
    for round in 0..<3 {
      list.removeAll()
      list.insert("b\(round)", at: list.count)
      list.insert("a\(round)", at: list.count)
      list.insert(contentsOf: ["d", "c"], at: list.count)
      list.batchUpdate { list in
        list.removeAll()
        for text in ["z", "y", "x"] { list.append(text + "\(round)") }
        list.removeFirst()
      }
    }
    #expect(screen.rows == ["y2", "x2"] && sorted.rows == ["x2", "y2"])
    #expect(!screen.isWrong && !sorted.isWrong)
  }

  @Test func `a change before the first observer is part of its first collection`() {
    let list = CollectionProperty(["a"])
    list.append("b")
    list.removeFirst()
    let screen = Screen()
    list.bind(to: Binder(screen) { $0.show($1) })
    #expect(screen.rows == ["b"])
    list.removeAll()
    list.append("c")
    #expect(screen.rows == ["c"] && !screen.isWrong)
  }

  @Test func `an observer that is added inside a change receives neither half of it twice`() {
    let list = CollectionProperty(["a"])
    let (early, late) = (Screen(), Screen())
    let bag = DisposeBag()
    var isObserved = false
    list.changes.observeNext { change in
      guard !isObserved else { return }
      isObserved = true
      list.bind(to: Binder(late) { $0.show($1) })
      list.append("from inside")
    }.dispose(in: bag)
    list.bind(to: Binder(early) { $0.show($1) })
    list.append("b")
    list.append("c")
    #expect(early.rows == ["a", "b", "from inside", "c"] && late.rows == early.rows)
    #expect(!early.isWrong && !late.isWrong)
    bag.dispose()
  }

  @Test func `the count can be observed together with the changes`() {
    let list = CollectionProperty(["a"])
    let screen = Screen()
    let bag = DisposeBag()
    var counts: [String] = []
    list.asProperty.map(\.count).observeNext { count in
      counts.append("\(count)/\(list.collection.count)")
      // A screen that is attached while the count changes begins with the new collection.
      if count == 2 { list.bind(to: Binder(screen) { $0.show($1) }) }
    }.dispose(in: bag)
    list.append("b")
    list.append("c")
    #expect(counts == ["1/1", "2/2", "3/3"] && screen.rows == ["a", "b", "c"] && !screen.isWrong)
    bag.dispose()
  }

  @Test func `a changeset that says nothing has changed is true`() {
    let list = CollectionProperty(["a", "b"])
    let recorder = list.zipPrevious().record()
    list.replace(with: ["a", "b"], performDiff: true)
    list.replace(with: ["b", "a"], performDiff: true)
    list[0] = "c"
    list.batchUpdate { list in
      list.append("d")
      list.removeLast()
    }
    for (old, new) in recorder.elements where old != nil {
      #expect(new.isEmpty == (old?.collection == new.collection))
    }
    #expect(recorder.elements.last?.1.collection == ["c", "a"])
    recorder.dispose()
  }

  @Test func `a target that has missed changes starts again from the whole collection`() {
    let scheduler = VirtualScheduler()
    let (source, target) = (CollectionProperty(["a"]), CollectionProperty<[String]>([]))
    let screen = Screen()
    target.bind(to: Binder(screen) { $0.show($1) })
    scheduler.run { _ = source.throttle(for: .seconds(1), latest: true).bind(to: target) }
    for text in ["b", "c", "d"] { source.append(text) }
    source.removeFirst()
    scheduler.advance(by: .seconds(2))
    #expect(target.collection == ["b", "c", "d"] && screen.rows == target.collection && !screen.isWrong)
  }
}
