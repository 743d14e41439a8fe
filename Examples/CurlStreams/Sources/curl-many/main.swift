// Fetches all addresses that it is given at once, on one thread, and says what came.
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

// Until nothing is left that keeps it running: the last transfer has ended.
Loop.main.run()
bag.dispose()
curl.close()
Loop.main.shutdown()
