public import Streams

/// What a slot does, with the arguments as one tuple: `ProxySlot` gives it its face.
///
/// Packs of arguments would have to be copied for each call, also where nobody listens; a tuple is not.
public class TupleSlot<Failure: Error, Output, Arguments>: AnyProxySlot {
  @frozen @usableFromInline
  struct Handler {
    @usableFromInline let call: (Arguments) throws(Failure) -> Output

    @inlinable
    init(call: @escaping (Arguments) throws(Failure) -> Output) { self.call = call }
  }

  @exclusivity(unchecked) @usableFromInline final var handler: Handler?
  final var place: HandlerPlace?
  /// Where the places of handlers are that have no proxy.
  private final lazy var ownPlaces = DisposeBag()
  final var places: DisposeBag { host?.places ?? ownPlaces }

  // Made when first asked for, and never replaced. Unmanaged: a call need not retain them.
  @exclusivity(unchecked) @usableFromInline final var will: Unmanaged<PushStream<Arguments>>?
  @exclusivity(unchecked) @usableFromInline final var did: Unmanaged<PushStream<Arguments>>?
  @exclusivity(unchecked) @usableFromInline final var returned: Unmanaged<PushStream<(Arguments, Output)>>?
  @exclusivity(unchecked) @usableFromInline final var ended: Unmanaged<PushStream<(Arguments, Result<Output, Failure>)>>?

  /// Who answers where both a handler and a forwardee could. The default is `.handler`.
  public final var policy = ReturnPolicy<Output>.handler {
    didSet { set(Self.policyBit, policy.prefersForwardee) }
  }

  /// How the answers of several forwardees become one. The default is `.first`.
  public final var forwardeeRule = ForwardeeRule<Output>.first

  /// `ProxySlot` is what is made.
  override init() {}

  deinit {
    endStreams()
    will?.release()
    did?.release()
    returned?.release()
    ended?.release()
  }

  override final func finish() {
    place?.dispose()
    endStreams()
  }

  override final func finishAtHome() { endStreams() }
}

/// The slot of one requirement: what is called through a proxy is observed, answered and forwarded here.
///
/// ```swift
/// let didReceive = ProxyMethod<Void, Downloader, Int>()
/// ```
///
/// The types are those of the result and of the arguments. `ProxyMethod` is the slot of a method that cannot throw,
/// `ThrowingProxyMethod` that of one that can; a method with typed throws names the error: `ProxySlot<ParseError, Int, String>`.
///
/// Who is told, in this order: `willInvoke`, the handler, the forwardee, `results` and `outcomes`, `didInvoke`. A method without a result
/// tells both the handler and the forwardee; of a method with a result exactly one of them is asked, as `policy` says.
///
/// Confined, like its proxy. When the proxy goes its streams complete.
public final class ProxySlot<Failure: Error, Output, each Argument>: TupleSlot<Failure, Output, (repeat each Argument)> {
  /// Makes a slot that nobody listens to.
  public override init() {}
}

/// The slot of a method that cannot throw: the type of its result, then those of its arguments.
public typealias ProxyMethod<Output, each Argument> = ProxySlot<Never, Output, repeat each Argument>

/// The slot of a method that throws any error: the type of its result, then those of its arguments.
public typealias ThrowingProxyMethod<Output, each Argument> = ProxySlot<any Error, Output, repeat each Argument>
