// Dictionaries. Their changes have keys as positions.

extension CollectionProperty {
  /// The value of a key, or nil. Setting nil removes the key.
  public subscript<Key, Value>(key: Key) -> Value? where Items == [Key: Value] {
    get { cell.items[key] }
    set { if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) } }
  }

  // The closure is escaping because Swift 6.3 crashes in release builds of programs whose default has to be released.
  /// The value of a key, or `defaultValue`.
  public subscript<Key, Value>(key: Key, default defaultValue: @autoclosure @escaping () -> Value) -> Value
  where Items == [Key: Value] {
    get { cell.items[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
  }

  /// Sets the value of a key and returns the previous one. Sends an update if the key existed, otherwise an insert.
  @discardableResult
  public func updateValue<Key, Value>(_ value: Value, forKey key: Key) -> Value? where Items == [Key: Value] {
    var old: Value?
    cell.change { items in
      old = items.updateValue(value, forKey: key)
      return old == nil ? CollectionChanges(inserts: [key]) : CollectionChanges(updates: [key])
    }
    return old
  }

  /// Removes a key and returns its value. Sends nothing if there is no such key.
  @discardableResult
  public func removeValue<Key, Value>(forKey key: Key) -> Value? where Items == [Key: Value] {
    var old: Value?
    cell.change { items in
      old = items.removeValue(forKey: key)
      return old == nil ? CollectionChanges() : CollectionChanges(deletes: [key])
    }
    return old
  }

  /// Removes the pairs for which `shouldBeRemoved` returns true, as one change. The closure must not use this collection.
  ///
  /// - Complexity: O(n).
  public func removeAll<Key, Value>(where shouldBeRemoved: ((key: Key, value: Value)) -> Bool)
  where Items == [Key: Value] {
    // Released after the change was sent, because a deinit can run any code.
    var removed: [Value] = []
    cell.change { items in
      let keys = items.filter { shouldBeRemoved($0) }.map(\.key)
      for key in keys { if let value = items.removeValue(forKey: key) { removed.append(value) } }
      return CollectionChanges(deletes: keys)
    }
    withExtendedLifetime(removed) {}
  }

  /// Removes all keys, as one change.
  public func removeAll<Key, Value>() where Items == [Key: Value] { replace(with: [:]) }

  /// Returns the index of a key in the current dictionary, or nil. The next change invalidates it.
  public func index<Key, Value>(forKey key: Key) -> Dictionary<Key, Value>.Index? where Items == [Key: Value] {
    cell.items.index(forKey: key)
  }

  /// Replaces the dictionary. Sends deletes of all old keys and inserts of all new ones.
  public func replace<Key, Value>(with dictionary: [Key: Value]) where Items == [Key: Value] {
    // Values are released after the change was sent, because a deinit can run any code.
    var old = dictionary
    cell.change { items in
      Swift.swap(&items, &old)
      return Items.replacing(old, with: items)
    }
  }

  /// Replaces the dictionary. With `performDiff`, sends only the keys whose values differ.
  ///
  /// With `performDiff`, a value that equals the old one does not replace it, so that the collection has exactly the values that its
  /// observers have received.
  ///
  /// - Complexity: O(n + m).
  public func replace<Key, Value: Equatable>(with dictionary: [Key: Value], performDiff: Bool)
  where Items == [Key: Value] {
    if !performDiff {
      replace(with: dictionary)
      return
    }
    var old = dictionary
    cell.change { items in
      Swift.swap(&items, &old)
      var changes = CollectionChanges<Key>()
      for key in old.keys where dictionary[key] == nil { changes.deletes.append(key) }
      for (key, value) in dictionary {
        switch old[key] {
        case .none: changes.inserts.append(key)
        case .some(let old): if old != value { changes.updates.append(key) } else { items[key] = old }
        }
      }
      return changes
    }
  }

  /// Sends all changes that `body` makes as one changeset. Batches can be nested; the outermost one sends. If `body` throws, its changes
  /// stay and are sent.
  @discardableResult
  public func batchUpdate<Key, Value, Result, Failure: Error>(
    _ body: (CollectionProperty) throws(Failure) -> Result
  ) throws(Failure) -> Result where Items == [Key: Value] {
    try cell.inBatch({ _ in KeyedRecorder<Key>() }) { () throws(Failure) in try body(self) }
  }
}
