// Fetches all given URLs at the same time, on one thread, and prints the status and the size of each response.
import CurlStreams
import EventLoops
import Glibc
import Streams

/// Prints a line immediately. Ends the program if that fails, for example because the disk is full.
func say(_ line: String) {
  print(line)
  if fflush(nil) == 0 { return }
  perror("curl-many: cannot write")
  exit(1)
}

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

let curl = Curl()
let bag = DisposeBag()

for url in CommandLine.arguments.dropFirst() {
  curl.response(CurlRequest(url, timeout: .seconds(30)))
    .observe(
      next: { say("\(url): \($0.status), \($0.body.count) bytes") },
      termination: { if case .failed(let error) = $0 { complain("\(url): \(error)") } }
    )
    .dispose(in: bag)
}

// Returns after the last transfer, because nothing else keeps the loop running.
Loop.main.run()
bag.dispose()
curl.close()
Loop.main.shutdown()
