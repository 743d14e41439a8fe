import Headwater

// `counter`: a store, and a component that is connected to it. Reads `+`, `-`, `undo` and `quit`, a line each.

let store = Store<CountState, CountAction>(reducer: CountState.reduce, state: CountState())
let counter = Counter(store) { print($0) }
counter.start()
while let line = readLine(), counter.enter(line) {}
