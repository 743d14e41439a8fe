public import Streams
public import Testing

/// A source that emits the events of a marble diagram in virtual time, and records when it was observed.
///
/// A cold source plays its diagram for each observer, from the time of observing. A hot source plays it once, from its creation; if the diagram
/// has a `^`, the events before it are in the past.
///
/// ```swift
/// let scheduler = VirtualScheduler()
/// let letters = scheduler.cold("-a-b-c|")
/// let stop = scheduler.hot("----x")
/// let recorder = letters.take(until: stop).record(on: scheduler)
/// scheduler.run()
/// recorder.expect("-a-b|")
/// letters.expectSubscriptions("^---!")
/// ```
///
/// Create one with `VirtualScheduler.cold` or `hot`. The characters are those of `Recorder.expect(_:_:)`. Confined to its test.
public final class MarbleSource<Element>: StreamProtocol {
  /// The times at which an observer subscribed and left.
  public struct Lifespan: Equatable, Sendable {
    /// The virtual time of observing.
    public let start: Duration
    /// The virtual time of the end or of disposal, or nil while it has not ended.
    public internal(set) var end: Duration?
  }

  /// The observers so far, in order.
  public private(set) var lifespans: [Lifespan] = []
  private let scheduler: VirtualScheduler
  private let events: [(time: Duration, event: Event<Element, TestError>)]
  private let hot: PushOperation<Element, TestError>?
  private let frame: Duration

  init(
    _ scheduler: VirtualScheduler, _ diagram: MarbleDiagram, _ values: (Character) -> Element, _ error: TestError,
    frame: Duration, isHot: Bool
  ) {
    self.scheduler = scheduler
    self.frame = frame
    events = diagram.entries.compactMap { entry in
      switch entry.mark {
      case .element(let name): (entry.time, .next(values(name)))
      case .completed: (entry.time, .completed)
      case .failed: (entry.time, .failed(error))
      case .observed, .disposed: nil
      }
    }
    hot = isHot ? PushOperation() : nil
    guard let hot else { return }
    let start = scheduler.now
    for (time, event) in events where time >= .zero {
      _ = scheduler.schedule(at: start + time) { hot.send(event) }
    }
  }

  /// Adds an observer, and returns its subscription.
  public func subscribe(_ observer: Observer<Element, TestError>) -> any Disposable {
    let index = lifespans.count
    lifespans.append(Lifespan(start: scheduler.now))
    let source = hot.map { $0.toOperation() } ?? played
    return source.doOn(disposed: { [weak self] in self?.didEnd(index) }).subscribe(observer)
  }

  private func didEnd(_ index: Int) { lifespans[index].end = scheduler.now }

  private var played: Operation<Element, TestError> {
    let (scheduler, events) = (scheduler, events)
    return Operation { observer in
      let timers = CompositeDisposable()
      let start = scheduler.now
      for (time, event) in events {
        // Events at time zero are sent during the call of observe.
        if time <= .zero {
          observer.send(event)
        } else {
          timers.add(scheduler.schedule(at: start + time) { observer.send(event) })
        }
      }
      return timers
    }
  }

  /// Records an issue unless the source was observed as `lines` describe, one line for each observer: `^` when it subscribed, `!` when it
  /// left, and no `!` while it still observes.
  public func expectSubscriptions(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    let expected = lines.compactMap { line -> Lifespan? in
      guard let diagram = read(line, frame, sourceLocation, keepsZero: true) else { return nil }
      let start = diagram.entries.first { $0.mark == .observed }?.time
      let end = diagram.entries.first { $0.mark == .disposed }?.time
      guard let start else {
        Issue.record("The line \"\(line)\" has no ^: when is the source observed?", sourceLocation: sourceLocation)
        return nil
      }
      return Lifespan(start: start, end: end)
    }
    if expected.count != lines.count || expected == lifespans { return }
    let text = { [frame] (lifespan: Lifespan) in
      marbleLine([(lifespan.start, "^")] + (lifespan.end.map { [($0, "!")] } ?? []), frame: frame)
    }
    Issue.record(
      """
      The source has been observed otherwise than expected.
      expected: \(expected.map(text).joined(separator: ", "))
      observed: \(lifespans.map(text).joined(separator: ", "))
      """, sourceLocation: sourceLocation)
  }
}

@available(*, unavailable)
extension MarbleSource: Sendable {}

extension VirtualScheduler {
  /// Returns a source that plays `marbles` for each observer, from the time of observing. Its elements are the letters.
  ///
  /// Traps with the reason if the line cannot be read.
  public func cold(
    _ marbles: String, error: TestError = "error", frame: Duration = .seconds(1)
  ) -> MarbleSource<String> {
    source(marbles, { String($0) }, error, frame, isHot: false)
  }

  /// Returns a source that plays `marbles` for each observer, from the time of observing. `values` has the elements of the letters.
  public func cold<Element>(
    _ marbles: String, _ values: [Character: Element], error: TestError = "error", frame: Duration = .seconds(1)
  ) -> MarbleSource<Element> {
    source(marbles, meaning(values, marbles), error, frame, isHot: false)
  }

  /// Returns a source that plays `marbles` once, from now or from its `^`. Its elements are the letters.
  public func hot(
    _ marbles: String, error: TestError = "error", frame: Duration = .seconds(1)
  ) -> MarbleSource<String> {
    source(marbles, { String($0) }, error, frame, isHot: true)
  }

  /// Returns a source that plays `marbles` once, from now or from its `^`. `values` has the elements of the letters.
  public func hot<Element>(
    _ marbles: String, _ values: [Character: Element], error: TestError = "error", frame: Duration = .seconds(1)
  ) -> MarbleSource<Element> {
    source(marbles, meaning(values, marbles), error, frame, isHot: true)
  }

  private func source<Element>(
    _ marbles: String, _ values: (Character) -> Element, _ error: TestError, _ frame: Duration, isHot: Bool
  ) -> MarbleSource<Element> {
    do {
      let diagram = try MarbleDiagram(marbles, frame: frame)
      if !isHot, diagram.entries.contains(where: { $0.mark == .observed }) {
        fatalError("The marbles \"\(marbles)\" have a ^: a cold source has no past. Use hot(_:), or leave it out.")
      }
      return MarbleSource(self, diagram, values, error, frame: frame, isHot: isHot)
    } catch { fatalError(error.description) }
  }

  private func meaning<Element>(_ values: [Character: Element], _ marbles: String) -> (Character) -> Element {
    { name in
      guard let value = values[name] else {
        fatalError("The marbles \"\(marbles)\" have a \(name) that has no value: add it to the dictionary.")
      }
      return value
    }
  }
}

/// Reads a line, or records an issue with the reason.
func read(
  _ line: String, _ frame: Duration, _ sourceLocation: SourceLocation, keepsZero: Bool = false
) -> MarbleDiagram? {
  do { return try MarbleDiagram(line, frame: frame, keepsZero: keepsZero) } catch {
    Issue.record("\(error.description)", sourceLocation: sourceLocation)
    return nil
  }
}
