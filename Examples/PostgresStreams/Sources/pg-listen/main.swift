// Prints what a PostgreSQL server notifies of: pg-listen "dbname=notes" CHANNEL…, until Control-C. Connects again when the server
// comes back.
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
    // The connection lives as long as somebody listens to it.
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
    // Also where somebody else reads it.
    fflush(nil)
  }
  .dispose(in: bag)

Operation.signal(.interrupt).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
Loop.main.run()
bag.dispose()
Loop.main.shutdown()
