/// The closures of an observer, held by a subscription until it is over.
///
/// Not copyable, and bound by a switch, so that a delivery borrows the closure: no retain and release for each element.
/// Optional chaining would copy it.
@usableFromInline
struct Receiver<Element, Failure: Error>: ~Copyable {
  @usableFromInline
  struct Closures: ~Copyable {
    @usableFromInline let onNext: (Element) -> Void
    @usableFromInline let onTermination: (Termination<Failure>) -> Void

    @inlinable
    init(_ onNext: @escaping (Element) -> Void, _ onTermination: @escaping (Termination<Failure>) -> Void) {
      self.onNext = onNext
      self.onTermination = onTermination
    }
  }

  @usableFromInline var closures: Closures?

  @inlinable
  init(_ onNext: @escaping (Element) -> Void, _ onTermination: @escaping (Termination<Failure>) -> Void) {
    closures = Closures(onNext, onTermination)
  }

  /// One that has been taken: what it is sent arrives nowhere.
  @inlinable
  init() { closures = nil }

  @inlinable @inline(__always)
  borrowing func next(_ element: Element) {
    switch closures {
    case .some(let closures): closures.onNext(element)
    case .none: break
    }
  }

  @inlinable @inline(__always)
  borrowing func terminate(_ termination: Termination<Failure>) {
    switch closures {
    case .some(let closures): closures.onTermination(termination)
    case .none: break
    }
  }

  /// Leaves an empty one. `closures.take()` would look up its type at run time.
  @inlinable @inline(__always)
  mutating func take() -> Receiver {
    let old = consume self
    self = Receiver()
    return old
  }
}
