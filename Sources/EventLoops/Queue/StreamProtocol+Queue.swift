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

  /// Not offered: the source of a stream lives where it is observed.
  @available(
    *, unavailable,
    message: "run work elsewhere with Operation.execute(on: .main) { … }; observe what it returns"
  )
  public func execute(on queue: MainQueue) -> Operation<Element, Failure> { fatalError("unavailable") }
}

extension StreamProtocol where Element: Sendable {
  /// Moves the consuming side to the main queue, where `consume` runs on the main actor. Otherwise the same as
  /// `observe(on:capacity:isolation:_:)` of a queue.
  public func observe(
    on queue: MainQueue, capacity: Int = BacklogBound.crossing, isolation: (any Actor)? = #isolation,
    _ consume: @escaping @MainActor @Sendable (Operation<Element, Failure>, DisposeBag) -> Void
  ) -> any Disposable {
    observe(on: queue.queue, capacity: capacity, isolation: isolation) { stream, bag in
      // The main loop's thread is the main actor's: nothing is sent anywhere.
      nonisolated(unsafe) let (stream, bag) = (stream, bag)
      MainActor.assumeIsolated { consume(stream, bag) }
    }
  }
}
