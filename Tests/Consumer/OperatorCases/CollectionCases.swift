import Headwater

// Collections that change in place, with values that have to be released.

func collectionCases(_ bag: DisposeBag) {
  let names = CollectionProperty(["a": ["x"], "b": []])
  names["c", default: []].append("y")
  names["a", default: ["none"]].append(contentsOf: ["z", "w"])
  names["d"] = nil
  names.sorted { $0.key < $1.key }.observeNext { print($0.collection.count) }.dispose(in: bag)
  let list = CollectionProperty([["one"], ["two", "three"]])
  list[0].append("four")
  list.append(list[1].map { $0.uppercased() })
  list.batchUpdate { list in
    list.removeFirst()
    list[0] += ["five"]
  }
  list.map { $0.joined() }.observeNext { print($0.collection) }.dispose(in: bag)
  list.filter { $0.count > 1 }.sorted { $0.count < $1.count }.observeNext { print($0.inserts) }.dispose(in: bag)
  let members = CollectionProperty<Set<String>>(["a", "b"])
  members.insert("c")
  print(members.remove("a") ?? "none")
  members.sorted { $0 < $1 }.observeNext { print($0.collection) }.dispose(in: bag)
}

func collectionCaseOfCounts(_ words: [String: String]) -> Int {
  let counts = CollectionProperty<[String: Int]>([:])
  for (key, word) in words {
    counts[word, default: key.count] += 1
    counts[key, default: word.utf8.count] -= 1
  }
  return counts.collection.values.reduce(0, +)
}
