// The echo server of the README: what it weighs is measured.

import Headwater

let bag = DisposeBag()
Operation.listen(on: .loopback(port: 8007), bound: { print("listening on \($0)") })
  .observeNext { connection in
    connection.bytes.pipe(to: connection).observe { event in
      if let error = event.error { print(error) }
    }.dispose(in: bag)
  }
  .dispose(in: bag)
Loop.main.run()
