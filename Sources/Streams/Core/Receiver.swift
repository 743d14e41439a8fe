/// The closures of an observer, retained by a subscription until it is over.
///
/// It is not copyable, and the closures are bound with a switch, so that a delivery borrows them without a retain and a release.
/// Optional chaining would copy them.
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

  /// Creates an empty receiver, which drops all events.
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

  /// Takes the closures and leaves an empty receiver. `closures.take()` would look up its type at run time.
  @inlinable @inline(__always)
  mutating func take() -> Receiver {
    let old = consume self
    self = Receiver()
    return old
  }
}
