/// The subscription of one iterator.
///
/// Ownership: iterator ===> core ===> subscription ===> source ===> sink ===> feed ===> buffer <=== core. Nothing on the source's side
/// retains the core, so releasing the iterator ends the subscription.
@usableFromInline
final class ValuesCore<Element, Failure: Error> {
  @usableFromInline var home: Home
  /// The loop that serves the home, if there is one.
  @usableFromInline var loop: WaitingLoop
  @usableFromInline var subscription: Subscription?
  @usableFromInline let buffer: ValuesBuffer<Element, Failure>

  /// Subscribes in the caller's domain, which becomes the home.
  @inlinable
  init(
    _ source: Operation<Element, Failure>, _ policy: AsyncBuffering, _ isolation: (any Actor)?, _ file: StaticString,
    _ line: UInt, isSingle: Bool = false
  ) {
    let buffer = ValuesBuffer<Element, Failure>(policy, isSingle: isSingle)
    self.buffer = buffer
    home = .current(isolation)
    loop = WaitingLoop(home)
    let feed = ValuesFeed(buffer)
    let sink = Sink<Element, Failure>(
      next: { if feed.buffer.append($0) { feed.pause() } }, termination: { buffer.terminate($0) })
    feed.subscription = sink
    subscription = source.start(sink, isolation, file, line)
  }

  @inlinable
  deinit { end(in: nil) }

  @inlinable
  func next(isolation: isolated (any Actor)?) async throws(Failure) -> Element? {
    // A sequence that was created in a synchronous function gets its home here.
    if home.mailbox == nil, let isolation {
      home = .current(isolation)
      loop = WaitingLoop(home)
    }
    while true {
      if Task.isCancelled { buffer.cancel() }
      switch buffer.take() {
      case .element(let element, let resumes):
        if resumes, let subscription { perform(in: isolation) { subscription.resume() } }
        return element
      case .end(let termination):
        end(in: isolation)
        if case .failed(let error) = termination { throw error }
        return nil
      case .nothing: await buffer.wait(isolation: isolation, on: loop)
      }
    }
  }

  /// Disposes the source once, in the home domain, and drops the pending elements.
  @inlinable
  func end(in isolation: (any Actor)?) {
    guard let subscription = subscription.take() else { return }
    let buffer = buffer
    // Elements that are sent before the disposal runs at home wake no task.
    buffer.cancel()
    perform(in: isolation) {
      subscription.dispose()
      buffer.finish()
    }
  }

  @inlinable
  func perform(in isolation: (any Actor)?, _ job: @escaping () -> Void) {
    if home.isSame(as: isolation) { job() } else { home.perform(job) }
  }
}

@available(*, unavailable)
extension ValuesCore: Sendable {}

/// The object that the closures of a sink retain.
///
/// The sink releases it when no event can follow: at the end, at disposal, and when the source is deallocated without an end. In the
/// last case the sequence completes, because its task would wait forever.
@usableFromInline
final class ValuesFeed<Element, Failure: Error> {
  @usableFromInline let buffer: ValuesBuffer<Element, Failure>
  @usableFromInline weak var subscription: Subscription?

  @inlinable
  init(_ buffer: ValuesBuffer<Element, Failure>) { self.buffer = buffer }

  @inlinable
  deinit { buffer.terminate(.completed) }

  @usableFromInline
  func pause() { subscription?.pause() }
}

extension Home {
  /// Returns whether code that is isolated to `isolation` surely runs in the home domain. Threads are checked later.
  @usableFromInline
  func isSame(as isolation: (any Actor)?) -> Bool {
    guard let isolation, let mailbox else { return false }
    if mailbox is MainMailbox { return isolation === MainActor.shared }
    return (mailbox as? ActorMailbox)?.actor === isolation
  }
}
