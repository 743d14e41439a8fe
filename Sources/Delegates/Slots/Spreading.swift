internal import Streams

// Between arguments as one tuple and arguments one by one. A closure cannot take a tuple that is made of a pack (the compiler
// ends with a signal where one is formed), a method that overrides another can.

/// What answers a call.
@usableFromInline
class SlotHandler<Failure: Error, Output, Arguments> {
  @usableFromInline
  func call(_ arguments: Arguments) throws(Failure) -> Output { misuse("A handler that does nothing was called.") }
}

/// A closure that takes the arguments one by one.
final class SpreadHandler<Failure: Error, Output, each Argument>: SlotHandler<Failure, Output, (repeat each Argument)> {
  private let closure: (repeat each Argument) throws(Failure) -> Output

  init(_ closure: @escaping (repeat each Argument) throws(Failure) -> Output) { self.closure = closure }

  override func call(_ arguments: (repeat each Argument)) throws(Failure) -> Output { try closure(repeat each arguments) }
}

/// Makes something of each element of a stream.
class Reshaping<Input, Output> {
  func callAsFunction(_ input: Input) -> Output { misuse("A transformation that does nothing was called.") }

  final func apply(to stream: Stream<Input>) -> Stream<Output> { stream.map { self($0) } }
}

/// One tuple of the arguments and of what comes after them.
final class Flat<each Argument, Last>: Reshaping<((repeat each Argument), Last), (repeat each Argument, Last)> {
  override func callAsFunction(_ pair: ((repeat each Argument), Last)) -> (repeat each Argument, Last) {
    (repeat each pair.0, pair.1)
  }
}
