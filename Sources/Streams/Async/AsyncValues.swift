extension StreamProtocol {
  /// The elements as an asynchronous sequence: `for await value in stream.values() { … }`.
  ///
  /// - Each iterator is a subscription of its own. It is made by `makeAsyncIterator()`, so what a hot stream sends between
  ///   that and the first `next()` waits in the buffer.
  /// - The source delivers at home, the domain that makes the iterator; `next()` takes from a locked buffer.
  /// - Elements that wait when the stream ends, also when it fails, are given out first. Then `next()` throws the failure,
  ///   once, or returns nil for ever.
  /// - Leaving the loop, an error in its body, letting go of the iterator, and cancelling the task end the subscription: the
  ///   source is disposed at home, once. A task that is cancelled gets nil, at once, and what waits is dropped.
  /// - If a hot stream is deallocated without an end, the sequence completes. After home has shut down, `next()` waits until
  ///   its task is cancelled.
  /// - A source that sends synchronously and without end needs a policy that pauses it; with another one
  ///   `makeAsyncIterator()` does not return.
  ///
  /// Neither the sequence nor its iterators are Sendable, and elements need not be.
  ///
  /// Cost: a lock for each element, and a suspension where none waits.
  ///
  /// - Parameters:
  ///   - policy: What becomes of elements that nobody has asked for yet. The default loses nothing and pauses the source.
  ///   - isolation: The home of the iterators where no loop runs. Leave it out.
  @inlinable
  public func values(
    _ policy: AsyncBuffering = .pausing, isolation: isolated (any Actor)? = #isolation
  ) -> AsyncValues<Element, Failure> {
    policy.validate()
    return AsyncValues(source: toOperation(), policy: policy, isolation: isolation.map(WeakActor.init))
  }
}

/// The elements of a stream as an asynchronous sequence. See `StreamProtocol.values(_:isolation:)`.
///
/// ```swift
/// for await number in Stream.sequence(1...3).values() { print(number) }
/// ```
public struct AsyncValues<Element, Failure: Error>: AsyncSequence {
  @usableFromInline let source: Operation<Element, Failure>
  @usableFromInline let policy: AsyncBuffering
  // Weak: an actor may keep the sequence.
  @usableFromInline let isolation: WeakActor?

  @inlinable
  init(source: Operation<Element, Failure>, policy: AsyncBuffering, isolation: WeakActor?) {
    self.source = source
    self.policy = policy
    self.isolation = isolation
  }

  /// Subscribes to the stream.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(core: ValuesCore(source, policy, isolation?.actor))
  }

  /// One subscription. Letting go of it and of its copies, which share it, disposes of the source.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let core: ValuesCore<Element, Failure>

    @inlinable
    init(core: ValuesCore<Element, Failure>) { self.core = core }

    /// The next element, or nil at the end and after cancellation. Runs in the caller's isolation.
    @inlinable
    public mutating func next() async throws(Failure) -> Element? {
      try await core.next(isolation: #isolation)
    }

    /// The next element, or nil at the end and after cancellation. Runs in `isolation`.
    ///
    /// One task at a time may ask; two trap.
    @inlinable
    public mutating func next(isolation: isolated (any Actor)?) async throws(Failure) -> Element? {
      try await core.next(isolation: isolation)
    }
  }
}

@available(*, unavailable)
extension AsyncValues: Sendable {}

@available(*, unavailable)
extension AsyncValues.Iterator: Sendable {}
