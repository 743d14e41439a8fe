public import Properties
internal import Streams

// One function for each number of arguments, because a key path cannot name a closure with a pack of arguments.
extension Reactive {
  /// Intercepts a closure without arguments: its calls are observed and then forwarded to the original closure.
  public func seam<Output>(
    at keyPath: ReferenceWritableKeyPath<Base, () -> Output>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Output> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { slot.intercept { original() } }
    }
  }

  /// Intercepts a closure with one argument: its calls are observed and then forwarded to the original closure.
  public func seam<Output, A>(
    at keyPath: ReferenceWritableKeyPath<Base, (A) -> Output>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Output, A> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a in slot.intercept(a) { original(a) } }
    }
  }

  /// Intercepts a closure with two arguments: its calls are observed and then forwarded to the original closure.
  public func seam<Output, A, B>(
    at keyPath: ReferenceWritableKeyPath<Base, (A, B) -> Output>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Output, A, B> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a, b in slot.intercept((a, b)) { original(a, b) } }
    }
  }

  /// Intercepts a closure with three arguments: its calls are observed and then forwarded to the original closure.
  public func seam<Output, A, B, C>(
    at keyPath: ReferenceWritableKeyPath<Base, (A, B, C) -> Output>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Output, A, B, C> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a, b, c in slot.intercept((a, b, c)) { original(a, b, c) } }
    }
  }

  /// Intercepts an optional closure without arguments. If the property is nil, the seam sets a closure that notifies
  /// the observers, and restores nil when it ends.
  public func seam(
    at keyPath: ReferenceWritableKeyPath<Base, (() -> Void)?>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Void> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { slot.intercept { original?() } }
    }
  }

  /// Intercepts an optional closure with one argument. If the property is nil, the seam sets a closure that notifies
  /// the observers, and restores nil when it ends.
  public func seam<A>(
    at keyPath: ReferenceWritableKeyPath<Base, ((A) -> Void)?>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Void, A> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a in slot.intercept(a) { original?(a) } }
    }
  }

  /// Intercepts an optional closure with two arguments. If the property is nil, the seam sets a closure that notifies
  /// the observers, and restores nil when it ends.
  public func seam<A, B>(
    at keyPath: ReferenceWritableKeyPath<Base, ((A, B) -> Void)?>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Void, A, B> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a, b in slot.intercept((a, b)) { original?(a, b) } }
    }
  }

  /// Intercepts an optional closure with three arguments. If the property is nil, the seam sets a closure that notifies
  /// the observers, and restores nil when it ends.
  public func seam<A, B, C>(
    at keyPath: ReferenceWritableKeyPath<Base, ((A, B, C) -> Void)?>, isolation: (any Actor)? = #isolation
  ) -> ClosureSeam<Never, Void, A, B, C> {
    ClosureSeam(wrapping: keyPath, of: base, isolation: isolation) { slot, original in
      { a, b, c in slot.intercept((a, b, c)) { original?(a, b, c) } }
    }
  }
}
