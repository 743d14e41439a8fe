public import Streams
public import Testing

/// A source that emits what a line of marbles says, in virtual time, and remembers when it was observed.
///
/// A cold one plays its line for each observer, from the moment of observing; a hot one plays it once, from the moment it
/// is made or, where the line has a `^`, so that what stands before is in the past.
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
/// Made by `VirtualScheduler.cold` and `hot`; the signs are those of `Recorder.expect(_:_:)`. Confined to its test.
public final class MarbleSource<Element>: StreamProtocol {
  /// When an observer came and when it left.
  public struct Lifespan: Equatable, Sendable {
    /// The virtual time of observing.
    public let start: Duration
    /// The virtual time of the end or of disposal; nil while it is observed.
    public internal(set) var end: Duration?
  }

  /// Those who have observed it, in order.
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

  /// See `StreamProtocol`.
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
        // What comes at once comes while it is being observed.
        if time <= .zero {
          observer.send(event)
        } else {
          timers.add(scheduler.schedule(at: start + time) { observer.send(event) })
        }
      }
      return timers
    }
  }

  /// Records an issue unless the source has been observed as `lines` say, a line for each observer: `^` when it came, `!`
  /// when it left, no `!` while it observes.
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
    let text = { (lifespan: Lifespan) in "\(lifespan.start) … \(lifespan.end.map { "\($0)" } ?? "")" }
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
  /// A source that plays `marbles` for each observer, from the moment of observing. Its elements are the letters.
  ///
  /// A line that cannot be read traps with the reason.
  public func cold(
    _ marbles: String, error: TestError = "error", frame: Duration = .seconds(1)
  ) -> MarbleSource<String> {
    source(marbles, { String($0) }, error, frame, isHot: false)
  }

  /// A source that plays `marbles` for each observer, from the moment of observing. `values` tells what the letters mean.
  public func cold<Element>(
    _ marbles: String, _ values: [Character: Element], error: TestError = "error", frame: Duration = .seconds(1)
  ) -> MarbleSource<Element> {
    source(marbles, meaning(values, marbles), error, frame, isHot: false)
  }

  /// A source that plays `marbles` once, from now on, or from its `^`. Its elements are the letters.
  public func hot(
    _ marbles: String, error: TestError = "error", frame: Duration = .seconds(1)
  ) -> MarbleSource<String> {
    source(marbles, { String($0) }, error, frame, isHot: true)
  }

  /// A source that plays `marbles` once, from now on, or from its `^`. `values` tells what the letters mean.
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

/// A line, or an issue that says what is wrong with it.
func read(
  _ line: String, _ frame: Duration, _ sourceLocation: SourceLocation, keepsZero: Bool = false
) -> MarbleDiagram? {
  do { return try MarbleDiagram(line, frame: frame, keepsZero: keepsZero) } catch {
    Issue.record("\(error.description)", sourceLocation: sourceLocation)
    return nil
  }
}
