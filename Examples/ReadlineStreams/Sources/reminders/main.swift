// A prompt and timers on one loop: `in SECONDS TEXT` prints a reminder, even while the user types the next line.
import Delegates
import EventLoops
import Glibc
import ReadlineStreams
import Streams

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

let editor = LineEditor()
let bag = DisposeBag()
let signals = DisposeBag()
var pending: [Int: String] = [:]
var count = 0

func remind(of text: String, in seconds: Int) {
  count += 1
  let number = count
  pending[number] = text
  Stream.just(text).delay(for: .seconds(seconds)).observeNext { text in
    pending[number] = nil
    editor.show("\u{7}*** \(text)")
  }.dispose(in: bag)
}

func quit() {
  bag.dispose()
  signals.dispose()
}

func obey(_ line: String) {
  let words = line.split(separator: " ", maxSplits: 2).map(String.init)
  switch words.first {
  case "in" where words.count == 3 && Int(words[1]) != nil: remind(of: words[2], in: Int(words[1]) ?? 0)
  case "list": for (number, text) in pending.sorted(by: { $0.key < $1.key }) { print("\(number). \(text)") }
  case "quit": quit()
  case nil: return
  default: print("in SECONDS TEXT, list, or quit")
  }
  editor.remember(line)
}

try editor.completions.answer { request in
  request.offset == 0 ? ["in ", "list", "quit"].filter { $0.hasPrefix(request.word) } : []
}.dispose(in: bag)
editor.lines(prompt: "remind> ").observe(
  next: { obey($0) },
  termination: { end in
    if case .failed(let error) = end { complain("reminders: \(error)") }
    signals.dispose()
  }
).dispose(in: bag)
Operation.signal(.windowChange).observeNext { _ in editor.resize() }.dispose(in: signals)
Operation.signal(.interrupt).observeNext { _ in quit() }.dispose(in: signals)

// Runs until the input has ended and no reminder is pending.
Loop.main.run()
print()
