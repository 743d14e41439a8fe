public import Streams

extension Operation {
  /// What C calls back with, as a cold stream: observing it registers, disposing of it unregisters.
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
  /// - For each observer `make` makes a callback of its own, and `register` hands its context to C. What it throws is the
  ///   one failure of the stream; the callback is taken back. What C has called with before the registration failed has
  ///   been delivered.
  /// - What `register` captured is retained until then: C may use it for as long as it is registered.
  /// - `unregister` runs once, at home: when the observer has been disposed, or when the callback has ended the stream. It
  ///   does not run where the callback has ended by itself (it has been given back, or the one call has come).
  ///   Nor does it where `register` has thrown: that frees what it had opened before.
  /// - A source that calls back before `register` returns cannot be stopped by `unregister`. What calls only while one C
  ///   function runs is an `Operation { observer in … }` around a `ScopedCallback`, which asks `observer.isDisposed`.
  /// - Elements arrive from inside of the C function that calls. A library that must not be called then wants
  ///   `deliver(after:)`.
  @inlinable
  public static func registering<Callback: CallbackAdapter>(
    _ make: @escaping (Observer<Element, Failure>) -> Callback,
    register: @escaping (Callback) throws(Failure) -> Void,
    unregister: @escaping (Callback) -> Void
  ) -> Operation {
    Operation { observer in start(make(observer), observer, register) { callback, _ in unregister(callback) } }
  }

  /// The same for a library that names a registration: what `register` returns, an id or a handle, is handed to
  /// `unregister`. Each observer has its own.
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
    Operation { observer in start(make(observer), observer, register, unregister) }
  }

  /// The same for a library that calls from threads of its own: what is sent into the inlet is delivered at home.
  ///
  /// ```swift
  /// Operation<Message, MQTTError>.registering(capacity: 1024, whenFull: .dropOldest) { inlet in
  ///   ForeignCallback<Message, Void> { inlet.send($0) }
  /// } register: { … } unregister: { … }
  /// ```
  ///
  /// Each observer has an inlet of its own, and `inlet.dropped` counts the elements that were dropped because it was full.
  /// `inlet.finish()` completes the stream after what was sent before, and `inlet.fail(_:)` ends it with a failure. After
  /// disposal calls that are under way end undisturbed, and what they send is released.
  @inlinable
  public static func registering<Callback: CallbackAdapter>(
    capacity: Int, whenFull policy: OverflowPolicy,
    _ make: @escaping (OperationInlet<Element, Failure>) -> Callback,
    register: @escaping (Callback) throws(Failure) -> Void,
    unregister: @escaping (Callback) -> Void
  ) -> Operation where Element: Sendable {
    registering(capacity: capacity, whenFull: policy, make, register: register) { callback, _ in unregister(callback) }
  }

  /// The same for a library that calls from threads of its own and names a registration: what `register` returns, an id or
  /// a handle, is handed to `unregister`. Each observer has its own.
  @inlinable
  public static func registering<Callback: CallbackAdapter, Registration>(
    capacity: Int, whenFull policy: OverflowPolicy,
    _ make: @escaping (OperationInlet<Element, Failure>) -> Callback,
    register: @escaping (Callback) throws(Failure) -> Registration,
    unregister: @escaping (Callback, Registration) -> Void
  ) -> Operation where Element: Sendable {
    Operation { observer in
      let inlet = OperationInlet<Element, Failure>(capacity: capacity, whenFull: policy, isolation: nil)
      let delivery = inlet.operation.observe(next: { observer.next($0) }, termination: { observer.terminate($0) })
      return CompositeDisposable([start(make(inlet), observer, register, unregister), delivery])
    }
  }

  @inlinable
  static func start<Callback: CallbackAdapter, Registration>(
    _ callback: Callback, _ observer: Observer<Element, Failure>,
    _ register: @escaping (Callback) throws(Failure) -> Registration,
    _ unregister: @escaping (Callback, Registration) -> Void
  ) -> any Disposable {
    let registration: Registration
    do throws(Failure) {
      registration = try register(callback)
    } catch {
      callback.disarm()
      observer.failed(error)
      return .none
    }
    return BlockDisposable {
      if callback.isEnded { return }
      unregister(callback, registration)
      callback.didUnregister()
      // What it captured stays for as long as C may call.
      withExtendedLifetime(register) {}
    }
  }
}
