import ArgumentParser
import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `stream-top`: shows what the streams of another program do while it runs, as `top` does for processes.
//
//   swift run --package-path Examples stream-top /tmp/events
//   HEADWATER_TRACE=unix:/tmp/events some-program     (built with the trait Tracing)
//
// What to learn from it: a local socket whose lines are parsed and counted, a terminal in raw mode, and a picture that a timer
// draws. On a terminal, it shows the newest state twice a second: `s` changes the order, `q` ends it. Otherwise it prints the
// last state when the recorded program has ended.
//
// Exit codes: 1 if the socket cannot be used, 64 for wrong arguments.

struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stream-top", abstract: "Show what the streams of a running program do.",
    discussion: "Start it first, then the program with HEADWATER_TRACE=unix:SOCKET. It is built with the trait Tracing."
  )

  @Argument(help: "The path of the local socket on which it listens.")
  var socket: String
}

let options = Options.parseOrExit()
let isTerminal = isatty(1) != 0 && isatty(0) != 0
let bag = DisposeBag()
var activity = Activity()
var order = Table.Order.rate
var size = WindowSize(columns: 100, rows: 40)
var lastLook = ContinuousClock.now
let period = Duration.milliseconds(500)

func draw() {
  let now = ContinuousClock.now
  let seconds = max((now - lastLook) / .seconds(1), 0.001)
  var lines = Table(activity, over: seconds, by: order, columns: size.columns).lines
  lines.insert("s: order (\(order.name)), q: quit", at: 1)
  // Each line is cleared to its end, and then everything below, so that nothing flickers.
  let text = lines.prefix(size.rows - 1).map { $0 + "\u{1b}[K\r\n" }.joined()
  write("\u{1b}[H" + text + "\u{1b}[J")
  activity.look()
  lastLook = now
}

func write(_ text: String) {
  print(text, terminator: "")
  fflush(nil)
}

func fail(_ error: any Error) -> Never {
  if isTerminal { TTYHandle.resetMode() }
  let text = "stream-top: \(error)\n"
  _ = text.withCString { write(2, $0, strlen($0)) }
  exit(1)
}

do {
  let listener = try PipeListener(on: SocketAddress(path: options.socket), permissions: 0o600)
  listener.dispose(in: bag)
  // One program at a time: the next one begins anew.
  listener.connections.flatMap(.latest) { connection in
    connection.bytes.lines().materialize().doOn(
      start: { activity.begin() }, disposed: { connection.dispose() })
  }.observe(
    next: { event in
      switch event {
      case .next(let line): if let event = Event(line: line) { activity.add(event) }
      case .completed, .failed:
        activity.end()
        if !isTerminal {
          let seconds = max((ContinuousClock.now - lastLook) / .seconds(1), 0.001)
          write(Table(activity, over: seconds, by: .total).lines.joined(separator: "\n") + "\n")
        }
      }
    },
    termination: { end in if case .failed(let error) = end { fail(error) } }
  ).dispose(in: bag)
} catch {
  fail(error)
}

if isTerminal {
  do {
    let terminal = try TTYHandle(descriptor: 0)
    terminal.dispose(in: bag)
    try terminal.setMode(.raw)
    size = try terminal.windowSize()
    terminal.sizes.observeNext {
      size = $0
      draw()
    }.dispose(in: bag)
    terminal.bytes.observeNext { keys in
      for key in keys {
        switch key {
        case UInt8(ascii: "q"), 3: Loop.main.stop()
        case UInt8(ascii: "s"):
          order = order.next
          draw()
        default: break
        }
      }
    }.dispose(in: bag)
  } catch {
    fail(error)
  }
  // The other screen, without a cursor, so that the text of the shell is there again afterwards.
  write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J")
  Stream.interval(period).observeNext { _ in draw() }.dispose(in: bag)
  draw()
}
Operation<Signal, UVError>.signal(.terminate).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
Loop.main.run()
bag.dispose()
if isTerminal { write("\u{1b}[?25h\u{1b}[?1049l") }
