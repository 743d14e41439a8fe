// Prints the notifications of a PostgreSQL server, until Control-C: pg-listen "dbname=notes" CHANNEL…
// If the connection is lost, it tries to connect again every second.
import EventLoops
import Glibc
import PostgresStreams
import Streams

/// Prints a line immediately. Ends the program if that fails, for example because the disk is full.
func say(_ line: String) {
  print(line)
  if fflush(nil) == 0 { return }
  perror("pg-listen: cannot write")
  exit(1)
}

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
  complain("usage: pg-listen PARAMETERS CHANNEL…")
  exit(64)
}
let bag = DisposeBag()

Operation.postgres(arguments[1])
  .flatMapLatest { connection in
    connection.notices.observeNext { say("\($0.severity): \($0.message)") }.dispose(in: bag)
    // The closure of `doOn` retains the connection until its notifications end or are disposed.
    return Operation.merge(arguments.dropFirst(2).map { connection.notifications(on: $0) })
      .doOn(disposed: { connection.close() })
  }
  .doOn(failed: { complain("pg-listen: \($0); trying again") })
  .retry(.max, delay: .seconds(1))
  .observeNext { say("\($0.channel): \($0.payload)") }
  .dispose(in: bag)

Operation.signal(.interrupt).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
Loop.main.run()
bag.dispose()
Loop.main.shutdown()
