// Fetches all given URLs at the same time, on one thread, and prints the status and the size of each response.
import CurlStreams
import EventLoops
import Streams

let curl = Curl()
let bag = DisposeBag()

for url in CommandLine.arguments.dropFirst() {
  curl.response(CurlRequest(url, timeout: .seconds(30)))
    .observe(
      next: { print("\(url): \($0.status), \($0.body.count) bytes") },
      termination: { if case .failed(let error) = $0 { print("\(url): \(error)") } }
    )
    .dispose(in: bag)
}

// Returns after the last transfer, because nothing else keeps the loop running.
Loop.main.run()
bag.dispose()
curl.close()
Loop.main.shutdown()
