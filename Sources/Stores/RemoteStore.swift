internal import Streams

/// The Sendable end of a store: dispatches from any thread.
///
/// Actions reach the store at home, in the order in which one thread dispatched them. It does not end the store, but it keeps it.
public final class RemoteStore<State, Action: Sendable>: Sendable {
  private let store: Confined<Store<State, Action>>

  init(_ store: Confined<Store<State, Action>>) { self.store = store }

  /// Dispatches at home, later. False when home has closed.
  @discardableResult
  public func dispatch(_ action: Action) -> Bool { store.async { $0.dispatch(action) } }
}

extension Store where Action: Sendable {
  /// The end of this store for other threads. Made at home: on a loop's thread, on the main actor or in an actor.
  public func remote(isolation: isolated (any Actor)? = #isolation) -> RemoteStore<State, Action> {
    RemoteStore(Confined(self, isolation: isolation))
  }
}
