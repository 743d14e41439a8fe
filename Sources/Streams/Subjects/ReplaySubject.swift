/// A hot stream that you send to, and that replays its last elements and its end to late observers.
///
/// ```swift
/// let history = ReplaySubject<Int, Never>(bufferSize: 2)
/// for number in 1...3 { history.next(number) }
/// history.observeNext { print($0) }.dispose(in: bag)  // 2, 3
/// ```
///
/// A new observer receives up to `bufferSize` of the last elements immediately, then later elements. After the end, it receives these
/// elements and the end. Elements that are sent during a delivery are delivered after it, to all observers in order.
///
/// Holds up to `bufferSize` elements until its deallocation, even after the end.
public class ReplaySubject<Element, Failure: Error>: SubjectProtocol {
  @usableFromInline final let table: ObserverTable<Element, Failure>

  /// Creates a subject that replays `bufferSize` elements. Traps if `bufferSize` is negative.
  @inlinable
  public init(bufferSize: Int) {
    if bufferSize < 0 { misuse("ReplaySubject(bufferSize: \(bufferSize)): the size of a buffer is at least 0.") }
    table = ObserverTable(replaying: bufferSize)
  }

  deinit {
    let table = table
    table.home.perform { table.removeAll() }
  }

  /// Delivers an element to all observers, and stores it for late observers.
  @inlinable
  public final func next(_ element: Element) { table.nextStored(element) }

  /// Completes or fails the stream.
  @inlinable
  public final func terminate(_ termination: Termination<Failure>) { table.terminate(termination) }

  /// The number of observers.
  public final var observerCount: Int { table.observerCount }

  /// Adds an observer, and returns its subscription.
  @inlinable
  public final func subscribe(_ observer: Observer<Element, Failure>) -> any Disposable { table.replay(to: observer) }
}

@available(*, unavailable)
extension ReplaySubject: Sendable {}

/// A hot stream that you send to, and that replays its last element and its end to late observers.
///
/// ```swift
/// let state = ReplayOneSubject<String, Never>()
/// state.next("ready")
/// state.observeNext { print($0) }.dispose(in: bag)  // ready
/// ```
///
/// Holds one element.
public final class ReplayOneSubject<Element, Failure: Error>: ReplaySubject<Element, Failure> {
  /// Creates a subject without an element.
  @inlinable
  public init() { super.init(bufferSize: 1) }
}
