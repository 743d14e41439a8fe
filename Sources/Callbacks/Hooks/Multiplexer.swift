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
/// receive the end, and the next observer registers again. It also does after the source was deallocated without an end.
/// Observers receive elements in the order in which they subscribed.
///
/// A multiplexer is confined to the domain that creates it.
///
/// Ownership: source ===> its observer ===> Registration ===> the observers of the key's stream.
public final class Multiplexer<Key: Hashable, Element, Failure: Error> {
  /// Only the source's closures retain it, so it is deallocated with a source that vanishes.
  @usableFromInline
  final class Registration {
    @usableFromInline let subject = PushOperation<Element, Failure>()
    fileprivate var source: Subscription?
    fileprivate var hasBegun = false
    @usableFromInline var observers = 0
    private weak var multiplexer: Multiplexer?
    private let key: Key

    fileprivate init(_ multiplexer: Multiplexer, _ key: Key) {
      self.multiplexer = multiplexer
      self.key = key
    }

    deinit { multiplexer?.forget(key) }
  }

  private struct Entry {
    weak var registration: Registration?
  }

  private let source: (Key) -> Operation<Element, Failure>
  private let keepsRegistration: Bool
  private var registrations: [Key: Entry] = [:]

  /// Creates a multiplexer. `source` makes the stream of a key, which has at most one observer at a time.
  public init(keepsRegistration: Bool = false, _ source: @escaping (Key) -> Operation<Element, Failure>) {
    self.source = source
    self.keepsRegistration = keepsRegistration
  }

  deinit { for entry in registrations.values { entry.registration?.source?.dispose() } }

  /// The keys that are registered now.
  public var registeredKeys: [Key] { Array(registrations.keys) }

  /// Returns the stream that all observers of `key` share.
  @inlinable
  public func stream(for key: Key) -> Operation<Element, Failure> {
    Operation { [self] observer in
      let registration = registration(of: key)
      registration.observers += 1
      let place = registration.subject.subscribe(observer)
      connect(registration, key)
      return BlockDisposable { [self, weak registration] in
        place.dispose()
        if let registration { leave(registration, key) }
      }
    }
  }

  @usableFromInline
  func registration(of key: Key) -> Registration {
    if let registration = registrations[key]?.registration { return registration }
    let registration = Registration(self, key)
    registrations[key] = Entry(registration: registration)
    return registration
  }

  /// Registers, unless this was done for an earlier observer.
  @usableFromInline
  func connect(_ registration: Registration, _ key: Key) {
    if registration.hasBegun { return }
    registration.hasBegun = true
    let subscription = source(key).observe(
      next: { registration.subject.next($0) },
      termination: { [weak self] end in
        self?.remove(registration, key)
        registration.source = nil
        registration.subject.terminate(end)
      })
    if subscription.isOver { return }
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
    if registrations[key]?.registration === registration { registrations[key] = nil }
  }

  private func forget(_ key: Key) {
    if let entry = registrations[key], entry.registration == nil { registrations[key] = nil }
  }
}

@available(*, unavailable)
extension Multiplexer: Sendable {}
