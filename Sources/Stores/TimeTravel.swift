internal import Streams

/// The history of a store's states, which can restore them.
///
/// ```swift
/// let travel = TimeTravel(store)
/// store.dispatch(.increase)
/// travel.back()
/// ```
///
/// It records the states after the actions that reach the reducer, in order. An action that is dispatched in a restored state deletes the later
/// states. Holds up to `limit` states. It does not retain the store.
public final class TimeTravel<State, Action> {
  private weak let store: Store<State, Action>?
  private let limit: Int
  private let history: History

  private final class History {
    var states: [(action: Action?, state: State)] = []
    var position = 0
  }

  /// Creates a history that begins with the current state of the store.
  public init(_ store: Store<State, Action>, limit: Int = 1000) {
    if limit < 1 { misuse("TimeTravel(_:limit: \(limit)): at least one state is remembered, the current one.") }
    let history = History()
    history.states = [(nil, store.state)]
    self.store = store
    self.limit = limit
    self.history = history
    // Not as middleware, because when that gets control back, subscribers were notified and can have dispatched other actions.
    let previous = store.didReduce
    store.didReduce = { [weak history] action, state in
      previous?(action, state)
      guard let history else { return }
      history.states.removeSubrange((history.position + 1)...)
      history.states.append((action, state))
      if history.states.count > limit { history.states.removeFirst() }
      history.position = history.states.count - 1
    }
  }

  /// The number of recorded states.
  public var count: Int { history.states.count }

  /// The position of the state that this history has recorded or restored last. The oldest state is 0.
  public var position: Int { history.position }

  /// The action that led to each state. The oldest state can have none.
  public var actions: [Action?] { history.states.map(\.action) }

  /// Restores a recorded state. Returns false if there is none at the position.
  @discardableResult
  public func go(to position: Int) -> Bool {
    guard history.states.indices.contains(position), let store else { return false }
    history.position = position
    store.setState(history.states[position].state)
    return true
  }

  /// Restores the previous state. Returns false at the oldest one.
  @discardableResult
  public func back() -> Bool { go(to: history.position - 1) }

  /// Restores the next state. Returns false at the newest one.
  @discardableResult
  public func forward() -> Bool { go(to: history.position + 1) }
}

@available(*, unavailable)
extension TimeTravel: Sendable {}
