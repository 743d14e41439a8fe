public import Streams

/// Something that an owner reports: a click, a signal, a line that has arrived.
///
/// What the type guarantees:
/// - It cannot fail.
/// - It gives nothing at once: it is made of a `PushStream`, which has nothing to repeat.
/// - It completes when its owner goes, whom it does not keep.
/// - It delivers in the owner's domain: a push stream is confined to it.
public struct ControlEvent<Element>: StreamProtocol {
  private let events: Stream<Element>

  /// What `owner` sends through `push`. Keep `push` private to the owner.
  public init(_ push: PushStream<Element>, of owner: some LifetimeProviding) {
    self.init(push, during: owner.lifetime)
  }

  /// What is sent through `push` while `lifetime` lasts.
  public init(_ push: PushStream<Element>, during lifetime: Lifetime) { events = push.take(during: lifetime) }

  /// Made of another one: nothing that `stream` does may break the guarantees.
  private init(unchecked stream: Stream<Element>) { events = stream }

  /// The event with something else in it.
  public func map<NewElement>(_ transform: @escaping (Element) -> NewElement) -> ControlEvent<NewElement> {
    ControlEvent<NewElement>(unchecked: events.map(transform))
  }

  /// The events for which `isIncluded` is true.
  public func filter(_ isIncluded: @escaping (Element) -> Bool) -> ControlEvent {
    ControlEvent(unchecked: events.filter(isIncluded))
  }

  /// Without those for which `transform` gives nil.
  func compactMap<NewElement>(_ transform: @escaping (Element) -> NewElement?) -> ControlEvent<NewElement> {
    ControlEvent<NewElement>(unchecked: events.map(transform).ignoreNil())
  }

  /// See `StreamProtocol`.
  public func subscribe(_ observer: Observer<Element, Never>) -> any Disposable { events.subscribe(observer) }
}

@available(*, unavailable)
extension ControlEvent: Sendable {}
