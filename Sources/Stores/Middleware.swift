public import Streams

/// A function that receives each action before the reducer.
///
/// It receives `dispatch`, which starts at the beginning of the chain, and `state`, then `next`, which continues the chain. It can
/// forward an action, change it, drop it, or dispatch others.
///
/// ```swift
/// let doubling: Middleware<Int, Int> = { dispatch, state in { next in { action in next(action * 2) } } }
/// ```
public typealias Middleware<State, Action> = (
  _ dispatch: @escaping (Action) -> Void, _ state: @escaping () -> State?
) -> (_ next: @escaping (Action) -> Void) -> (Action) -> Void

/// Returns middleware that writes each action and the state after it as text.
///
/// The state is written after the subscribers have been notified. If one of them dispatches, the actions and states are nested. By default
/// it reports to `Diagnostics`, which writes to standard error.
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
