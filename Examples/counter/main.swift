import Headwater

// `counter`: a store, and a component that is connected to it.
//
//   swift run --package-path Examples counter                          then type +, -, undo, or quit, one on each line
//
// It prints "count: 0", and the new count after each change. What to learn from it: Counter.swift has the state, the actions,
// the reducer, and a component that receives only the part of the state that it selects.

let store = Store<CountState, CountAction>(reducer: CountState.reduce, state: CountState())
let counter = Counter(store) { print($0) }
counter.start()
while let line = readLine(), counter.enter(line) {}
