extension Operation {
  /// Emits all elements of a sequence and completes.
  ///
  /// Iterates the sequence synchronously for each observer. The iteration stops when the subscription is disposed, so the sequence
  /// can be infinite. It waits while the observer is paused.
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

/// An iteration that a paused observer can interrupt.
@usableFromInline
final class SequenceSource<Iterator: IteratorProtocol, Failure: Error>: Disposable {
  /// Nil while it emits, and after the last element.
  @exclusivity(unchecked) @usableFromInline var iterator: Iterator?
  @exclusivity(unchecked) @usableFromInline var observer: Observer<Iterator.Element, Failure>?
  @exclusivity(unchecked) @usableFromInline var isDisposed = false

  @inlinable
  init(_ iterator: Iterator, _ observer: Observer<Iterator.Element, Failure>) {
    self.iterator = iterator
    self.observer = observer
  }

  /// Emits until the end, a disposal, or a pause. Returns true if no element is left or the subscription was disposed.
  @inlinable
  func emit() -> Bool {
    // A local variable avoids a load and a store for each element.
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
