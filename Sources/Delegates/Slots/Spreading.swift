public import Streams

// Conversions between arguments as one tuple and separate arguments. The compiler crashes if a closure takes a tuple that is made
// of a pack, but a method of a generic type can take one. So code without packs makes the closures, and they call the methods
// through a protocol, which the optimizer sees through.

@usableFromInline
protocol Spreading<Arguments, Output> {
  associatedtype Arguments
  associatedtype Output
  associatedtype Failure: Error

  func call(_ arguments: Arguments) throws(Failure) -> Output
}

/// A handler that takes separate arguments.
@frozen @usableFromInline
struct SpreadHandler<Failure: Error, Output, each Argument>: Spreading {
  @usableFromInline typealias Arguments = (repeat each Argument)

  @usableFromInline let handler: (repeat each Argument) throws(Failure) -> Output

  @inlinable
  init(_ handler: @escaping (repeat each Argument) throws(Failure) -> Output) { self.handler = handler }

  @inlinable
  func call(_ arguments: (repeat each Argument)) throws(Failure) -> Output { try handler(repeat each arguments) }
}

/// A handler that takes another value before the arguments.
@frozen @usableFromInline
struct PrefixedHandler<Failure: Error, Output, First, each Argument>: Spreading {
  @usableFromInline typealias Arguments = (repeat each Argument)

  @usableFromInline let first: () -> First
  @usableFromInline let handler: (First, repeat each Argument) throws(Failure) -> Output

  @inlinable
  init(
    _ first: @escaping () -> First, _ handler: @escaping (First, repeat each Argument) throws(Failure) -> Output
  ) {
    self.first = first
    self.handler = handler
  }

  @inlinable
  func call(_ arguments: (repeat each Argument)) throws(Failure) -> Output {
    try handler(first(), repeat each arguments)
  }
}

/// Appends a value to the tuple of the arguments.
@frozen @usableFromInline
struct Flattening<each Argument, Last>: Spreading {
  @usableFromInline typealias Arguments = ((repeat each Argument), Last)
  @usableFromInline typealias Output = (repeat each Argument, Last)

  @inlinable
  init() {}

  @inlinable
  func call(_ pair: ((repeat each Argument), Last)) -> (repeat each Argument, Last) { (repeat each pair.0, pair.1) }
}

extension Stream where Failure == Never {
  @inlinable
  func spread<Step: Spreading>(_ step: Step) -> Stream<Step.Output>
  where Step.Arguments == Element, Step.Failure == Never {
    map { step.call($0) }
  }
}
