extension Operation {
  /// All elements of a sequence, then completed.
  ///
  /// The sequence is iterated anew for each observer, synchronously, and no further than needed: an infinite sequence ends
  /// with its observer, and a paused observer stops the iteration until it resumes.
  @inlinable
  public static func sequence<Elements: Sequence>(_ elements: Elements) -> Operation
  where Elements.Element == Element {
    Operation(unguarded: { observer in
      let source = SequenceSource(elements.makeIterator(), observer)
      if source.emit() { return .none }
      return source
    })
  }
}

/// An iteration that a paused observer has interrupted, or will.
@usableFromInline
final class SequenceSource<Iterator: IteratorProtocol, Failure: Error>: Disposable {
  /// nil while it emits, and when nothing is left to emit.
  @exclusivity(unchecked) @usableFromInline var iterator: Iterator?
  @exclusivity(unchecked) @usableFromInline var observer: Observer<Iterator.Element, Failure>?
  @exclusivity(unchecked) @usableFromInline var isDisposed = false

  @inlinable
  init(_ iterator: Iterator, _ observer: Observer<Iterator.Element, Failure>) {
    self.iterator = iterator
    self.observer = observer
  }

  /// Emits until the end, until the observer has closed or until it is paused. True when there is no more to do.
  @inlinable
  func emit() -> Bool {
    // In a local variable the iterator costs no load and store for each element.
    guard let observer, var iterator = iterator.take() else { return true }
    while observer.subscription.isOpen, !isDisposed {
      guard let element = iterator.next() else {
        self.observer = nil
        observer.completed()
        return true
      }
      observer.next(element)
    }
    if isDisposed || observer.subscription.isDisposed {
      self.observer = nil
      return true
    }
    self.iterator = iterator
    return false
  }

  @usableFromInline
  func dispose() {
    isDisposed = true
    observer = nil
    iterator = nil
  }

  @usableFromInline
  func resume() { _ = emit() }
}
