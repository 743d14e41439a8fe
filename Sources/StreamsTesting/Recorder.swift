public import Streams

/// A recording of a stream's events, with the virtual time of each.
///
/// ```swift
/// let recorder = Stream.sequence(1...3).map { $0 * 2 }.record()
/// #expect(recorder.elements == [2, 4, 6])
/// #expect(recorder.isCompleted)
/// ```
///
/// Confined to the test that creates it. Deallocation disposes the subscription.
public final class Recorder<Element, Failure: Error> {
  /// An event and its time.
  public struct Entry {
    /// The virtual time; zero without a scheduler.
    public let time: Duration
    /// The event.
    public let event: Event<Element, Failure>
  }

  private final class Log {
    var entries: [Entry] = []
    let scheduler: VirtualScheduler?

    init(_ scheduler: VirtualScheduler?) { self.scheduler = scheduler }

    func append(_ event: Event<Element, Failure>) {
      entries.append(Entry(time: scheduler?.now ?? .zero, event: event))
    }
  }

  private let log: Log
  /// The subscription to the stream.
  public let subscription: Subscription

  private let clocks: [any Disposable]

  /// Observes `stream`.
  ///
  /// With a scheduler, the times of the events are recorded, and the scheduler is the default of the time-based operators in the
  /// stream until the recorder is deallocated, wherever they are observed. So that it also reaches shared streams, it is the
  /// default of everything else that the same task observes meanwhile: release the recorder, or pass `on:`, before the test
  /// waits for real time.
  ///
  /// The compiler passes `file` and `line`, which name the subscription in reports of leaks.
  public init<Source: StreamProtocol>(
    _ stream: Source, on scheduler: VirtualScheduler? = nil, file: StaticString = #fileID, line: UInt = #line
  )
  where Source.Element == Element, Source.Failure == Failure {
    let log = Log(scheduler)
    self.log = log
    let observe = { stream.observe(file: file, line: line) { log.append($0) } }
    guard let scheduler else {
      subscription = observe()
      clocks = []
      return
    }
    let here = RecordingClocks.add(scheduler)
    subscription = scheduler.run(observe)
    clocks = [here, RecordingClocks.add(scheduler, endingAt: subscription)]
  }

  deinit {
    subscription.dispose()
    for clock in clocks { clock.dispose() }
  }

  /// The events so far, with their times.
  public var entries: [Entry] { log.entries }

  /// The events so far.
  public var events: [Event<Element, Failure>] { log.entries.map(\.event) }

  /// The elements so far.
  public var elements: [Element] { log.entries.compactMap(\.event.element) }

  /// The times of the elements so far.
  public var elementTimes: [Duration] { log.entries.filter { !$0.event.isTermination }.map(\.time) }

  /// The end of the stream, or nil.
  public var termination: Termination<Failure>? {
    switch log.entries.last?.event {
    case .completed: .completed
    case .failed(let error): .failed(error)
    default: nil
    }
  }

  /// The time of the end, or nil.
  public var terminationTime: Duration? { termination == nil ? nil : log.entries.last?.time }

  /// True if the stream has completed.
  public var isCompleted: Bool {
    if case .completed = termination { return true }
    return false
  }

  /// The error of the failure, or nil.
  public var failure: Failure? { termination?.failure }

  /// Disposes the subscription.
  public func dispose() { subscription.dispose() }

  /// Pauses the subscription.
  public func pause() { subscription.pause() }

  /// Resumes the subscription.
  public func resume() { subscription.resume() }
}

@available(*, unavailable)
extension Recorder: Sendable {}

extension StreamProtocol {
  /// Observes the stream and records its events. With a scheduler, that is the default of the time-based operators in the stream.
  public func record(
    on scheduler: VirtualScheduler? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Recorder<Element, Failure> { Recorder(self, on: scheduler, file: file, line: line) }
}
