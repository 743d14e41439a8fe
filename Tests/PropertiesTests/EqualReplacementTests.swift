import Properties
import Streams
import StreamsTesting
import Testing

/// Elements that are equal although they differ: a collection contains the elements that its observers have received.
@Suite("Replacing by what is equal", .noLiveResources)
struct EqualReplacementTests {
  private struct Item: Hashable {
    let id: Int
    let name: String

    static func == (one: Item, other: Item) -> Bool { one.id == other.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  private func items(_ ids: [Int], _ name: String) -> [Item] { ids.map { Item(id: $0, name: name) } }

  private func names(_ items: some Sequence<Item>) -> [String] {
    items.sorted { $0.id < $1.id }.map { "\($0.id)\($0.name)" }
  }

  @Test func `a list keeps the elements that stay, and tells the others`() {
    let list = CollectionProperty(items([1, 2, 3, 4], "old"))
    let derived = list.map { $0.name }
    var told = 0
    let subscription = list.observeNext { _ in told += 1 }
    list.replace(with: items([1, 2, 3, 4], "new"), performDiff: true)
    #expect(list.collection.map(\.name) == Array(repeating: "old", count: 4))
    list.replace(with: items([2, 5, 4, 6], "new"), performDiff: true)
    #expect(names(list.collection) == ["2old", "4old", "5new", "6new"])
    #expect(list.collection.map(\.id) == [2, 5, 4, 6])
    #expect(derived.collection == list.collection.map(\.name))
    #expect(told == 2)
    subscription.dispose()
  }

  @Test func `so do a set and a dictionary`() {
    let set = CollectionProperty(Set(items([1, 2], "old")))
    set.replace(with: Set(items([2, 3], "new")), performDiff: true)
    #expect(names(set.collection) == ["2old", "3new"])
    let dictionary = CollectionProperty(["a": Item(id: 1, name: "old"), "b": Item(id: 2, name: "old")])
    dictionary.replace(with: ["a": Item(id: 1, name: "new"), "b": Item(id: 3, name: "new")], performDiff: true)
    #expect(dictionary.collection["a"]?.name == "old" && dictionary.collection["b"]?.name == "new")
  }
}
