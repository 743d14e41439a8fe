public import Streams

/// What actions pass through on their way to the reducer.
///
/// It gets `dispatch`, which starts at the beginning of the chain, and `state`; then `next`, which goes on with the chain. It may
/// pass an action on, change it, swallow it, or dispatch others.
///
/// ```swift
/// let doubling: Middleware<Int, Int> = { dispatch, state in { next in { action in next(action * 2) } } }
/// ```
public typealias Middleware<State, Action> = (
  _ dispatch: @escaping (Action) -> Void, _ state: @escaping () -> State?
) -> (_ next: @escaping (Action) -> Void) -> (Action) -> Void

/// Middleware that tells of each action and of the state that it leads to, as text.
///
/// The state is the one when subscribers have been told: where one of them dispatches, the actions and states are nested.
/// The default goes to `Diagnostics`, which writes to standard error.
public func actionLogging<State, Action>(
  _ write: @escaping (String) -> Void = { line in Diagnostics.report(line) }
) -> Middleware<State, Action> {
  { _, state in
    { next in
      { action in
        write("action: \(action)")
        next(action)
        if let state = state() { write("state: \(state)") }
      }
    }
  }
}
