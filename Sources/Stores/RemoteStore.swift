internal import Streams

/// A Sendable reference to a store, which dispatches from any thread.
///
/// The store receives the actions in its home domain, in the order of one thread's calls. It retains the store.
public final class RemoteStore<State, Action: Sendable>: Sendable {
  private let store: Confined<Store<State, Action>>

  init(_ store: Confined<Store<State, Action>>) { self.store = store }

  /// Dispatches later, in the home domain. Returns false if the home has closed.
  @discardableResult
  public func dispatch(_ action: Action) -> Bool { store.async { $0.dispatch(action) } }
}

extension Store where Action: Sendable {
  /// Returns a reference to this store for other threads. Call it in the home domain: on a loop's thread, on the main actor, or
  /// in an actor.
  public func remote(isolation: isolated (any Actor)? = #isolation) -> RemoteStore<State, Action> {
    RemoteStore(Confined(self, isolation: isolation))
  }
}
