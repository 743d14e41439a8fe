internal import Streams

/// The rule by which a derived collection follows its source: it derives a first state, then follows each change.
protocol Derivation<Source, Output> {
  associatedtype Source: PositionedCollection
  associatedtype Output: PositionedCollection

  /// Derives the first state from a collection.
  mutating func start(_ source: Source) -> Output

  /// Applies a change of the source to `output` in place, and returns the changes of `output`.
  mutating func follow(_ changeset: CollectionChangeset<Source>, _ output: inout Output)
    -> CollectionChanges<Output.Position>

  /// Releases the elements that were removed from the output. Called after the change was sent, because a deinit can run any code.
  mutating func release()
}

extension Derivation {
  mutating func release() {}
}

/// A box around the derivation of one derived collection.
private final class DerivationBox<Rule: Derivation> {
  @exclusivity(unchecked) var rule: Rule

  init(_ rule: Rule) { self.rule = rule }
}

extension AnyCollectionProperty {
  /// Creates a live collection that is derived from another by `rule`. It follows the source until its deallocation, even without
  /// observers.
  init<Rule: Derivation>(
    of source: AnyCollectionProperty<Rule.Source>, by rule: Rule
  ) where Rule.Output == Items {
    let box = DerivationBox(rule)
    var cell: CollectionCell<Items>?
    var stamp: ChangesetStamp?
    let subscription = HomeThread.composing {
      Stream.unguarded(name: nil) { source.connect($0, .composing) }.observe(
        isolation: nil, file: "a derived collection", line: 0,
        next: { changeset in
          let follows = changeset.stamp?.follows(stamp) == true
          stamp = changeset.stamp
          if let cell, follows {
            cell.change { box.rule.follow(changeset, &$0) }
            box.rule.release()
          } else if let cell {
            // The source was changed silently, so the derived state is rebuilt.
            box.rule = rule
            var old = box.rule.start(changeset.collection)
            cell.change { output in
              swap(&output, &old)
              return Items.replacing(old, with: output)
            }
          } else {
            cell = CollectionCell(box.rule.start(changeset.collection))
          }
        }, termination: { _ in cell?.end() })
    }
    // A cell sends its state immediately.
    self.init(cell.unsafelyUnwrapped, keeping: Composition(subscription, of: [source.source]))
  }
}
