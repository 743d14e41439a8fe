public import Streams

extension Operation {
  /// Returns a cold stream of the calls of a C callback. Observing it registers the callback, and disposing the
  /// subscription unregisters it.
  ///
  /// ```swift
  /// let readings = Operation<Double, SensorError>.registering { observer in
  ///   RepeatingCallback<Double, Void> { observer.next($0) }
  /// } register: { callback throws(SensorError) in
  ///   let status = sensor_subscribe({ RepeatingCallback<Double, Void>.call($0, $1) }, callback.context)
  ///   if status != 0 { throw SensorError(status) }
  /// } unregister: { _ in
  ///   sensor_unsubscribe()
  /// }
  /// ```
  ///
  /// - For each observer, `make` creates an adapter and `register` passes its context to C. If `register` throws, the stream
  ///   fails with that error and the adapter is disarmed. Calls that C made before are delivered.
  /// - If the stream is completed while `register` runs, for example by `onEnd`, it completes when `register` returns. If
  ///   `register` throws, the stream fails instead.
  /// - The captures of `register` are retained until the callback is unregistered, so C can use them.
  /// - `unregister` runs once, in the home domain, after the observer is disposed or the stream has ended. It does not run
  ///   if the callback has ended by itself, that is, C gave the context back or made its only call. It does not run if
  ///   `register` threw: `register` frees what it had opened.
  /// - `unregister` cannot stop calls that C makes before `register` returns. If C calls only while one C function runs, use
  ///   `Operation { observer in … }` with a `ScopedCallback`, and check `observer.isDisposed`.
  /// - Elements are delivered inside the C function that calls. If the library must not be called from there, add
  ///   `deliver(after:)`.
  @inlinable
  public static func registering<Callback: CallbackAdapter>(
    _ make: @escaping (Observer<Element, Failure>) -> Callback,
    register: @escaping (Callback) throws(Failure) -> Void,
    unregister: @escaping (Callback) -> Void
  ) -> Operation {
    registering(make, register: register) { callback, _ in unregister(callback) }
  }

  /// Returns a cold stream of the calls of a C callback whose registration has an ID or a handle: `unregister` receives the
  /// value that `register` returned for the same observer.
  ///
  /// ```swift
  /// let changes = Operation<Int32, Never>.registering { observer in
  ///   RepeatingCallback<Int32, Void> { observer.next($0) }
  /// } register: { callback in
  ///   library_add({ RepeatingCallback<Int32, Void>.call($0, $1) }, callback.context)
  /// } unregister: { _, id in
  ///   library_remove(id)
  /// }
  /// ```
  @inlinable
  public static func registering<Callback: CallbackAdapter, Registration>(
    _ make: @escaping (Observer<Element, Failure>) -> Callback,
    register: @escaping (Callback) throws(Failure) -> Registration,
    unregister: @escaping (Callback, Registration) -> Void
  ) -> Operation {
    Operation { observer in start(make(observer), observer, register, unregister) { observer.failed($0) } }
  }

  /// Returns a cold stream of the calls that a C library makes from its own threads. Elements that the callback sends to the
  /// inlet are delivered in the home domain.
  ///
  /// ```swift
  /// Operation<Message, MQTTError>.registering(capacity: 1024, whenFull: .dropOldest) { inlet in
  ///   ForeignCallback<Message, Void> { inlet.send($0) }
  /// } register: { … } unregister: { … }
  /// ```
  ///
  /// Each observer has an inlet. `inlet.dropped` counts the elements that were dropped because the inlet was full.
  /// `inlet.finish()` completes the stream after the elements that were sent before, and `inlet.fail(_:)` ends it with a
  /// failure. If `register` throws, the stream fails with that error, also after the elements that were sent before. After
  /// disposal, running calls continue, and the elements that they send are released.
  @inlinable
  public static func registering<Callback: CallbackAdapter>(
    capacity: Int, whenFull policy: OverflowPolicy,
    _ make: @escaping (OperationInlet<Element, Failure>) -> Callback,
    register: @escaping (Callback) throws(Failure) -> Void,
    unregister: @escaping (Callback) -> Void
  ) -> Operation where Element: Sendable {
    registering(capacity: capacity, whenFull: policy, make, register: register) { callback, _ in unregister(callback) }
  }

  /// Returns a cold stream of the calls that a C library makes from its own threads, with a registration that has an ID or a
  /// handle: `unregister` receives the value that `register` returned for the same observer.
  @inlinable
  public static func registering<Callback: CallbackAdapter, Registration>(
    capacity: Int, whenFull policy: OverflowPolicy,
    _ make: @escaping (OperationInlet<Element, Failure>) -> Callback,
    register: @escaping (Callback) throws(Failure) -> Registration,
    unregister: @escaping (Callback, Registration) -> Void
  ) -> Operation where Element: Sendable {
    Operation { observer in
      let inlet = OperationInlet<Element, Failure>(capacity: capacity, whenFull: policy, isolation: nil)
      var failure: Failure?
      let delivery = inlet.operation.observe(
        next: { observer.next($0) }, termination: { end in observer.terminate(failure.map { .failed($0) } ?? end) })
      let registration = start(make(inlet), observer, register, unregister) { error in
        // Delivered with the end of the inlet, after the elements that C has sent. C can have finished the inlet already.
        failure = error
        inlet.finish()
      }
      return CompositeDisposable([registration, delivery])
    }
  }

  @inlinable
  static func start<Callback: CallbackAdapter, Registration>(
    _ callback: Callback, _ observer: Observer<Element, Failure>,
    _ register: @escaping (Callback) throws(Failure) -> Registration,
    _ unregister: @escaping (Callback, Registration) -> Void, fail: (Failure) -> Void
  ) -> any Disposable {
    let registration: Registration
    // A library can destroy the context before it reports that the registration has failed. The stream then fails.
    observer.subscription.holdCompletion()
    do throws(Failure) {
      registration = try register(callback)
    } catch {
      observer.subscription.releaseCompletion(isDelivered: false)
      callback.disarm()
      fail(error)
      return .none
    }
    observer.subscription.releaseCompletion(isDelivered: true)
    return BlockDisposable {
      if callback.isEnded { return }
      unregister(callback, registration)
      callback.didUnregister()
      // C can use the captures until here.
      withExtendedLifetime(register) {}
    }
  }
}
