internal import Streams

/// Remembers the states that a store has had, and goes back to them.
///
/// ```swift
/// let travel = TimeTravel(store)
/// store.dispatch(.increase)
/// travel.back()
/// ```
///
/// It sees what reaches the reducer, in that order. An action that comes while the store is in the past ends what came after that
/// moment. Holds `limit` states, as long as it lives. It does not keep the store.
public final class TimeTravel<State, Action> {
  private weak let store: Store<State, Action>?
  private let limit: Int
  private let history: History

  private final class History {
    var states: [(action: Action?, state: State)] = []
    var position = 0
  }

  /// Starts with the state that the store has now.
  public init(_ store: Store<State, Action>, limit: Int = 1000) {
    if limit < 1 { misuse("TimeTravel(_:limit: \(limit)): at least one state is remembered, the current one.") }
    let history = History()
    history.states = [(nil, store.state)]
    self.store = store
    self.limit = limit
    self.history = history
    // Not as middleware: while that waits for the reducer, subscribers have been told, and may have dispatched others.
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

  /// The number of states that are remembered.
  public var count: Int { history.states.count }

  /// Which of them the store has; the oldest is 0.
  public var position: Int { history.position }

  /// The actions that led from each state to the next. The oldest state may have none.
  public var actions: [Action?] { history.states.map(\.action) }

  /// Gives the store one of the states. False where there is none at that position.
  @discardableResult
  public func go(to position: Int) -> Bool {
    guard history.states.indices.contains(position), let store else { return false }
    history.position = position
    store.setState(history.states[position].state)
    return true
  }

  /// Goes one state back. False at the oldest.
  @discardableResult
  public func back() -> Bool { go(to: history.position - 1) }

  /// Goes one state forward. False at the newest.
  @discardableResult
  public func forward() -> Bool { go(to: history.position + 1) }
}

@available(*, unavailable)
extension TimeTravel: Sendable {}
