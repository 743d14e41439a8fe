// The echo server of the README: what it weighs is measured.

import Headwater

let bag = DisposeBag()
Operation.listen(on: .loopback(port: 8007), bound: { print("listening on \($0)") })
  .flatMap(.merge) { connection in
    // A connection that fails ends alone.
    connection.bytes.pipe(to: connection).doOn(failed: { print($0) }).toStream(logError: false)
  }
  .observeFailed { print($0) }  // the port is taken, for example
  .dispose(in: bag)
Loop.main.run()
