public import Streams

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
public final class ProxySlot<Failure: Error, Output, each Argument>: AnyProxySlot {
  @usableFromInline
  struct Handler {
    @usableFromInline let call: (repeat each Argument) throws(Failure) -> Output

    @inlinable
    init(call: @escaping (repeat each Argument) throws(Failure) -> Output) { self.call = call }
  }

  @exclusivity(unchecked) @usableFromInline var handler: Handler?
  var place: HandlerPlace?
  /// Where the places of handlers are that have no proxy.
  private lazy var ownPlaces = DisposeBag()
  var places: DisposeBag { host?.places ?? ownPlaces }
  // Made when first asked for, and never replaced.
  @exclusivity(unchecked) @usableFromInline var will: Unmanaged<PushStream<(repeat each Argument)>>?
  @exclusivity(unchecked) @usableFromInline var did: Unmanaged<PushStream<(repeat each Argument)>>?
  @exclusivity(unchecked) @usableFromInline var returned: Unmanaged<PushStream<(repeat each Argument, Output)>>?
  @exclusivity(unchecked) @usableFromInline var ended: Unmanaged<PushStream<(repeat each Argument, Result<Output, Failure>)>>?

  /// Who answers where both a handler and a forwardee could. The default is `.handler`.
  public var policy = ReturnPolicy<Output>.handler {
    didSet { set(Self.policyBit, policy.prefersForwardee) }
  }

  /// How the answers of several forwardees become one. The default is `.first`.
  public var forwardeeRule = ForwardeeRule<Output>.first

  /// Makes a slot that nobody listens to.
  public override init() {}

  deinit {
    endStreams()
    will?.release()
    did?.release()
    returned?.release()
    ended?.release()
  }

  override func finish() {
    place?.dispose()
    endStreams()
  }

  override func finishAtHome() { endStreams() }
}

/// The slot of a method that cannot throw: the type of its result, then those of its arguments.
public typealias ProxyMethod<Output, each Argument> = ProxySlot<Never, Output, repeat each Argument>

/// The slot of a method that throws any error: the type of its result, then those of its arguments.
public typealias ThrowingProxyMethod<Output, each Argument> = ProxySlot<any Error, Output, repeat each Argument>
