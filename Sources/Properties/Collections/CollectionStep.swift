public import Streams

/// A single step from one list to another. Each position is one of the list after the previous steps.
public enum CollectionStep<Element> {
  /// Removes the element at an index.
  case remove(at: Int)
  /// Inserts a new element before the one at an index.
  case insert(Element, at: Int)
  /// Moves an element, so that it is at `to` afterwards.
  case move(from: Int, to: Int)
  /// Replaces the element at an index.
  case replace(Element, at: Int)
}

extension CollectionStep: Equatable where Element: Equatable {}
extension CollectionStep: Sendable where Element: Sendable {}

/// A changeset as a sequence of events: begin, steps, end.
public enum CollectionStepEvent<Element> {
  /// A changeset begins.
  case begin
  /// One of its steps.
  case step(CollectionStep<Element>)
  /// The changeset is complete: the list equals the live collection.
  case end
}

extension CollectionStepEvent: Equatable where Element: Equatable {}
extension CollectionStepEvent: Sendable where Element: Sendable {}

extension CollectionChangeset where Items: PositionedList {
  /// The changes as single steps that convert the old list into the new one: removals from the end to the front, then inserts, then
  /// replacements. A single move is a single step.
  public var steps: [CollectionStep<Items.Element>] {
    var steps: [CollectionStep<Items.Element>] = []
    for index in deletes.reversed() { steps.append(.remove(at: index)) }
    for index in inserts { steps.append(.insert(collection[index], at: index)) }
    if let move = changes.onlyMove {
      // The move replaces the updates of its range.
      steps.append(.move(from: move.from, to: move.to))
    } else {
      for index in updates { steps.append(.replace(collection[index], at: index)) }
    }
    return steps
  }
}

extension CollectionPropertyProtocol where Items: PositionedList {
  /// The changes as single steps, each changeset between a `begin` and an `end`. Sends nothing immediately.
  public var steps: Stream<CollectionStepEvent<Items.Element>> {
    let changes = changes
    return Stream.unguarded { observer in
      changes.subscribe(
        Observer(
          for: observer.subscription,
          next: { changeset in
            observer.next(.begin)
            for step in changeset.steps where !observer.isDisposed { observer.next(.step(step)) }
            if !observer.isDisposed { observer.next(.end) }
          }, termination: { observer.terminate($0) }))
    }
  }
}

extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
  /// Applies a step.
  public mutating func apply(_ step: CollectionStep<Element>) {
    switch step {
    case .remove(let index): remove(at: index)
    case .insert(let element, let index): insert(element, at: index)
    case .move(let source, let target): insert(remove(at: source), at: target)
    case .replace(let element, let index): self[index] = element
    }
  }
}
