// Dictionaries: told by key.

extension CollectionProperty {
  /// The value of a key, or nil where it is not there. Setting nil removes the key.
  public subscript<Key, Value>(key: Key) -> Value? where Items == [Key: Value] {
    get { cell.items[key] }
    set { if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) } }
  }

  /// The value of a key, or `defaultValue` where it is not there. Setting it sets the key.
  public subscript<Key, Value>(key: Key, default defaultValue: @autoclosure () -> Value) -> Value
  where Items == [Key: Value] {
    get { cell.items[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
  }

  /// Sets the value of a key and returns the one before. Told as an update where the key was there, as an insert otherwise.
  @discardableResult
  public func updateValue<Key, Value>(_ value: Value, forKey key: Key) -> Value? where Items == [Key: Value] {
    var old: Value?
    cell.change { items in
      old = items.updateValue(value, forKey: key)
      return old == nil ? CollectionChanges(inserts: [key]) : CollectionChanges(updates: [key])
    }
    return old
  }

  /// Removes a key and returns its value. Tells nothing where it is not there.
  @discardableResult
  public func removeValue<Key, Value>(forKey key: Key) -> Value? where Items == [Key: Value] {
    var old: Value?
    cell.change { items in
      old = items.removeValue(forKey: key)
      return old == nil ? CollectionChanges() : CollectionChanges(deletes: [key])
    }
    return old
  }

  /// Removes the pairs of which `shouldBeRemoved` says so, as one change. The closure may not use this collection. O(n).
  public func removeAll<Key, Value>(where shouldBeRemoved: ((key: Key, value: Value)) -> Bool)
  where Items == [Key: Value] {
    // Released when the change has been told: that may run anything.
    var removed: [Value] = []
    cell.change { items in
      let keys = items.filter { shouldBeRemoved($0) }.map(\.key)
      for key in keys { if let value = items.removeValue(forKey: key) { removed.append(value) } }
      return CollectionChanges(deletes: keys)
    }
    _ = consume removed
  }

  /// Removes all keys, as one change.
  public func removeAll<Key, Value>() where Items == [Key: Value] { replace(with: [:]) }

  /// The index of a key in the dictionary as it is now; the next change makes it invalid.
  public func index<Key, Value>(forKey key: Key) -> Dictionary<Key, Value>.Index? where Items == [Key: Value] {
    cell.items.index(forKey: key)
  }

  /// Replaces everything: all old keys are deleted, all new ones inserted.
  public func replace<Key, Value>(with dictionary: [Key: Value]) where Items == [Key: Value] {
    // Values are released when the change has been told: that may run anything.
    var old = dictionary
    cell.change { items in
      Swift.swap(&items, &old)
      return Items.replacing(old, with: items)
    }
  }

  /// Replaces everything; with `performDiff` only the keys whose values differ are told. O(n + m).
  ///
  /// With `performDiff` a value that is equal to the old one does not replace it, so that the collection holds exactly what
  /// its observers have been told.
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

  /// Tells all changes that `body` makes as one. Batches may be nested; the outermost tells. Where `body` throws, what it
  /// has changed stays changed and is told.
  @discardableResult
  public func batchUpdate<Key, Value, Result, Failure: Error>(
    _ body: (CollectionProperty) throws(Failure) -> Result
  ) throws(Failure) -> Result where Items == [Key: Value] {
    try cell.inBatch({ _ in KeyedRecorder<Key>() }) { () throws(Failure) in try body(self) }
  }
}
