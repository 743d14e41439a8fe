/// The stream that was asked for a value has completed without one.
///
/// ```swift
/// do {
///   print(try await Stream<Int>.completed().value)
/// } catch { print(error) }
/// ```
public struct StreamEnded: Error, Hashable, CustomStringConvertible {
  /// Makes one.
  public init() {}

  /// A sentence that says so.
  public var description: String { "The stream has completed without an element." }
}

extension Operation {
  /// The first element: `try await operation.value`. The source is disposed as soon as it has been delivered.
  ///
  /// Throws the failure if the operation fails first, `StreamEnded` if it completes without an element, and
  /// `CancellationError` if the task is cancelled first, which disposes the source.
  ///
  /// Each use observes the operation again, in the caller's isolation. The element need not be Sendable.
  public var value: Element {
    get async throws {
      if let element = try await firstValue() { return element }
      try Task.checkCancellation()
      throw StreamEnded()
    }
  }
}

extension Operation where Element: Sendable {
  /// The first element: `try await operation.value`. The source is disposed as soon as it has been delivered.
  ///
  /// Throws the failure if the operation fails first, `StreamEnded` if it completes without an element, and
  /// `CancellationError` if the task is cancelled first, which disposes the source.
  ///
  /// Each use observes the operation again, in the caller's isolation. Without an isolation, as in a nonisolated
  /// async function with default settings, it is observed on a loop of the package's own; the task resumes when the
  /// subscription has been disposed and released there.
  public var value: Element {
    get async throws {
      if let element = try await firstValue() { return element }
      try Task.checkCancellation()
      throw StreamEnded()
    }
  }
}

extension StreamProtocol {
  /// The first element, or nil if the stream completes without one or the task is cancelled first.
  ///
  /// Throws the failure if the operation fails first; a `Stream` does not throw. The source is disposed as soon as the
  /// element has been delivered, and on cancellation. Each call observes the stream again, in the caller's isolation.
  public func firstValue() async throws(Failure) -> Element? {
    if Task.isCancelled { return nil }
    var iterator = take(1).values(.unbounded).makeAsyncIterator()
    return try await iterator.next()
  }
}

extension StreamProtocol where Element: Sendable {
  /// The first element, or nil if the stream completes without one or the task is cancelled first.
  ///
  /// Throws the failure if the operation fails first; a `Stream` does not throw. The source is disposed as soon as the
  /// element has been delivered, and on cancellation. Each call observes the stream again, in the caller's isolation;
  /// without an isolation, on a loop of the package's own.
  public func firstValue() async throws(Failure) -> Element? {
    if Task.isCancelled { return nil }
    if Home.current(#isolation).mailbox == nil, let loops = ThreadState.loops {
      return try await AwayFromHome(toOperation(), loops.shared()).firstValue()
    }
    var iterator = take(1).values(.unbounded).makeAsyncIterator()
    return try await iterator.next()
  }
}

/// One element of a stream for a task that has no isolation. The stream lives on a loop of the package's own.
///
/// The task lends the stream to the loop and resumes when nothing of the subscription is left there: two threads never use
/// it at once.
private final class AwayFromHome<Element: Sendable, Failure: Error>: @unchecked Sendable {
  // Sendable: the task makes it, the loop alone uses it between the start and the resumption; the task then reads the result.
  private var source: Operation<Element, Failure>?
  private var subscription: Subscription?
  private var event: Event<Element, Failure>?
  private var continuation: UnsafeContinuation<Void, Never>?
  private var isOver = false
  private var isCounted = false
  private let result = Lock<Event<Element, Failure>?>(nil)
  private let loop: any LoopHome

  init(_ source: Operation<Element, Failure>, _ loop: any LoopHome) {
    self.source = source
    self.loop = loop
  }

  func firstValue() async throws(Failure) -> Element? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        self.continuation = continuation
        isCounted = loop.beginWait()
        loop.post { self.start() }
      }
    } onCancel: {
      loop.post { self.finish() }
    }
    switch result.withLock({ $0 }) {
    case .next(let element): return element
    case .failed(let error): throw error
    case .completed, nil: return nil
    }
  }

  private func start() {
    guard let source = source.take(), !isOver else { return resumeLater() }
    let subscription = source.take(1).observe { [unowned self] event in
      if self.event == nil { self.event = event }
      finish()
    }
    if isOver { subscription.dispose() } else { self.subscription = subscription }
  }

  private func finish() {
    if isOver { return }
    isOver = true
    subscription.take()?.dispose()
    // Cancelled before the start: that resumes the task.
    if source == nil { resumeLater() }
  }

  /// Resumes the task in a job of its own, when the caller has returned and has released what it used.
  private func resumeLater() {
    loop.post {
      // Under the lock: what the loop has done happens before what the task does next.
      self.result.withLock { $0 = self.event }
      guard let continuation = self.continuation.take() else { return }
      if self.isCounted { self.loop.endWait { continuation.resume() } } else { continuation.resume() }
    }
  }
}
