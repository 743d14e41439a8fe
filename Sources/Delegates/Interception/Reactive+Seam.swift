public import Properties
internal import Streams

// The closures are rebuilt with each number of arguments: a key path to a closure cannot be read where the number is open.
extension Reactive {
  /// A seam at a closure without arguments: calls through it are observed, and go on to the closure that is there.
  public func seam<Output>(
    at keyPath: ReferenceWritableKeyPath<Base, () -> Output>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Output> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { slot.intercept(()) { original() } }
    }
  }

  /// The same for one argument.
  public func seam<Output, A>(
    at keyPath: ReferenceWritableKeyPath<Base, (A) -> Output>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Output, A> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a in slot.intercept(a) { original(a) } }
    }
  }

  /// The same for two arguments.
  public func seam<Output, A, B>(
    at keyPath: ReferenceWritableKeyPath<Base, (A, B) -> Output>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Output, A, B> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a, b in slot.intercept((a, b)) { original(a, b) } }
    }
  }

  /// The same for three arguments.
  public func seam<Output, A, B, C>(
    at keyPath: ReferenceWritableKeyPath<Base, (A, B, C) -> Output>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Output, A, B, C> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a, b, c in slot.intercept((a, b, c)) { original(a, b, c) } }
    }
  }

  /// A seam at an optional closure without arguments: nil does nothing, and is put back.
  public func seam(
    at keyPath: ReferenceWritableKeyPath<Base, (() -> Void)?>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Void> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { slot.intercept(()) { original?() } }
    }
  }

  /// The same for one argument.
  public func seam<A>(
    at keyPath: ReferenceWritableKeyPath<Base, ((A) -> Void)?>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Void, A> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a in slot.intercept(a) { original?(a) } }
    }
  }

  /// The same for two arguments.
  public func seam<A, B>(
    at keyPath: ReferenceWritableKeyPath<Base, ((A, B) -> Void)?>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Void, A, B> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a, b in slot.intercept((a, b)) { original?(a, b) } }
    }
  }

  /// The same for three arguments.
  public func seam<A, B, C>(
    at keyPath: ReferenceWritableKeyPath<Base, ((A, B, C) -> Void)?>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Void, A, B, C> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a, b, c in slot.intercept((a, b, c)) { original?(a, b, c) } }
    }
  }
}
