internal import Streams

/// How a derived collection follows its source: it makes its first state of the whole, then takes each change.
protocol Derivation<Source, Output> {
  associatedtype Source: PositionedCollection
  associatedtype Output: PositionedCollection

  /// Begins with a collection and gives what is derived of it.
  mutating func start(_ source: Source) -> Output

  /// Follows a change of the source in `output`, in place, and says what that changes.
  mutating func follow(_ changeset: CollectionChangeset<Source>, _ output: inout Output)
    -> CollectionChanges<Output.Position>

  /// Releases what is not in the output any more, when that has been told: it may run anything.
  mutating func release()
}

extension Derivation {
  mutating func release() {}
}

/// The derivation of one derived collection, in a place of its own.
private final class DerivationBox<Rule: Derivation> {
  @exclusivity(unchecked) var rule: Rule

  init(_ rule: Rule) { self.rule = rule }
}

extension AnyCollectionProperty {
  /// A live collection that is derived of another by `rule`. It follows at once, whether or not it is observed, until it is
  /// let go of.
  init<Rule: Derivation>(
    of source: AnyCollectionProperty<Rule.Source>, by rule: Rule
  ) where Rule.Output == Items {
    let box = DerivationBox(rule)
    var cell: CollectionCell<Items>?
    var stamp: ChangesetStamp?
    let subscription = HomeThread.composing {
      Stream.unguarded { source.connect($0, .composing) }.observe(
        isolation: nil,
        next: { changeset in
          let follows = changeset.stamp?.follows(stamp) == true
          stamp = changeset.stamp
          if let cell, follows {
            cell.change { box.rule.follow(changeset, &$0) }
            box.rule.release()
          } else if let cell {
            // The source has been changed silently: what is known of it is of no use.
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
    // A cell sends its state at once.
    self.init(cell.unsafelyUnwrapped, keeping: Composition(subscription, of: [source.source]))
  }
}
