/// The error of `value` for a stream that completes without an element.
///
/// ```swift
/// do {
///   print(try await Stream<Int>.completed().value)
/// } catch { print(error) }
/// ```
public struct StreamEnded: Error, Hashable, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  /// A description of the error.
  public var description: String { "The stream has completed without an element." }
}

extension Operation {
  /// The first element: `try await operation.value`. Its delivery disposes the source.
  ///
  /// Throws the failure if the operation fails first, `StreamEnded` if it completes without an element, and
  /// `CancellationError` if the task is canceled first, which disposes the source.
  ///
  /// Each use observes the operation again, in the caller's isolation. The element need not be Sendable.
  public var value: Element {
    get async throws {
      if let element = try await firstValue(file: "value", line: 0) { return element }
      try Task.checkCancellation()
      throw StreamEnded()
    }
  }
}

extension Operation where Element: Sendable {
  /// The first element: `try await operation.value`. Its delivery disposes the source.
  ///
  /// Throws the failure if the operation fails first, `StreamEnded` if it completes without an element, and
  /// `CancellationError` if the task is canceled first, which disposes the source.
  ///
  /// Each use observes the operation again, in the caller's isolation. Without an isolation, as in a nonisolated async function with
  /// default settings, it is observed on an internal loop, and the task resumes when the subscription was disposed and released
  /// there.
  public var value: Element {
    get async throws {
      if let element = try await firstValue(file: "value", line: 0) { return element }
      try Task.checkCancellation()
      throw StreamEnded()
    }
  }
}

extension StreamProtocol {
  /// Returns the first element, or nil if the stream completes without one or the task is canceled first.
  ///
  /// Throws the failure if the operation fails first; a `Stream` does not throw. The delivery of the element, and a cancellation,
  /// dispose the source. Each call observes the stream again, in the caller's isolation. The compiler passes `file` and `line`, which name
  /// the subscription in recordings and in reports of leaks.
  public func firstValue(
    file: StaticString = #fileID, line: UInt = #line
  ) async throws(Failure) -> Element? {
    if Task.isCancelled { return nil }
    let first = take(1).toOperation()
    return try await ValuesCore(first, .unbounded, #isolation, file, line, isSingle: true).next(isolation: #isolation)
  }
}

extension StreamProtocol where Element: Sendable {
  /// Returns the first element, or nil if the stream completes without one or the task is canceled first.
  ///
  /// Throws the failure if the operation fails first; a `Stream` does not throw. The delivery of the element, and a cancellation,
  /// dispose the source. Each call observes the stream again, in the caller's isolation, or without one on an internal loop. The compiler
  /// passes `file` and `line`, which name the subscription in recordings and in reports of leaks.
  public func firstValue(
    file: StaticString = #fileID, line: UInt = #line
  ) async throws(Failure) -> Element? {
    if Task.isCancelled { return nil }
    if Home.current(#isolation).mailbox == nil, let loops = ThreadState.loops {
      return try await AwayFromHome(toOperation(), loops.shared(), file, line).firstValue()
    }
    let first = take(1).toOperation()
    return try await ValuesCore(first, .unbounded, #isolation, file, line, isSingle: true).next(isolation: #isolation)
  }
}

/// The observation of a stream's first element for a task without an isolation, on an internal loop.
///
/// The task lends the stream to the loop, and resumes when nothing of the subscription is left there. So two threads never use the
/// stream at the same time.
final class AwayFromHome<Element: Sendable, Failure: Error>: @unchecked Sendable {
  // Sendable: the task creates it, only the loop uses it between the start and the resumption, and then the task reads the result.
  private var source: Operation<Element, Failure>?
  private var subscription: Subscription?
  private var event: Event<Element, Failure>?
  private var continuation: UnsafeContinuation<Void, Never>?
  private var isOver = false
  private var isCounted = false
  private let result = Lock<Event<Element, Failure>?>(nil)
  private let loop: any LoopHome
  private let file: StaticString
  private let line: UInt

  init(_ source: Operation<Element, Failure>, _ loop: any LoopHome, _ file: StaticString, _ line: UInt) {
    self.source = source
    self.loop = loop
    self.file = file
    self.line = line
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
    let subscription = source.take(1).observe(file: file, line: line) { [unowned self] event in
      if self.event == nil { self.event = event }
      finish()
    }
    if isOver { subscription.dispose() } else { self.subscription = subscription }
  }

  private func finish() {
    if isOver { return }
    isOver = true
    subscription.take()?.dispose()
    // If it was cancelled before the start, this resumes the task.
    if source == nil { resumeLater() }
  }

  /// Resumes the task in a separate job, after the caller has returned and released its values.
  private func resumeLater() {
    loop.post {
      // Under the lock, which orders the loop's work before the task's.
      self.result.withLock { $0 = self.event }
      guard let continuation = self.continuation.take() else { return }
      if self.isCounted { self.loop.endWait { continuation.resume() } } else { continuation.resume() }
    }
  }
}
