public import Streams

/// The common part of synchronous and asynchronous slots: the streams, and the rules that choose a result.
///
/// The arguments are one tuple. A pack of arguments would have to be copied for each call, even without observers. A tuple
/// is not copied.
public class ObservedSlot<Failure: Error, Output, Arguments>: AnyProxySlot {
  final var place: HandlerPlace?
  /// The registrations of handlers if the slot has no proxy.
  private final lazy var ownPlaces = DisposeBag()
  final var places: DisposeBag { host?.places ?? ownPlaces }

  // Created when first used, and never replaced. Unmanaged, so that a call need not retain them.
  @exclusivity(unchecked) @usableFromInline final var will: Unmanaged<PushStream<Arguments>>?
  @exclusivity(unchecked) @usableFromInline final var did: Unmanaged<PushStream<Arguments>>?
  @exclusivity(unchecked) @usableFromInline final var returned: Unmanaged<PushStream<(Arguments, Output)>>?
  @exclusivity(unchecked) @usableFromInline final var ended:
    Unmanaged<PushStream<(Arguments, Result<Output, Failure>)>>?

  /// The rule for a slot with a handler and a forwardee: it determines which of them answers. The default is
  /// `.handler`.
  public final var policy = ReturnPolicy<Output>.handler {
    didSet { set(Self.policyBit, policy.prefersForwardee) }
  }

  override final var hasFallback: Bool { policy.fallback != nil }

  /// How one result is chosen from several forwardees. The default is `.first`.
  public final var forwardeeRule = ForwardeeRule<Output>.first

  override init() {}

  deinit {
    endStreams()
    will?.release()
    did?.release()
    returned?.release()
    ended?.release()
  }

  override final func finish() {
    isFinished = true
    place?.dispose()
    observerCount = 0
    set(~Self.policyBit, false)
    endStreams()
  }

  override final func finishAtHome() { endStreams() }
}
