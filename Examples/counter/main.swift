import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `counter`: a store, and a component that is connected to it.
//
//   swift run --package-path Examples counter                          then type +, -, undo, or quit, one on each line
//
// It prints "count: 0", and the new count after each change. What to learn from it: Counter.swift has the state, the actions,
// the reducer, and a component that receives only the part of the state that it selects.
//
// Exit codes: 0 after quit or the end of the input, 1 if it cannot read or write.

let store = Store<CountState, CountAction>(reducer: CountState.reduce, state: CountState())
let counter = Counter(store, write: say)
counter.start()
// An error also ends the lines.
errno = 0
while let line = readLine(), counter.enter(line) { errno = 0 }
if errno != 0 {
  perror("counter: cannot read")
  exit(1)
}

/// Prints a line immediately. Ends the program if that fails, for example because the disk is full.
func say(_ line: String) {
  print(line)
  if fflush(nil) == 0 { return }
  // A reader that has closed the pipe has seen enough.
  if errno != EPIPE { perror("counter: cannot write") }
  exit(1)
}
