// Prints the messages of channels of a Redis server, until Control-C: redis-listen HOST|SOCKET CHANNEL…
// If the connection is lost, it tries to connect again every 100 ms.
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
  .flatMapLatest { connection in Operation.merge(arguments.dropFirst(2).map { connection.messages(on: $0) }) }
  .doOn(failed: {
    print("redis-listen: \($0); trying again")
    fflush(nil)
  })
  .retry(.max, delay: .milliseconds(100))
  .observeNext {
    print("\($0.channel): \($0.text)")
    // Standard output is buffered if it is not a terminal.
    fflush(nil)
  }
  .dispose(in: bag)

Operation.signal(.interrupt).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
Loop.main.run()
bag.dispose()
Loop.main.shutdown()
