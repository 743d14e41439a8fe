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
  public func pipe(to sink: any ByteSink, finishing: Bool = true) -> Operation<Int, UVError> {
    Operation { observer in
      let pump = Pump(sink, finishing, observer)
      pump.start(self)
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
  public func pipe(to sink: any ByteSink, finishing: Bool = true) -> Operation<Int, UVError> {
    setFailureType(to: UVError.self).pipe(to: sink, finishing: finishing)
  }
}

/// The state of a running `pipe(to:)`, between the source and the sink.
private final class Pump: Disposable {
  private enum Progress {
    /// The source has more bytes.
    case copying
    /// The source has ended, and the sink writes its queue.
    case finishing
    /// Everything has ended.
    case ended
  }

  private let sink: any ByteSink
  private let finishing: Bool
  private let observer: Observer<Int, UVError>
  /// The subscription that pauses and resumes the source.
  private let link: Subscription
  private var readiness: (any Disposable)?
  private var progress = Progress.copying
  private var count = 0
  /// True while the observer is paused.
  private var isHeld: Bool
  /// True while the sink is full.
  private var isFull: Bool

  init(_ sink: any ByteSink, _ finishing: Bool, _ observer: Observer<Int, UVError>) {
    self.sink = sink
    self.finishing = finishing
    self.observer = observer
    link = Subscription(downstream: observer.subscription)
    isHeld = observer.isPaused
    isFull = sink.isFull
  }

  func start(_ source: some StreamProtocol<Bytes, UVError>) {
    let readiness = sink.readiness.observe(
      next: { [weak self] in self?.hasRoom() }, termination: { [weak self] in self?.sinkEnded($0) })
    if progress == .ended { return readiness.dispose() }
    self.readiness = readiness
    if isHeld || isFull { link.pause() }
    link.attach(
      source.subscribe(
        Observer(for: link, next: { [self] in write($0) }, termination: { [self] in sourceEnded($0) })))
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

  private func sourceEnded(_ end: Termination<UVError>) {
    if progress != .copying { return }
    link.dispose()
    if let failure = end.failure { return self.end(.failed(failure)) }
    progress = .finishing
    if finishing { sink.finish() } else { self.end(.completed) }
  }

  private func sinkEnded(_ end: Termination<UVError>) {
    switch (end, progress) {
    case (_, .ended): break
    case (.failed, _), (.completed, .finishing): self.end(end)
    // Other code has finished the sink.
    case (.completed, .copying): self.end(.failed(UVError(code: UV_EPIPE.rawValue, call: "pipe")))
    }
  }

  private func end(_ end: Termination<UVError>) {
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
