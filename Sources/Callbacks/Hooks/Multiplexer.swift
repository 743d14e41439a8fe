public import Streams

/// A registration that any number of observers share, for a library that accepts only one callback for an object (K1) or for
/// the process (K2).
///
/// ```swift
/// let events = Multiplexer<OpaquePointer, DatabaseEvent, DatabaseError> { connection in databaseEvents(connection) }
///
/// events.stream(for: connection).observeNext { … }        // registers
/// events.stream(for: connection).observeNext { … }        // does not
/// ```
///
/// The first observer of a key's stream observes the source. When the last observer is disposed, the source is disposed,
/// unless `keepsRegistration` is true, which is for libraries that cannot unregister. When the source ends, all observers
/// receive the end, and the next observer registers again. Observers receive elements in the order in which they
/// subscribed.
///
/// A multiplexer is confined to the domain that creates it.
public final class Multiplexer<Key: Hashable, Element, Failure: Error> {
  @usableFromInline
  final class Registration {
    @usableFromInline let subject = PushOperation<Element, Failure>()
    @usableFromInline var source: Subscription?
    @usableFromInline var observers = 0

    @inlinable
    init() {}
  }

  private let source: (Key) -> Operation<Element, Failure>
  private let keepsRegistration: Bool
  @usableFromInline var registrations: [Key: Registration] = [:]

  /// Creates a multiplexer. `source` makes the stream of a key, which has at most one observer at a time.
  public init(keepsRegistration: Bool = false, _ source: @escaping (Key) -> Operation<Element, Failure>) {
    self.source = source
    self.keepsRegistration = keepsRegistration
  }

  deinit { for registration in registrations.values { registration.source?.dispose() } }

  /// The keys that are registered now.
  public var registeredKeys: [Key] { Array(registrations.keys) }

  /// Returns the stream that all observers of `key` share.
  @inlinable
  public func stream(for key: Key) -> Operation<Element, Failure> {
    Operation { [self] observer in
      let registration = registrations[key] ?? Registration()
      registration.observers += 1
      let isFirst = registrations.updateValue(registration, forKey: key) == nil
      let place = registration.subject.observe(
        next: { observer.next($0) }, termination: { observer.terminate($0) })
      if isFirst { connect(registration, key) }
      return BlockDisposable { [self] in
        place.dispose()
        leave(registration, key)
      }
    }
  }

  @usableFromInline
  func connect(_ registration: Registration, _ key: Key) {
    let subscription = source(key).observe(
      next: { registration.subject.next($0) },
      termination: { [weak self] end in
        self?.remove(registration, key)
        registration.source = nil
        registration.subject.terminate(end)
      })
    if subscription.isDisposed { return }
    registration.source = subscription
    // All observers may have been disposed during the call of observe.
    if registration.observers == 0 { end(registration, key) }
  }

  @usableFromInline
  func leave(_ registration: Registration, _ key: Key) {
    registration.observers -= 1
    if registration.observers == 0 { end(registration, key) }
  }

  private func end(_ registration: Registration, _ key: Key) {
    guard let source = registration.source, !keepsRegistration else { return }
    remove(registration, key)
    registration.source = nil
    source.dispose()
  }

  private func remove(_ registration: Registration, _ key: Key) {
    if registrations[key] === registration { registrations[key] = nil }
  }
}

@available(*, unavailable)
extension Multiplexer: Sendable {}
