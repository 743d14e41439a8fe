import Headwater

/// What can happen to the count.
enum CountAction {
  case increase
  case decrease
}

/// The program's state.
struct CountState: Equatable {
  var count = 0

  /// The only place in which the state changes.
  static func reduce(_ action: CountAction, _ state: CountState?) -> CountState {
    var state = state ?? CountState()
    switch action {
    case .increase: state.count += 1
    case .decrease: state.count -= 1
    }
    return state
  }
}

/// What the user sees and types: it knows its props and its actions, and nothing of the store.
final class Counter: Connectable {
  struct Props {
    let text: String
  }

  struct Actions {
    let increase: () -> Void
    let decrease: () -> Void
    /// False where there is nothing to undo.
    let undo: () -> Bool
  }

  let connection: Connection<CountState, CountAction, Props, Actions>
  private let write: (String) -> Void

  /// Makes a counter that shows itself by `write`, a line at a time, once it has started.
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

  /// Shows the count, now and whenever it changes.
  func start() {
    connection.connect()
    connection.subscribe(\.text) { [write] in write($0) }
  }

  /// Does what a line says. False when that is the end.
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
