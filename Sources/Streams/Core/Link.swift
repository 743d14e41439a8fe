/// An operator's own connection to one upstream: the gate it puts in front of it and the disposable it got back.
///
/// The link may be disposed before its upstream has returned a disposable: the upstream sees the closed gate, and what it
/// returns is disposed when it arrives.
public final class Link: Gate, Disposable {
  @exclusivity(unchecked) @usableFromInline var upstream: (any Disposable)?

  /// Makes a link whose observer is downstream of `parent`.
  @inlinable
  public init(downstream parent: Gate) { super.init(parent: parent) }

  /// Takes what subscribing to the upstream returned.
  @inlinable
  public func attach(_ upstream: any Disposable) {
    if isClosedHere {
      upstream.dispose()
    } else {
      self.upstream = upstream
      if flags & Gate.pausedBit != 0 { upstream.pause() }
    }
  }

  /// True after `dispose()`.
  @inlinable
  public var isDisposed: Bool { isClosedHere }

  /// Closes the gate and stops the upstream. Idempotent.
  @inlinable
  public func dispose() {
    closeHere()
    guard let upstream else { return }
    self.upstream = nil
    upstream.dispose()
  }

  /// Asks the upstream to wait. Idempotent.
  @inlinable
  public func pause() {
    guard flags & (Gate.pausedBit | Gate.closedBit) == 0 else { return }
    flags |= Gate.pausedBit
    upstream?.pause()
  }

  /// Takes `pause()` back.
  @inlinable
  public func resume() {
    guard flags & Gate.pausedBit != 0 else { return }
    flags &= ~Gate.pausedBit
    upstream?.resume()
  }
}
