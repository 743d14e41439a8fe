// Prints what is published on channels of a Redis server: redis-listen HOST|SOCKET CHANNEL…, until Control-C. Connects again when the
// server comes back.
import EventLoops
import Glibc
import HiredisStreams
import Streams

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
  print("usage: redis-listen HOST|SOCKET CHANNEL…")
  exit(64)
}
let bag = DisposeBag()
let server = arguments[1]

(server.hasPrefix("/") ? Operation.redis(path: server) : .redis(host: server))
  .flatMapLatest { connection in
    // The connection lives as long as it is listened to.
    Operation.merge(arguments.dropFirst(2).map { connection.messages(on: $0) })
      .doOn(disposed: { connection.close() })
  }
  .doOn(failed: {
    print("redis-listen: \($0); trying again")
    fflush(nil)
  })
  .retry(.max, delay: .milliseconds(100))
  .observeNext {
    print("\($0.channel): \($0.text)")
    // Also into a pipe.
    fflush(nil)
  }
  .dispose(in: bag)

Operation.signal(.interrupt).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
Loop.main.run()
bag.dispose()
Loop.main.shutdown()
