import Properties
import Stores
import Streams
import StreamsTesting
import Testing

/// `Connection` and `Connectable`: props that follow a store, and actions that dispatch.
@Suite("Connection", .noLiveResources) struct ConnectionTests {
  private struct State {
    var text = "a"
    var numbers = [1, 2]
    var other = 0
  }

  private struct Props {
    let text: String
    let numbers: [Int]
  }

  private struct Actions {
    let setText: (String) -> Void
    let touch: () -> Void
  }

  private enum Change {
    case text(String)
    case numbers([Int])
    case other
  }

  private typealias AppStore = Store<State, Change>

  private static func makeStore(_ text: String = "a") -> AppStore {
    AppStore(
      reducer: { change, state in
        var state = state ?? State()
        switch change {
        case .text(let text): state.text = text
        case .numbers(let numbers): state.numbers = numbers
        case .other: state.other += 1
        }
        return state
      }, state: State(text: text))
  }

  private final class Field: Connectable {
    let connection: Connection<State, Change, Props, Actions>
    var text = "" { didSet { writes += 1 } }
    var optional: String?
    var writes = 0

    init(_ store: AppStore) {
      connection = Connection(
        store: store, mapStateToProps: { Props(text: $0.text, numbers: $0.numbers) },
        mapDispatchToActions: { dispatch in
          Actions(setText: { dispatch(.text($0)) }, touch: { dispatch(.other) })
        })
    }
  }

  @Test func `props and actions are there before it connects; the props do not follow`() {
    let store = Self.makeStore()
    let field = Field(store)
    #expect(field.props.text == "a")
    field.actions.setText("b")
    #expect(store.state.text == "b")
    #expect(field.props.text == "a")
    #expect(!field.connection.isConnected)
  }

  @Test func `connected they follow, disconnected they stop; both are idempotent`() {
    let store = Self.makeStore()
    let field = Field(store)
    field.connection.connect()
    field.connection.connect()
    #expect(field.connection.isConnected)
    field.actions.setText("b")
    #expect(field.props.text == "b")
    field.connection.disconnect()
    field.connection.disconnect()
    field.actions.setText("c")
    #expect(field.props.text == "b")
    field.connection.connect()
    #expect(field.props.text == "c")
    field.connection.disconnect()
  }

  @Test func `a connection that goes is disconnected, and is not kept`() {
    let store = Self.makeStore()
    var field: Field? = Field(store)
    weak let connection = field?.connection
    field?.connection.connect()
    field?.connection.bind(\.text, to: Property(""))
    field = nil
    #expect(connection == nil)
    store.dispatch(.text("b"))
  }

  @Test func `subscribe calls now and when that entry changes`() {
    let store = Self.makeStore()
    let field = Field(store)
    var (texts, numbers): ([String], [[Int]]) = ([], [])
    field.connection.subscribe(\.text) { texts.append($0) }
    field.connection.subscribe(\.numbers) { numbers.append($0) }
    field.connection.connect()
    field.actions.touch()
    field.actions.setText("b")
    store.dispatch(.numbers([1, 2]))
    store.dispatch(.numbers([3]))
    #expect(texts == ["a", "b"])
    #expect(numbers == [[1, 2], [3]])
    field.connection.disconnect()
  }

  @Test func `bind gives an entry to a target, mapped, optional or not`() {
    let store = Self.makeStore()
    let field = Field(store)
    let count = Property(0)
    field.connection.bind(\.text, to: Reactive(field)[\.text])
    field.connection.bind(\.text, to: Reactive(field)[\.optional])
    field.connection.bind(\.numbers, to: count) { $0.count }
    field.connection.connect()
    field.actions.touch()
    field.actions.setText("b")
    store.dispatch(.numbers([1, 2, 3]))
    #expect((field.text, field.optional, count.value, field.writes) == ("b", "b", 3, 2))
    field.connection.disconnect()
  }

  @Test func `a function may bind the stream of an entry`() {
    let store = Self.makeStore()
    let field = Field(store)
    var lists: [[Int]] = []
    field.connection.bind(\.numbers) { stream in stream.observeNext { lists.append($0) } }
    field.connection.connect()
    store.dispatch(.numbers([7]))
    #expect(lists == [[1, 2], [7]])
    field.connection.disconnect()
  }

  @Test func `another store makes the actions anew and moves what is connected`() {
    let (one, two) = (Self.makeStore("one"), Self.makeStore("two"))
    let field = Field(one)
    field.connection.store = two
    #expect(field.props.text == "one")
    field.connection.connect()
    #expect(field.props.text == "two")
    field.connection.store = one
    #expect(field.props.text == "one")
    field.actions.setText("changed")
    #expect((one.state.text, two.state.text, field.props.text) == ("changed", "two", "changed"))
    two.dispatch(.text("unseen"))
    #expect(field.props.text == "changed")
    field.connection.disconnect()
  }

  @Test func `tests set props and actions`() {
    let field = Field(Self.makeStore())
    var set: [String] = []
    field.connection.subscribe(\.text) { set.append($0) }
    field.props = Props(text: "test", numbers: [])
    field.actions = Actions(setText: { set.append("action \($0)") }, touch: {})
    field.actions.setText("x")
    #expect(set == ["a", "test", "action x"])
    field.connection.newState(state: State())
    #expect(field.props.text == "a")
  }

  @Test func `an entry that is not Equatable is compared by a closure`() {
    let field = Field(Self.makeStore())
    let record = field.connection.propsEntry(at: \.numbers, isEqual: { $0.count == $1.count }).record()
    field.props = Props(text: "", numbers: [5, 6])
    field.props = Props(text: "", numbers: [5])
    #expect(record.elements == [[1, 2], [5]])
  }
}
