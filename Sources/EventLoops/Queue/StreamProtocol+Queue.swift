public import Streams

extension StreamProtocol {
  /// Not offered: a stream does not change its home in the middle of a chain.
  @available(
    *, unavailable,
    message:
      "move the consuming side with observe(on: queue) { stream, bag in … }, or send elements there with an Inlet"
  )
  public func observe(on queue: Queue) -> Operation<Element, Failure> { fatalError("unavailable") }

  /// Not offered: a stream does not change its home in the middle of a chain.
  @available(
    *, unavailable,
    message:
      "move the consuming side with observe(on: queue) { stream, bag in … }, or send elements there with an Inlet"
  )
  public func observe(on queue: MainQueue) -> Operation<Element, Failure> { fatalError("unavailable") }

  /// Not offered: the source of a stream lives where it is observed.
  @available(
    *, unavailable,
    message: "run work elsewhere with Operation.execute(on: queue.context) { … }; observe what it returns"
  )
  public func execute(on queue: Queue) -> Operation<Element, Failure> { fatalError("unavailable") }
}
