public import Streams

/// The part of `ProxySlot` whose arguments are one tuple.
public class TupleSlot<Failure: Error, Output, Arguments>: ObservedSlot<Failure, Output, Arguments> {
  @frozen @usableFromInline
  struct Handler {
    @usableFromInline let call: (Arguments) throws(Failure) -> Output

    @inlinable
    init(call: @escaping (Arguments) throws(Failure) -> Output) { self.call = call }
  }

  @exclusivity(unchecked) @usableFromInline final var handler: Handler?

  /// Only `ProxySlot` is created.
  override init() {}

  @inlinable
  final func install<Step: Spreading>(
    _ handler: Step, _ isolation: (any Actor)?, onEnd: @escaping () -> Void
  ) -> any Disposable where Step.Arguments == Arguments, Step.Output == Output, Step.Failure == Failure {
    install(
      Handler { (arguments: Arguments) throws(Failure) in try handler.call(arguments) }, isolation, onEnd: onEnd)
  }

  /// Sets the handler. `onEnd` runs once, in the home domain, when the handler is removed or replaced, or the slot is
  /// deallocated.
  @usableFromInline
  final func install(_ new: Handler, _ isolation: (any Actor)?, onEnd: @escaping () -> Void) -> any Disposable {
    occupy(
      isolation, put: { [self] in handler = new },
      remove: { [weak self] in
        // Released last, because its deinit may use the slot.
        let old = self?.handler
        self?.handler = nil
        return old as Any
      }, end: { withExtendedLifetime(new) { onEnd() } })
  }
}

/// The slot of one requirement of a delegate protocol: you observe its calls, answer them, and inject values.
///
/// ```swift
/// let didReceive = ProxyMethod<Void, Downloader, Int>()
/// ```
///
/// The generic arguments are the result type, followed by the types of the arguments. `ProxyMethod` is the slot of a method
/// that cannot throw, `ThrowingProxyMethod` of one that throws any error. For typed throws, name the error:
/// `ProxySlot<ParseError, Int, String>`.
///
/// A call notifies in this order: `willInvoke`, the handler, the forwardee, `results` and `outcomes`, `didInvoke`. A method
/// without a result calls both the handler and the forwardee. A method with a result calls one of them; `policy` decides
/// which.
///
/// A slot is confined to the domain of its proxy. Its streams complete when the proxy is deallocated.
public final class ProxySlot<Failure: Error, Output, each Argument>: TupleSlot<Failure, Output, (repeat each Argument)>
{
  /// Creates a slot without a handler.
  public override init() {}
}

/// The slot of a method that cannot throw. The first generic argument is the result type, followed by the types of the
/// arguments.
public typealias ProxyMethod<Output, each Argument> = ProxySlot<Never, Output, repeat each Argument>

/// The slot of a method that throws any error. The first generic argument is the result type, followed by the types of the
/// arguments.
public typealias ThrowingProxyMethod<Output, each Argument> = ProxySlot<any Error, Output, repeat each Argument>
