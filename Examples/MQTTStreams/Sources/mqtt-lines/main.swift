// Publishes the lines of standard input, or prints messages. Printing connects again if the broker is lost; publishing ends.
import EventLoops
import Glibc
import MQTTStreams
import Streams

/// Prints a line immediately. Ends the program if that fails, for example because the disk is full.
func say(_ line: String) {
  print(line)
  if fflush(nil) == 0 { return }
  perror("mqtt-lines: cannot write")
  exit(1)
}

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

let arguments = CommandLine.arguments
guard arguments.count >= 5, let port = Int32(arguments[3]), ["publish", "watch"].contains(arguments[1]) else {
  complain("usage: mqtt-lines publish HOST PORT TOPIC <lines\n       mqtt-lines watch HOST PORT FILTER [COUNT]")
  exit(64)
}
let broker = MQTTBroker(arguments[2], port: port)
let bag = DisposeBag()
var status: Int32 = 0
var isOver = false

func end(_ termination: Termination<MQTTError>) {
  if case .failed(let error) = termination {
    complain("mqtt-lines: \(error)")
    status = 1
  }
  // The end may come before the loop runs.
  isOver = true
  Loop.main.stop()
}

if arguments[1] == "publish" {
  // The window pauses the sequence, so lines are read only as fast as the broker acknowledges them.
  let lines = Stream.sequence(
    AnyIterator {
      // At the end of the input, `readLine` would not return if errno were still EINTR.
      errno = 0
      let line = readLine()
      if line == nil, errno != 0 {
        complain("mqtt-lines: cannot read: \(String(cString: strerror(errno)))")
        status = 1
      }
      return line
    })
  lines.map { MQTTMessage(arguments[4], $0) }
    .publish(to: broker)
    .observe(next: { _ in }, termination: end)
    .dispose(in: bag)
} else {
  let count = arguments.count > 5 ? Int(arguments[5]) : nil
  broker.messages(arguments[4])
    .doOn(failed: { complain("mqtt-lines: \($0); trying again") })
    .retry(.max, delay: .seconds(1))
    .take(count ?? .max)
    .observe(next: { say("\($0.topic): \($0.text)") }, termination: end)
    .dispose(in: bag)
}

// Messages from another thread do not keep the loop running, so a timer does.
let presence = try TimerHandle()
presence.start(after: .seconds(3600), every: .seconds(3600)) {}
if !isOver { Loop.main.run() }
bag.dispose()
Loop.main.shutdown()
exit(status)
