// Prints the notifications of a PostgreSQL server, until Control-C: pg-listen "dbname=notes" CHANNEL…
// If the connection is lost, it tries to connect again every second.
import EventLoops
import Glibc
import PostgresStreams
import Streams

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
  print("usage: pg-listen PARAMETERS CHANNEL…")
  exit(64)
}
let bag = DisposeBag()

Operation.postgres(arguments[1])
  .flatMapLatest { connection in
    connection.notices.observeNext { print("\($0.severity): \($0.message)") }.dispose(in: bag)
    // The closure of `doOn` retains the connection until its notifications end or are disposed.
    return Operation.merge(arguments.dropFirst(2).map { connection.notifications(on: $0) })
      .doOn(disposed: { connection.close() })
  }
  .doOn(failed: {
    print("pg-listen: \($0); trying again")
    fflush(nil)
  })
  .retry(.max, delay: .seconds(1))
  .observeNext {
    print("\($0.channel): \($0.payload)")
    // Standard output is buffered if it is not a terminal.
    fflush(nil)
  }
  .dispose(in: bag)

Operation.signal(.interrupt).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
Loop.main.run()
bag.dispose()
Loop.main.shutdown()
