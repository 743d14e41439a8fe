public import Streams

/// A stream of events that an owner reports, such as clicks, signals, or lines.
///
/// - It cannot fail.
/// - It replays nothing.
/// - It completes when its owner is deallocated, and does not retain the owner.
/// - It delivers in the owner's domain.
public struct ControlEvent<Element>: StreamProtocol {
  private let events: Stream<Element>

  /// Creates an event of the elements that `owner` sends through `push`. Keep `push` private to the owner.
  public init(_ push: PushStream<Element>, of owner: some LifetimeProviding) {
    self.init(push, during: owner.lifetime)
  }

  /// Creates an event of the elements that are sent through `push` until `lifetime` ends.
  public init(_ push: PushStream<Element>, during lifetime: Lifetime) { events = push.take(during: lifetime) }

  /// Creates an event of a stream, which must keep the guarantees.
  private init(unchecked stream: Stream<Element>) { events = stream }

  /// Transforms each element.
  public func map<NewElement>(_ transform: @escaping (Element) -> NewElement) -> ControlEvent<NewElement> {
    ControlEvent<NewElement>(unchecked: events.map(transform))
  }

  /// Emits the elements for which `isIncluded` returns true.
  public func filter(_ isIncluded: @escaping (Element) -> Bool) -> ControlEvent {
    ControlEvent(unchecked: events.filter(isIncluded))
  }

  /// Emits the results of `transform` that are not nil.
  func compactMap<NewElement>(_ transform: @escaping (Element) -> NewElement?) -> ControlEvent<NewElement> {
    ControlEvent<NewElement>(unchecked: events.map(transform).ignoreNil())
  }

  /// Adds an observer, and returns its subscription.
  public func subscribe(_ observer: Observer<Element, Never>) -> any Disposable { events.subscribe(observer) }
}

@available(*, unavailable)
extension ControlEvent: Sendable {}
