// Greets each client, until SIGTERM or SIGINT.
import EventLoops
import Glibc
import MicrohttpdStreams
import Streams

/// Prints a line immediately. Ends the program if that fails, for example because the disk is full.
func say(_ line: String) {
  print(line)
  if fflush(nil) == 0 { return }
  perror("hello-http: cannot write")
  exit(1)
}

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

let arguments = CommandLine.arguments
guard arguments.count == 2, let port = UInt16(arguments[1]) else {
  complain("usage: hello-http PORT")
  exit(64)
}
let bag = DisposeBag()
var status: Int32 = 0

HTTPServer(port: port)
  .requests { port in
    say("listening on \(port)")
  }
  .observe(
    next: { exchange in
      say("\(exchange.request.method) \(exchange.request.path)")
      exchange.respond(HTTPResponse(text: "Hello, \(exchange.request.path.dropFirst())!\n"))
    },
    termination: { end in
      if case .failed(let error) = end {
        complain("hello-http: \(error)")
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
