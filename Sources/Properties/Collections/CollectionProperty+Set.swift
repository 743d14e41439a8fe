// Sets. Their changes have members as positions.

extension CollectionProperty {
  /// Inserts a member, or replaces an equal one. Sends an update if there was an equal one, otherwise an insert.
  public func insert<Member>(_ member: Member) where Items == Set<Member> {
    // Released after the change was sent, because a deinit can run any code.
    var old: Member?
    cell.change { items in
      old = items.update(with: member)
      return old == nil ? CollectionChanges(inserts: [member]) : CollectionChanges(updates: [member])
    }
  }

  /// Removes a member and returns it. Sends nothing if there is no such member.
  @discardableResult
  public func remove<Member>(_ member: Member) -> Member? where Items == Set<Member> {
    var old: Member?
    cell.change { items in
      old = items.remove(member)
      return old.map { CollectionChanges(deletes: [$0]) } ?? CollectionChanges()
    }
    return old
  }

  /// Inserts the elements of `members` that the set does not contain, as one change.
  public func formUnion<Member>(_ members: some Sequence<Member>) where Items == Set<Member> {
    // Iterated before the change, because the sequence can run any code.
    let members = Array(members)
    cell.change { items in CollectionChanges(inserts: members.filter { items.insert($0).inserted }) }
  }

  /// Removes the elements of `members` from the set, as one change.
  public func subtract<Member>(_ members: some Sequence<Member>) where Items == Set<Member> {
    let members = Array(members)
    cell.change { items in CollectionChanges(deletes: members.compactMap { items.remove($0) }) }
  }

  /// Removes the members that are not in `members`, as one change.
  public func formIntersection<Member>(_ members: some Sequence<Member>) where Items == Set<Member> {
    let kept = Set(members)
    subtract(collection.filter { !kept.contains($0) })
  }

  /// Removes all members, as one change.
  public func removeAll<Member>() where Items == Set<Member> { replace(with: []) }

  /// Returns whether the set contains a member.
  ///
  /// - Complexity: O(1).
  public func contains<Member>(_ member: Member) -> Bool where Items == Set<Member> { cell.items.contains(member) }

  /// Returns the index of a member in the current set, or nil. The next change invalidates it.
  public func index<Member>(of member: Member) -> Set<Member>.Index? where Items == Set<Member> {
    cell.items.firstIndex(of: member)
  }

  /// The member at an index of the current set.
  public subscript<Member>(index: Set<Member>.Index) -> Member where Items == Set<Member> { cell.items[index] }

  /// Replaces the set. Sends deletes of all old members and inserts of all new ones.
  public func replace<Member>(with set: Set<Member>) where Items == Set<Member> {
    // Members are released after the change was sent, because a deinit can run any code.
    var old = set
    cell.change { items in
      Swift.swap(&items, &old)
      return Items.replacing(old, with: items)
    }
  }

  /// Replaces the set. With `performDiff`, sends only the differences.
  ///
  /// - Complexity: O(n + m).
  public func replace<Member>(with set: Set<Member>, performDiff: Bool) where Items == Set<Member> {
    if !performDiff {
      replace(with: set)
      return
    }
    var old = set
    cell.change { items in
      Swift.swap(&items, &old)
      // Equal members stay, so that the collection has exactly the members that its observers have received.
      for member in old where set.contains(member) { items.update(with: member) }
      return CollectionChanges(
        inserts: set.filter { !old.contains($0) }, deletes: old.filter { !set.contains($0) })
    }
  }

  /// Sends all changes that `body` makes as one changeset. Batches can be nested; the outermost one sends. If `body` throws, its changes
  /// stay and are sent.
  @discardableResult
  public func batchUpdate<Member, Result, Failure: Error>(
    _ body: (CollectionProperty) throws(Failure) -> Result
  ) throws(Failure) -> Result where Items == Set<Member> {
    try cell.inBatch({ _ in KeyedRecorder<Member>() }) { () throws(Failure) in try body(self) }
  }
}
