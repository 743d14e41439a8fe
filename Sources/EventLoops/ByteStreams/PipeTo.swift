import CUV
public import Streams

extension StreamProtocol where Element == Bytes, Failure == UVError {
  /// Writes all bytes of the source to `sink` when observed. Emits the number of bytes when all have been written, and
  /// completes.
  ///
  /// ```swift
  /// near.bytes.pipe(to: far).observe { event in print(event) }.dispose(in: bag)
  /// ```
  ///
  /// The source is paused while the sink is full and while the observer is paused, so memory is bounded by the sink's
  /// high watermark plus one read. Nothing is copied.
  ///
  /// When the source completes, the sink is finished, unless `finishing` is false. Fails with the first failure of
  /// either. The sink is not finished then, because its end would look like a regular one. Disposing stops the copying
  /// and leaves the sink as it is, so you can still write to it. A connection or a `FileWriter` that nothing else
  /// retains closes when its queue has been written.
  public func pipe<Sink: ByteSink>(to sink: Sink, finishing: Bool = true) -> Operation<Int, Sink.Failure> {
    piped(to: sink, finishing, Sink.Failure.init) { $0 }
  }
}

extension StreamProtocol where Element == Bytes, Failure: ConnectionError {
  /// Writes all bytes of an encrypted connection to a sink with the errors of the system, such as a TCP connection or a
  /// file, when observed. The rules are those of a source with the errors of the system.
  @_disfavoredOverload
  public func pipe<Sink: ByteSink>(
    to sink: Sink, finishing: Bool = true
  ) -> Operation<Int, Failure> where Sink.Failure == UVError {
    piped(to: sink, finishing, { $0 }, Failure.init)
  }

  /// Writes all bytes of the source to a sink with errors of the same type when observed. The rules are those of a
  /// source with the errors of the system.
  @_disfavoredOverload
  public func pipe<Sink: ByteSink>(
    to sink: Sink, finishing: Bool = true
  ) -> Operation<Int, Failure> where Sink.Failure == Failure {
    piped(to: sink, finishing, { $0 }, { $0 })
  }

  private func piped<Sink: ByteSink, Result: ConnectionError>(
    to sink: Sink, _ finishing: Bool, _ ofSource: @escaping (Failure) -> Result,
    _ ofSink: @escaping (Sink.Failure) -> Result
  ) -> Operation<Int, Result> {
    Operation { observer in
      let pump = Pump(sink, finishing, observer, ofSink)
      pump.start(self, ofSource)
      return pump
    }
  }
}

extension StreamProtocol where Element == Bytes, Failure == Never {
  /// Writes all bytes of the source to `sink` when observed. Emits the number of bytes when all have been written, and
  /// completes.
  ///
  /// The source is paused while the sink is full and while the observer is paused. When the source completes, the sink
  /// is finished, unless `finishing` is false. Fails if the sink fails.
  public func pipe<Sink: ByteSink>(to sink: Sink, finishing: Bool = true) -> Operation<Int, Sink.Failure> {
    setFailureType(to: UVError.self).pipe(to: sink, finishing: finishing)
  }
}

/// The state of a running `pipe(to:)`, between the source and the sink.
private final class Pump<Sink: ByteSink, Failure: ConnectionError>: Disposable {
  private enum Progress {
    /// The source has more bytes.
    case copying
    /// The source has ended, and the sink writes its queue.
    case finishing
    /// Everything has ended.
    case ended
  }

  private let sink: Sink
  private let finishing: Bool
  private let observer: Observer<Int, Failure>
  private let failure: (Sink.Failure) -> Failure
  /// The subscription that pauses and resumes the source.
  private let link: Subscription
  private var readiness: (any Disposable)?
  private var progress = Progress.copying
  private var count = 0
  /// True while the observer is paused.
  private var isHeld: Bool
  /// True while the sink is full.
  private var isFull: Bool

  init(
    _ sink: Sink, _ finishing: Bool, _ observer: Observer<Int, Failure>,
    _ failure: @escaping (Sink.Failure) -> Failure
  ) {
    self.sink = sink
    self.finishing = finishing
    self.observer = observer
    self.failure = failure
    link = Subscription(downstream: observer.subscription)
    isHeld = observer.isPaused
    isFull = sink.isFull
  }

  func start<Source: StreamProtocol>(
    _ source: Source, _ failure: @escaping (Source.Failure) -> Failure
  ) where Source.Element == Bytes {
    let readiness = sink.readiness.observe(
      next: { [weak self] in self?.hasRoom() }, termination: { [weak self] in self?.sinkEnded($0) })
    if progress == .ended { return readiness.dispose() }
    self.readiness = readiness
    if isHeld || isFull { link.pause() }
    link.attach(
      source.subscribe(
        Observer(
          for: link, next: { [self] in write($0) }, termination: { [self] in sourceEnded($0.failure.map(failure)) })))
  }

  private func write(_ bytes: Bytes) {
    if progress != .copying { return }
    count += bytes.count
    sink.write(bytes)
    if sink.isFull, !isFull {
      isFull = true
      link.pause()
    }
  }

  private func hasRoom() {
    if !isFull { return }
    isFull = false
    if !isHeld { link.resume() }
  }

  private func sourceEnded(_ failure: Failure?) {
    if progress != .copying { return }
    link.dispose()
    if let failure { return self.end(.failed(failure)) }
    progress = .finishing
    if finishing { sink.finish() } else { self.end(.completed) }
  }

  private func sinkEnded(_ end: Termination<Sink.Failure>) {
    switch (end, progress) {
    case (_, .ended): break
    case (.failed(let error), _): self.end(.failed(failure(error)))
    case (.completed, .finishing): self.end(.completed)
    // Other code has finished the sink.
    case (.completed, .copying): self.end(.failed(Failure(UVError(code: UV_EPIPE.rawValue, call: "pipe"))))
    }
  }

  private func end(_ end: Termination<Failure>) {
    dispose()
    if case .completed = end { observer.next(count) }
    observer.terminate(end)
  }

  var isDisposed: Bool { progress == .ended }

  func dispose() {
    progress = .ended
    link.dispose()
    readiness.take()?.dispose()
  }

  func pause() {
    isHeld = true
    link.pause()
  }

  func resume() {
    isHeld = false
    if !isFull { link.resume() }
  }
}
