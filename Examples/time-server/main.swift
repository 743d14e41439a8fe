import ArgumentParser
import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `time-server`: tells the time over UDP, as RFC 868 specifies, and asks other servers for it.
//
//   swift run --package-path Examples time-server                      answers on 127.0.0.1:3737
//   sudo .build/debug/time-server 0.0.0.0:37                           answers everyone, on the port of the protocol
//   swift run --package-path Examples time-server --query localhost:3737       asks, and prints the answer
//
// What to learn from it: datagrams, time limits, and retrying. A question is an empty datagram, and an answer has four bytes:
// the seconds since 1900. A datagram that is not empty gets no answer, so two servers never answer each other, and a forged
// sender receives at most four bytes. SIGINT (Control-C) or SIGTERM ends it.
//
// Exit codes: 0 after a signal or an answer, 1 if it cannot serve or no server has answered, 64 for wrong arguments.

struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "time-server", abstract: "Tell the time over UDP (RFC 868), or ask for it.")

  @Argument(
    help: "The address to answer on, in numbers, with the port. (default: 127.0.0.1:3737)",
    transform: { try SocketAddress($0) })
  var address = SocketAddress.loopback(port: 3737)

  @Option(help: "Ask this host, with its port unless that is 37, instead of serving.")
  var query: String?

  @Option(help: "How many seconds to wait for an answer.")
  var timeout = 1.0

  @Option(help: "How many times to ask.")
  var tries = 3

  func validate() throws {
    if !(0.001...86_400).contains(timeout) { throw ValidationError("--timeout takes 0.001 to 86400 seconds") }
    if !(1...1000).contains(tries) { throw ValidationError("--tries takes 1 to 1000") }
  }
}

let options = Options.parseOrExit()
let bag = DisposeBag()
var code: Int32 = 0

do {
  // Nothing is under way that could be finished.
  let shutdown = try GracefulShutdown(grace: .zero)
  if let host = options.query { ask(host) } else { serve() }
  let result = shutdown.run()
  if result != 0 { code = result }
} catch {
  fail(.failed(error))
}
bag.dispose()
Loop.main.shutdown()
if code != 0 { exit(code) }

/// Answers until a signal ends it.
func serve() {
  do throws(UVError) {
    let socket = try UDPHandle()
    socket.dispose(in: bag)
    try socket.bind(to: options.address)
    say("listening on \(try socket.localAddress())")
    socket.datagrams
      .filter { $0.bytes.isEmpty }
      .observe(
        next: { question in
          // Where the system has no room now the answer would come too late: whoever wants it asks again.
          _ = try? socket.trySend(Time.now.bytes, to: question.sender)
        }, termination: { fail($0) }
      )
      .dispose(in: bag)
  } catch {
    fail(.failed(error))
  }
}

/// Asks until there is an answer, and prints it.
func ask(_ host: String) {
  var name = host[...]
  var port: UInt16 = 37
  // More colons are an IPv6 address, which has its port behind brackets.
  if let colon = host.lastIndex(of: ":"), host.hasPrefix("[") || host.firstIndex(of: ":") == colon,
    let number = UInt16(host[host.index(after: colon)...])
  {
    (name, port) = (host[..<colon], number)
  }
  if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
  Operation.addresses(of: String(name), port: port, kind: .datagram)
    .flatMap(.concat) { answer(of: $0[0]) }
    .observe(next: { say("\($0), \($0.difference)") }, termination: { fail($0) })
    .dispose(in: bag)
}

/// What the server at `address` says the time is.
func answer(of address: SocketAddress) -> Operation<Time, UVError> {
  do throws(UVError) {
    let socket = try UDPHandle()
    socket.dispose(in: bag)
    // What others send does not arrive.
    try socket.connect(to: address)
    return socket.send(Bytes())
      .then(socket.datagrams)
      .map { Time($0.bytes) }
      .ignoreNil()
      .take(1)
      .timeout(
        after: .seconds(options.timeout), failingWith: UVError(errno: ETIMEDOUT, call: "query", path: "\(address)")
      )
      .retry(options.tries - 1)
      .doOn(disposed: { socket.dispose() })
  } catch {
    return .failed(error)
  }
}

func fail(_ end: Termination<UVError>) {
  guard case .failed(let error) = end else { return }
  var line = "time-server: \(error)\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  code = 1
}

/// Says something on standard output, at once also where that is a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
