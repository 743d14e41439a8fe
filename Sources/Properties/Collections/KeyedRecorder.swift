/// A recorder that merges changes of a dictionary or a set into one. It stores for each touched key whether it existed before and exists
/// now.
struct KeyedRecorder<Key: Hashable>: BatchRecorder {
  private var wasThere: [Key: Bool] = [:]
  private var isThere: [Key: Bool] = [:]
  /// The touched keys in order.
  private var keys: [Key] = []

  mutating func record(_ changes: CollectionChanges<Key>) {
    for key in changes.deletes { touch(key, was: true, is: false) }
    for key in changes.inserts { touch(key, was: false, is: true) }
    for key in changes.updates { touch(key, was: true, is: true) }
  }

  private mutating func touch(_ key: Key, was: Bool, is now: Bool) {
    if wasThere[key] == nil {
      wasThere[key] = was
      keys.append(key)
    }
    isThere[key] = now
  }

  func finish() -> CollectionChanges<Key> {
    var changes = CollectionChanges<Key>()
    for key in keys {
      switch (wasThere[key] ?? false, isThere[key] ?? false) {
      case (false, true): changes.inserts.append(key)
      case (true, false): changes.deletes.append(key)
      case (true, true): changes.updates.append(key)
      case (false, false): break
      }
    }
    return changes
  }
}
