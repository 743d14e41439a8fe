public import Streams

/// A slot whose handler is a function of the arguments as one tuple: `ProxySlot` gives it its face.
public class TupleSlot<Failure: Error, Output, Arguments>: ObservedSlot<Failure, Output, Arguments> {
  @frozen @usableFromInline
  struct Handler {
    @usableFromInline let call: (Arguments) throws(Failure) -> Output

    @inlinable
    init(call: @escaping (Arguments) throws(Failure) -> Output) { self.call = call }
  }

  @exclusivity(unchecked) @usableFromInline final var handler: Handler?

  /// `ProxySlot` is what is made.
  override init() {}

  @inlinable
  final func install<Step: Spreading>(
    _ handler: Step, _ isolation: (any Actor)?, onEnd: @escaping () -> Void
  ) -> any Disposable where Step.Arguments == Arguments, Step.Output == Output, Step.Failure == Failure {
    install(
      Handler { (arguments: Arguments) throws(Failure) in try handler.call(arguments) }, isolation, onEnd: onEnd)
  }

  /// Puts a handler in place; `onEnd` runs, once and at home, when it is removed, replaced, or goes with the slot.
  @usableFromInline
  final func install(_ new: Handler, _ isolation: (any Actor)?, onEnd: @escaping () -> Void) -> any Disposable {
    occupy(
      isolation, put: { [self] in handler = new },
      remove: { [weak self] in
        // Released when the slot is whole again.
        let old = self?.handler
        self?.handler = nil
        return old as Any
      }, end: { withExtendedLifetime(new) { onEnd() } })
  }
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
public final class ProxySlot<Failure: Error, Output, each Argument>: TupleSlot<Failure, Output, (repeat each Argument)>
{
  /// Makes a slot that nobody listens to.
  public override init() {}
}

/// The slot of a method that cannot throw: the type of its result, then those of its arguments.
public typealias ProxyMethod<Output, each Argument> = ProxySlot<Never, Output, repeat each Argument>

/// The slot of a method that throws any error: the type of its result, then those of its arguments.
public typealias ThrowingProxyMethod<Output, each Argument> = ProxySlot<any Error, Output, repeat each Argument>
