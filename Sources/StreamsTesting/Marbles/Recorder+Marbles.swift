import Streams
public import Testing

extension Recorder where Element: Equatable, Failure: Equatable {
  /// Records an issue unless the recorded events and their times are exactly those of `marbles`.
  ///
  /// The characters are: `-` one frame passes; a letter is an element and takes one frame; `|` completed; `#` failed; `(ab|)` several events in
  /// the frame of the opening parenthesis; ` 5s ` between spaces is that time; spaces align. A frame is one second of virtual time by
  /// default.
  ///
  /// - Parameters:
  ///   - marbles: The expected events.
  ///   - values: The elements of the letters.
  ///   - failure: The error of `#`, or nil for any error.
  ///   - frame: The length of a frame.
  ///   - sourceLocation: The place of the issue.
  public func expect(
    _ marbles: String, _ values: [Character: Element], failure: Failure? = nil, frame: Duration = .seconds(1),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let diagram = read(marbles, frame, sourceLocation) else { return }
    for case .element(let name) in diagram.entries.map(\.mark) where values[name] == nil {
      Issue.record("The marbles \"\(marbles)\" have a \(name) that has no value.", sourceLocation: sourceLocation)
      return
    }
    let first = first(diagram, values, failure)
    if first == entries.count, first == diagram.entries.count { return }
    let names = { (element: Element) in values.first { $0.value == element }.map { String($0.key) } ?? "\(element)" }
    let (wanted, came) = (
      diagram.entries.map { ($0.time, text($0.mark)) }, entries.map { ($0.time, text($0.event, names)) }
    )
    Issue.record("\(difference(wanted, came, frame: frame, from: first))", sourceLocation: sourceLocation)
  }

  /// The index of the first event that is not the expected one.
  private func first(_ diagram: MarbleDiagram, _ values: [Character: Element], _ failure: Failure?) -> Int {
    zip(diagram.entries, entries).prefix { expected, came in
      expected.time == came.time && matches(expected.mark, came.event, values, failure)
    }.count
  }

  private func matches(
    _ mark: MarbleDiagram.Mark, _ event: Event<Element, Failure>, _ values: [Character: Element], _ failure: Failure?
  ) -> Bool {
    switch (mark, event) {
    case (.element(let name), .next(let element)): values[name] == element
    case (.completed, .completed): true
    case (.failed, .failed(let error)): failure == nil || failure == error
    default: false
    }
  }

  private func text(_ mark: MarbleDiagram.Mark) -> String {
    switch mark {
    case .element(let name): String(name)
    case .completed: "|"
    case .failed: "#"
    case .observed: "^"
    case .disposed: "!"
    }
  }
}

extension Recorder where Element == String, Failure: Equatable {
  /// Records an issue unless exactly what `marbles` says has come, and when it says. Each letter is an element of that
  /// text.
  public func expect(
    _ marbles: String, failure: Failure? = nil, frame: Duration = .seconds(1),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let letters = Set(marbles).map { ($0, String($0)) }
    expect(
      marbles, Dictionary(uniqueKeysWithValues: letters), failure: failure, frame: frame,
      sourceLocation: sourceLocation)
  }
}

extension Recorder {
  /// What has come so far as a line of marbles: `--a-(bc)|`. An element whose name is longer than a letter stands between
  /// brackets. For comparison with the line of another recorder: events between two frames, or during the frames that a group
  /// takes, are written at the next free place. More than 40 empty frames are written as a time, ` 90s `.
  ///
  /// - Parameters:
  ///   - frame: The length of a frame.
  ///   - name: The letter for an element.
  public func marbles(frame: Duration = .seconds(1), _ name: (Element) -> String = { "\($0)" }) -> String {
    marbleLine(entries.map { ($0.time, text($0.event, name)) }, frame: frame)
  }

  func text(_ event: Event<Element, Failure>, _ name: (Element) -> String) -> String {
    switch event {
    case .next(let element):
      let name = name(element)
      return name.count == 1 ? name : "[\(name)]"
    case .completed: return "|"
    case .failed: return "#"
    }
  }

  /// Both lines of marbles below each other, and what is different first.
  func difference(
    _ wanted: [(time: Duration, text: String)], _ came: [(time: Duration, text: String)], frame: Duration,
    from first: Int
  ) -> String {
    let lines = (marbleLine(wanted, frame: frame), marbleLine(came, frame: frame))
    let column = zip(lines.0, lines.1).prefix { $0 == $1 }.count
    func event(_ events: [(time: Duration, text: String)]) -> String {
      first < events.count ? "\(events[first].text) at \(events[first].time)" : "nothing more"
    }
    return """
      Other events have come than the marbles tell.
      expected: \(lines.0)
      came:     \(lines.1)
                \(String(repeating: " ", count: column))^ expected \(event(wanted)), but \(event(came)) came
      """
  }

}

/// Events as a line of marbles. More than 40 empty frames are written as a time.
func marbleLine(_ events: [(time: Duration, text: String)], frame: Duration) -> String {
  var line = ""
  var column = Duration.zero
  var index = events.startIndex
  while index < events.endIndex {
    let time = events[index].time
    if time - column > frame * 40, let gap = written(time - column) {
      line += " \(gap) "
      column = time
    }
    while column < time {
      line += "-"
      column += frame
    }
    let end = events[index...].firstIndex { $0.time != time } ?? events.endIndex
    let texts = events[index..<end].map(\.text)
    if texts.count == 1 {
      line += texts[0]
      column += frame
    } else {
      line += "(" + texts.joined() + ")"
      column += frame * (texts.count + 2)
    }
    index = end
  }
  return line
}

/// A time as marbles have it, `5s` or `10ms`, or nil if it is no whole number of milliseconds.
private func written(_ time: Duration) -> String? {
  let (seconds, attoseconds) = time.components
  let (milliseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
  if rest != 0 { return nil }
  return milliseconds == 0 ? "\(seconds)s" : "\(seconds * 1000 + milliseconds)ms"
}
