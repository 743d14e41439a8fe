/// What observing a stream returns: the handle with which it is ended, paused and resumed.
///
/// ```swift
/// let subscription = Stream.interval(.seconds(1)).observeNext { print($0) }
/// subscription.pause()
/// subscription.resume()
/// subscription.dispose()
/// ```
///
/// Letting go of a subscription does not end it: dispose it, or put it in a `DisposeBag`.
///
/// Confined, like the stream it came from.
public final class Subscription: Disposable {
  @usableFromInline let gate: Gate
  @exclusivity(unchecked) @usableFromInline var upstream: (any Disposable)?

  @inlinable
  init(gate: Gate, upstream: consuming any Disposable) {
    self.gate = gate
    if !gate.isClosedHere { self.upstream = upstream }
  }

  /// True after the terminal event and after `dispose()`.
  @inlinable
  public var isDisposed: Bool { gate.isClosedHere }

  /// Ends the subscription: no event is delivered after this call, the producer is stopped and what it captured is
  /// released. A second call does nothing.
  @inlinable
  public func dispose() {
    gate.closeHere()
    if let upstream = upstream.take() { upstream.dispose() }
    gate.didClose()
  }

  /// Asks the producer to wait. Reaches every source of the chain that can: a file descriptor is not read, a sequence
  /// does not advance. A source that cannot wait goes on, and what it sends is delivered. A second call does nothing.
  public func pause() {
    guard gate.flags & (Gate.pausedBit | Gate.closedBit) == 0 else { return }
    gate.flags |= Gate.pausedBit
    upstream?.pause()
  }

  /// Takes `pause()` back. May deliver before it returns.
  public func resume() {
    guard gate.flags & Gate.pausedBit != 0 else { return }
    gate.flags &= ~Gate.pausedBit
    upstream?.resume()
  }
}

extension Subscription: EndNotifying {
  @usableFromInline package var hasEnded: Bool { gate.isOver }

  @usableFromInline
  package func watch() { gate.flags |= Gate.watchedBit }
}

@available(*, unavailable)
extension Subscription: Sendable {}
