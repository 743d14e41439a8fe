public import Streams

extension StreamProtocol {
  /// Unavailable: a stream does not change its home in the middle of a chain.
  @available(
    *, unavailable,
    message:
      "move the consuming side with observe(on: queue) { stream, bag in … }, or send elements there with an Inlet"
  )
  public func observe(on queue: Queue) -> Operation<Element, Failure> { fatalError("unavailable") }

  /// Unavailable: a stream does not change its home in the middle of a chain.
  @available(
    *, unavailable,
    message:
      "move the consuming side with observe(on: queue) { stream, bag in … }, or send elements there with an Inlet"
  )
  public func observe(on queue: MainQueue) -> Operation<Element, Failure> { fatalError("unavailable") }

  /// Unavailable: the source of a stream lives in the domain that observes it.
  @available(
    *, unavailable,
    message: "run work elsewhere with Operation.execute(on: queue.context) { … }; observe what it returns"
  )
  public func execute(on queue: Queue) -> Operation<Element, Failure> { fatalError("unavailable") }

  /// Unavailable: the source of a stream lives in the domain that observes it.
  @available(
    *, unavailable,
    message: "run work elsewhere with Operation.execute(on: .main) { … }; observe what it returns"
  )
  public func execute(on queue: MainQueue) -> Operation<Element, Failure> { fatalError("unavailable") }
}

extension StreamProtocol where Element: Sendable {
  /// Moves the consuming side to the main queue: the source stays here, and `consume` builds the rest of the chain on
  /// the main actor.
  ///
  /// Elements are delivered in order, then the end. The source is paused at the high watermark, and resumed at the low
  /// one. A source that cannot pause can exceed the high watermark, which is reported once through `Diagnostics`. Nothing is dropped before `dispose()`. When the main loop is shut down, the source is disposed.
  ///
  /// - Parameters:
  ///   - queue: The main queue.
  ///   - watermarks: The numbers of pending elements at which the source is paused and resumed.
  ///   - isolation: The actor that observes, if it has no loop. Leave it out.
  ///   - consume: Runs once, on the main actor, with the stream and a bag that ends with it.
  /// - Returns: The disposable that ends the source and the consuming side.
  public func observe(
    on queue: MainQueue, watermarks: Watermarks = .standard, isolation: (any Actor)? = #isolation,
    _ consume: @escaping @MainActor @Sendable (Operation<Element, Failure>, DisposeBag) -> Void
  ) -> any Disposable {
    observe(on: queue.queue, watermarks: watermarks, isolation: isolation) { stream, bag in
      // The main loop's thread is the main actor's: nothing is sent anywhere.
      nonisolated(unsafe) let (stream, bag) = (stream, bag)
      MainActor.assumeIsolated { consume(stream, bag) }
    }
  }
}
