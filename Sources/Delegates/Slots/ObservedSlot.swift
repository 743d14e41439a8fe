public import Streams

/// The streams of a slot and who answers: what slots of methods have in common, whether these are asynchronous or not.
///
/// The arguments are one tuple here. Packs of arguments would have to be copied for each call, also where nobody listens; a
/// tuple is not.
public class ObservedSlot<Failure: Error, Output, Arguments>: AnyProxySlot {
  final var place: HandlerPlace?
  /// Where the places of handlers are that have no proxy.
  private final lazy var ownPlaces = DisposeBag()
  final var places: DisposeBag { host?.places ?? ownPlaces }

  // Made when first asked for, and never replaced. Unmanaged: a call need not retain them.
  @exclusivity(unchecked) @usableFromInline final var will: Unmanaged<PushStream<Arguments>>?
  @exclusivity(unchecked) @usableFromInline final var did: Unmanaged<PushStream<Arguments>>?
  @exclusivity(unchecked) @usableFromInline final var returned: Unmanaged<PushStream<(Arguments, Output)>>?
  @exclusivity(unchecked) @usableFromInline final var ended:
    Unmanaged<PushStream<(Arguments, Result<Output, Failure>)>>?

  /// Who answers where both a handler and a forwardee could. The default is `.handler`.
  public final var policy = ReturnPolicy<Output>.handler {
    didSet { set(Self.policyBit, policy.prefersForwardee) }
  }

  override final var hasFallback: Bool { policy.fallback != nil }

  /// How the answers of several forwardees become one. The default is `.first`.
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
