// The echo server of the README, whose size is measured.

import Headwater

let bag = DisposeBag()
Operation.listen(on: .loopback(port: 8007), bound: { print("listening on \($0)") })
  .flatMap(.merge) { connection in
    // A connection that fails does not affect the others.
    connection.bytes.pipe(to: connection).doOn(failed: { print($0) }).toStream(logError: false)
  }
  .observeFailed { print($0) }  // for example, if the port is taken
  .dispose(in: bag)
Loop.main.run()
