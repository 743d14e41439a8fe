// Greets each client, until SIGTERM or SIGINT.
import EventLoops
import Glibc
import MicrohttpdStreams
import Streams

let arguments = CommandLine.arguments
guard arguments.count == 2, let port = UInt16(arguments[1]) else {
  print("usage: hello-http PORT")
  exit(64)
}
let bag = DisposeBag()
var status: Int32 = 0

HTTPServer(port: port)
  .requests { port in
    print("listening on \(port)")
    fflush(nil)
  }
  .observe(
    next: { exchange in
      print("\(exchange.request.method) \(exchange.request.path)")
      exchange.respond(HTTPResponse(text: "Hello, \(exchange.request.path.dropFirst())!\n"))
    },
    termination: { end in
      if case .failed(let error) = end {
        print("hello-http: \(error)")
        status = 1
      }
      Loop.main.stop()
    }
  )
  .dispose(in: bag)

for signal in [Signal.terminate, .interrupt] {
  Operation.signal(signal).observeNext { _ in Loop.main.stop() }.dispose(in: bag)
}
Loop.main.run()
bag.dispose()
Loop.main.shutdown()
exit(status)
