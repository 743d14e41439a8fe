/// An operator's own connection to one upstream: the gate it puts in front of it and the disposable it got back.
///
/// ```swift
/// extension StreamProtocol {
///   /// Each element twice.
///   func twice() -> Operation<Element, Failure> {
///     Operation { observer in
///       let link = Link(downstream: observer.gate)
///       link.attach(
///         subscribe(
///           Observer(
///             gate: link,
///             next: {
///               observer.next($0)
///               observer.next($0)
///             }, termination: { observer.terminate($0) })))
///       return link
///     }
///   }
/// }
/// ```
///
/// The link may be disposed before its upstream has returned a disposable: the upstream sees the closed gate, and what it
/// returns is disposed when it arrives.
public class Link: Gate, Disposable {
  @exclusivity(unchecked) @usableFromInline final var upstream: (any Disposable)?

  /// Makes a link whose observer is downstream of `parent`; without a parent only `dispose()` closes it.
  @inlinable
  public init(downstream parent: Gate?) { super.init(parent: parent) }

  /// Subscribes to `source`. The link is disposed before `termination` runs, so whoever holds the link holds nothing of
  /// an upstream that has ended.
  @inlinable
  final func connect<Source: StreamProtocol>(
    _ source: Source, next: @escaping (Source.Element) -> Void,
    termination: @escaping (Termination<Source.Failure>) -> Void
  ) {
    attach(
      source.subscribe(
        Observer(
          gate: self, next: next,
          termination: { end in
            self.dispose()
            termination(end)
            self.didEnd()
          })))
  }

  /// Takes what subscribing to the upstream returned.
  @inlinable
  public final func attach(_ upstream: any Disposable) {
    if isClosedHere {
      upstream.dispose()
    } else {
      self.upstream = upstream
      if flags & Gate.pausedBit != 0 { upstream.pause() }
    }
  }

  /// True after `dispose()`.
  @inlinable
  public final var isDisposed: Bool { isClosedHere }

  /// Closes the gate and stops the upstream. Idempotent.
  @inlinable
  public final func dispose() {
    closeHere()
    if let upstream = upstream.take() { upstream.dispose() }
  }

  /// Asks the upstream to wait. Idempotent.
  @inlinable
  public final func pause() {
    guard flags & (Gate.pausedBit | Gate.closedBit) == 0 else { return }
    flags |= Gate.pausedBit
    upstream?.pause()
  }

  /// Takes `pause()` back.
  @inlinable
  public final func resume() {
    guard flags & Gate.pausedBit != 0 else { return }
    flags &= ~Gate.pausedBit
    upstream?.resume()
  }

  /// An operator whose other sources have gone is over when this one has ended.
  @inlinable
  final func didEnd() {
    if let parent, parent._withUnsafeGuaranteedRef({ $0.flags & Gate.vanishedBit != 0 }) { super.sourceDidVanish() }
  }

  /// See `Gate`. What the upstream returned may hold this link.
  @usableFromInline
  override func sourceDidVanish() {
    if isOver { return }
    defer { withExtendedLifetime(self) {} }
    flags |= Gate.vanishedBit
    let upstream = upstream.take()
    super.sourceDidVanish()
    _ = consume upstream
  }
}
