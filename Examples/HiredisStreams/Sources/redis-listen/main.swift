// Prints the messages of channels of a Redis server, until Control-C: redis-listen HOST|SOCKET CHANNEL…
// If the connection is lost, it tries to connect again every 100 ms.
import EventLoops
import Glibc
import HiredisStreams
import Streams

/// Prints a line immediately. Ends the program if that fails, for example because the disk is full.
func say(_ line: String) {
  print(line)
  if fflush(nil) == 0 { return }
  perror("redis-listen: cannot write")
  exit(1)
}

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
  complain("usage: redis-listen HOST|SOCKET CHANNEL…")
  exit(64)
}
let bag = DisposeBag()
let server = arguments[1]

(server.hasPrefix("/") ? Operation.redis(path: server) : .redis(host: server))
  .flatMapLatest { connection in Operation.merge(arguments.dropFirst(2).map { connection.messages(on: $0) }) }
  .doOn(failed: { complain("redis-listen: \($0); trying again") })
  .retry(.max, delay: .milliseconds(100))
  .observeNext { say("\($0.channel): \($0.text)") }
  .dispose(in: bag)

Operation.signal(.interrupt).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
Loop.main.run()
bag.dispose()
Loop.main.shutdown()
