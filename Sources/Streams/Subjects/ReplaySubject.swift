/// A hot stream into which you push, and which gives its last elements, and its end, to those who come late.
///
/// ```swift
/// let history = ReplaySubject<Int, Never>(bufferSize: 2)
/// for number in 1...3 { history.next(number) }
/// history.observeNext { print($0) }.dispose(in: bag)  // 2, 3
/// ```
///
/// Whoever observes gets the last `bufferSize` elements at once, fewer where there were fewer, then what is sent; after the
/// end, those elements and the end. Otherwise it behaves as `PushOperation`, re-entrant sends included.
///
/// Holds `bufferSize` elements as long as it lives, also after the end.
public final class ReplaySubject<Element, Failure: Error>: SubjectProtocol {
  @usableFromInline let replay: ReplayTable<Element, Failure>

  /// Makes one that remembers `bufferSize` elements, 0 or more.
  @inlinable
  public init(bufferSize: Int) {
    if bufferSize < 0 { misuse("ReplaySubject(bufferSize: \(bufferSize)): the size of a buffer is at least 0.") }
    replay = ReplayTable(limit: bufferSize)
  }

  deinit {
    let table = replay.table
    table.home.perform { table.removeAll() }
  }

  /// Delivers an element to all observers and remembers it.
  @inlinable
  public func next(_ element: Element) { replay.table.next(element) }

  /// Ends the stream as `termination` says.
  @inlinable
  public func terminate(_ termination: Termination<Failure>) { replay.table.terminate(termination) }

  /// The number of observers.
  public var observerCount: Int { replay.observerCount }

  /// See `StreamProtocol`.
  @inlinable
  public func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable { replay.subscribe(observer) }
}

@available(*, unavailable)
extension ReplaySubject: Sendable {}

/// A hot stream into which you push, and which gives its last element, and its end, to those who come late.
///
/// ```swift
/// let state = ReplayOneSubject<String, Never>()
/// state.next("ready")
/// state.observeNext { print($0) }.dispose(in: bag)  // ready
/// ```
///
/// The same as a `ReplaySubject` of size 1.
public final class ReplayOneSubject<Element, Failure: Error>: SubjectProtocol {
  @usableFromInline let replay: ReplayTable<Element, Failure>

  /// Makes one that has nothing to remember yet.
  @inlinable
  public init() { replay = ReplayTable(limit: 1) }

  deinit {
    let table = replay.table
    table.home.perform { table.removeAll() }
  }

  /// Delivers an element to all observers and remembers it instead of the one before.
  @inlinable
  public func next(_ element: Element) { replay.table.next(element) }

  /// Ends the stream as `termination` says.
  @inlinable
  public func terminate(_ termination: Termination<Failure>) { replay.table.terminate(termination) }

  /// The number of observers.
  public var observerCount: Int { replay.observerCount }

  /// See `StreamProtocol`.
  @inlinable
  public func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable { replay.subscribe(observer) }
}

@available(*, unavailable)
extension ReplayOneSubject: Sendable {}
