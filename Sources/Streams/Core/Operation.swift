/// A stream that may fail: a cold description of work, which starts anew for each observer.
///
/// ```swift
/// let numbers = Operation<Int, Never> { observer in
///   for number in 1...3 where !observer.isDisposed { observer.next(number) }
///   observer.completed()
///   return .none
/// }
/// numbers.map { $0 * 10 }.observeNext { print($0) }.dispose(in: bag)
/// ```
///
/// An operation does nothing until it is observed. Observing it runs its producer once for that observer, which then gets
/// any number of elements and at most one terminal event, `completed` or `failed`; nothing after the terminal event and
/// nothing after disposal. Elements arrive synchronously on the thread on which the producer makes them.
///
/// An operation is confined: it is not `Sendable` and belongs to the isolation domain in which it is observed. To cross
/// threads use `Inlet` or `Confined`.
///
/// Cost: one closure call for each operator and element.
@frozen
public struct Operation<Element, Failure: Error>: StreamProtocol {
  @usableFromInline let producer: (Observer<Element, Failure>) -> any Disposable

  /// For sources and operators of this module that keep the contracts by themselves.
  @inlinable
  init(unguarded producer: @escaping (Observer<Element, Failure>) -> any Disposable) {
    self.producer = producer
  }

  /// Makes an operation from a closure that produces its events.
  ///
  /// The closure runs once for each observer. The disposable it returns is disposed exactly once: when the operation
  /// ends, when the observer is disposed, or at once if it ended before the closure returned. The observer it gets is
  /// guarded: events after the end or after disposal are dropped, and what is sent during a delivery is delivered after
  /// it. The disposable's `pause()` and `resume()` are called when the observer asks for it.
  ///
  /// - Warning: The disposable is disposed inside `completed()` and `failed(_:)`. If a C callback calls those, and the library
  ///   must not be called or freed inside its callbacks, defer the call until the callback has returned: with a `Deferral` of the
  ///   product Callbacks.
  ///
  /// A producer that releases its observer without an end, and that has nothing to undo, has gone: everything below it is
  /// released, as below a subject that is deallocated. It has nothing to undo if it has returned `.none`, or the subscription
  /// to a stream that has gone itself.
  @inlinable
  public init(_ producer: @escaping (Observer<Element, Failure>) -> any Disposable) {
    self.producer = { observer in
      let guarded = SerializedSubscription(observer)
      guarded.connect(producer)
      return guarded
    }
  }

  /// Makes an operation from a closure that puts what is to be disposed of into the composite it gets, also later.
  @inlinable @_disfavoredOverload
  public init(_ producer: @escaping (Observer<Element, Failure>, CompositeDisposable) -> Void) {
    self.init({ observer in
      let disposables = CompositeDisposable()
      producer(observer, disposables)
      return disposables
    })
  }

  /// See `StreamProtocol`.
  @inlinable
  public func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable { producer(observer) }
}

/// A stream that cannot fail. Only such streams bind.
///
/// ```swift
/// let clicks: Stream<String> = .sequence(["one", "two"])
/// clicks.observeNext { print($0) }.dispose(in: bag)
/// ```
///
/// Foundation has a class of this name; where both are imported, write `import struct Streams.Operation` and a local
/// `typealias`, or name it `Streams.Stream`.
public typealias Stream<Element> = Operation<Element, Never>

@available(*, unavailable)
extension Operation: Sendable {}
