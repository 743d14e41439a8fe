/// A stream that can fail. It is cold: it starts separately for each observer.
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
/// An operation does nothing until you observe it. Observing runs its producer once for that observer. The observer receives any
/// number of elements and at most one terminal event, `completed` or `failed`. It receives nothing after the terminal event and
/// nothing after disposal. Elements are delivered synchronously, on the thread on which the producer sends them.
///
/// An operation is confined: it is not `Sendable`, and belongs to the isolation domain that observes it. Use `Inlet` or
/// `Confined` to cross threads.
///
/// - Complexity: One closure call for each operator and element.
@frozen
public struct Operation<Element, Failure: Error>: StreamProtocol {
  @usableFromInline let producer: (Observer<Element, Failure>) -> any Disposable

  /// Creates an operation from a source or operator of this module that keeps the contracts itself. `name` is its name in recordings and
  /// in reports of leaks, or nil if it is not in the user's code.
  @inlinable
  init(
    name: StaticString? = #function, unguarded producer: @escaping (Observer<Element, Failure>) -> any Disposable
  ) {
    #if DEBUG || Tracing
    if let name {
      self.producer = { observer in
        observer.subscription.isLinked(by: name)
        return producer(observer)
      }
      return
    }
    #endif
    self.producer = producer
  }

  /// Creates an operation from a closure that produces its events.
  ///
  /// The closure runs once for each observer. The disposable that it returns is disposed exactly once: when the operation ends,
  /// when the observer is disposed, or immediately if the operation ended before the closure returned. Its `pause()` and
  /// `resume()` are called when the observer pauses and resumes.
  ///
  /// The observer is guarded: events after the end and after disposal are dropped, and an element that is sent during a delivery
  /// is delivered after it.
  ///
  /// - Warning: The disposable is disposed inside `completed()` and `failed(_:)`. If a C callback calls those, and the library
  ///   must not be called or freed inside its callbacks, defer the call until the callback has returned: with a `Deferral` of the
  ///   product Callbacks.
  ///
  /// If the producer releases its observer without an end and returned `.none`, no event can follow, so all subscriptions below it
  /// are released, as below a subject that is deallocated. The same happens if it returned the subscription to a stream to
  /// which this has happened.
  @inlinable
  public init(_ producer: @escaping (Observer<Element, Failure>) -> any Disposable) {
    self.producer = { observer in
      #if DEBUG || Tracing
      observer.subscription.isLinked(by: "Operation { observer in … }")
      #endif
      let guarded = SerializedSubscription(observer)
      guarded.connect(producer)
      return guarded
    }
  }

  /// Creates an operation from a closure that adds disposables to a composite, even after the closure has returned.
  @inlinable @_disfavoredOverload
  public init(_ producer: @escaping (Observer<Element, Failure>, CompositeDisposable) -> Void) {
    self.init({ observer in
      let disposables = CompositeDisposable()
      producer(observer, disposables)
      return disposables
    })
  }

  /// Runs the producer for `observer` and returns its subscription.
  @inlinable
  public func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable { producer(observer) }
}

/// A stream that cannot fail. Only such streams can be bound.
///
/// ```swift
/// let clicks: Stream<String> = .sequence(["one", "two"])
/// clicks.observeNext { print($0) }.dispose(in: bag)
/// ```
///
/// Foundation has a class of this name. If you import both, write `Streams.Stream`, or declare a local `typealias`.
public typealias Stream<Element> = Operation<Element, Never>

@available(*, unavailable)
extension Operation: Sendable {}
