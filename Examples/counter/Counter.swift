import Headwater

/// A change of the count.
enum CountAction {
  case increase
  case decrease
}

/// The program's state.
struct CountState: Equatable {
  var count = 0

  /// The reducer: the only function that changes the state.
  static func reduce(_ action: CountAction, _ state: CountState?) -> CountState {
    var state = state ?? CountState()
    switch action {
    case .increase: state.count += 1
    case .decrease: state.count -= 1
    }
    return state
  }
}

/// The component that shows the count and reads commands. It uses its props and actions, not the store.
final class Counter: Connectable {
  struct Props {
    let text: String
  }

  struct Actions {
    let increase: () -> Void
    let decrease: () -> Void
    /// Returns false if there is nothing to undo.
    let undo: () -> Bool
  }

  let connection: Connection<CountState, CountAction, Props, Actions>
  private let write: (String) -> Void

  /// Creates a counter that shows the count with `write`, one line at a time, once it has started.
  init(_ store: Store<CountState, CountAction>, write: @escaping (String) -> Void) {
    self.write = write
    let travel = TimeTravel(store)
    connection = Connection(
      store: store, mapStateToProps: { Props(text: "count: \($0.count)") },
      mapDispatchToActions: { dispatch in
        Actions(
          increase: { dispatch(.increase) }, decrease: { dispatch(.decrease) }, undo: { travel.back() })
      })
  }

  /// Shows the count now, and again after each change.
  func start() {
    connection.connect()
    connection.subscribe(\.text) { [write] in write($0) }
  }

  /// Runs the command in a line. Returns false if the command is `quit`.
  func enter(_ line: String) -> Bool {
    switch line {
    case "+": actions.increase()
    case "-": actions.decrease()
    case "undo": if !actions.undo() { write("nothing to undo") }
    case "quit": return false
    case "": break
    default: write("unknown: \(line); there are + - undo quit")
    }
    return true
  }
}
