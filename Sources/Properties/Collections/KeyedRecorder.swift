/// A recorder that merges changes of a dictionary or a set into one. It stores for each touched key whether it existed before and exists
/// now.
struct KeyedRecorder<Key: Hashable>: BatchRecorder {
  private var touched: [(key: Key, wasThere: Bool, isThere: Bool)] = []
  /// The index of each key in `touched`.
  private var indices: [Key: Int] = [:]

  mutating func record(_ changes: CollectionChanges<Key>) {
    for key in changes.deletes { touch(key, was: true, is: false) }
    for key in changes.inserts { touch(key, was: false, is: true) }
    for key in changes.updates { touch(key, was: true, is: true) }
  }

  private mutating func touch(_ key: Key, was: Bool, is now: Bool) {
    guard let index = indices[key] else {
      indices[key] = touched.count
      touched.append((key, was, now))
      return
    }
    touched[index].isThere = now
    // The latest of equal members: the members of a set can differ in properties that `==` ignores.
    if now { touched[index].key = key }
  }

  func finish() -> CollectionChanges<Key> {
    var changes = CollectionChanges<Key>()
    for (key, wasThere, isThere) in touched {
      switch (wasThere, isThere) {
      case (false, true): changes.inserts.append(key)
      case (true, false): changes.deletes.append(key)
      case (true, true): changes.updates.append(key)
      case (false, false): break
      }
    }
    return changes
  }
}
