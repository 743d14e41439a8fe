extension StreamProtocol {
  /// Returns the elements as an asynchronous sequence: `for await value in stream.values() { … }`.
  ///
  /// - Each iterator has a subscription. `makeAsyncIterator()` creates it, so elements that a hot stream sends before the first
  ///   `next()` are held in the buffer.
  /// - The source delivers in the home domain, which is the domain that creates the iterator. `next()` takes elements
  ///   from a locked buffer.
  /// - When the stream completes or fails, `next()` first returns the pending elements. Then it throws the failure once, or returns
  ///   nil.
  /// - Leaving the loop, an error in its body, releasing the iterator, and canceling the task end the subscription: the source is
  ///   disposed once, in the home domain. In a canceled task, `next()` returns nil immediately, and the pending elements are
  ///   dropped.
  /// - At the top level of `main.swift`, leaving the loop does not end the subscription, because Swift retains the iterator there
  ///   until the program ends. Put such a loop into a function.
  /// - If a hot stream is deallocated without an end, the sequence completes. After the home has closed, `next()` waits until its
  ///   task is canceled.
  /// - For a source that sends synchronously without an end, use a policy that pauses it. With another policy,
  ///   `makeAsyncIterator()` does not return.
  ///
  /// Neither the sequence nor its iterators are Sendable. The elements need not be Sendable.
  ///
  /// - Complexity: One lock for each element, and one suspension if no element is pending.
  /// - Parameters:
  ///   - policy: The rule for pending elements. The default loses none, and pauses the source.
  ///   - isolation: The home of the iterators if there is no loop. Leave it out.
  ///   - file: The file that names the subscription in recordings and in reports of leaks. Leave it out, like `line`.
  ///   - line: The line of it.
  @inlinable
  public func values(
    _ policy: AsyncBuffering = .pausing, isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) -> AsyncValues<Element, Failure> {
    policy.validate()
    return AsyncValues(
      source: toOperation(), policy: policy, isolation: isolation.map(WeakActor.init), file: file, line: line)
  }
}

/// The elements of a stream as an asynchronous sequence. `StreamProtocol.values(_:isolation:file:line:)` creates it.
///
/// ```swift
/// for await number in Stream.sequence(1...3).values() { print(number) }
/// ```
public struct AsyncValues<Element, Failure: Error>: AsyncSequence {
  @usableFromInline let source: Operation<Element, Failure>
  @usableFromInline let policy: AsyncBuffering
  // Weak, because the actor can retain the sequence.
  @usableFromInline let isolation: WeakActor?
  @usableFromInline let file: StaticString
  @usableFromInline let line: UInt

  @inlinable
  init(
    source: Operation<Element, Failure>, policy: AsyncBuffering, isolation: WeakActor?, file: StaticString, line: UInt
  ) {
    self.source = source
    self.policy = policy
    self.isolation = isolation
    self.file = file
    self.line = line
  }

  /// Subscribes to the stream, and returns an iterator.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(core: ValuesCore(source, policy, isolation?.actor, file, line))
  }

  /// An iterator with one subscription, which its copies share. When all are released, the source is disposed.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let core: ValuesCore<Element, Failure>

    @inlinable
    init(core: ValuesCore<Element, Failure>) { self.core = core }

    /// Returns the next element, or nil at the end and after cancellation. Runs in the caller's isolation.
    @inlinable
    public mutating func next() async throws(Failure) -> Element? {
      try await core.next(isolation: #isolation)
    }

    /// Returns the next element, or nil at the end and after cancellation. Runs in `isolation`.
    ///
    /// Traps if two tasks call it simultaneously.
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
