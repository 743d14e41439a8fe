import ArgumentParser
import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `time-server`: serves the time over UDP, as RFC 868 specifies, and queries other servers.
//
//   swift run --package-path Examples time-server                      answers on 127.0.0.1:3737
//   sudo Examples/.build/debug/time-server 0.0.0.0:37                  answers everyone, on the port of the protocol
//   swift run --package-path Examples time-server --query localhost:3737       queries a server, and prints the answer
//
// What to learn from it: datagrams, time limits, and retrying. A query is an empty datagram, and an answer has four bytes:
// the seconds since 1900. A datagram that is not empty gets no answer, so two servers never answer each other, and a forged
// sender receives at most four bytes. SIGINT (Control-C) or SIGTERM ends the program.
//
// Exit codes: 0 after a signal or an answer, 1 if it cannot serve or no server has answered, 64 for wrong arguments.

struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "time-server", abstract: "Serve the time over UDP (RFC 868), or query a server.")

  @Argument(
    help: "The numeric address and the port to serve on. (default: 127.0.0.1:3737)",
    transform: { try SocketAddress($0) })
  var address = SocketAddress.loopback(port: 3737)

  @Option(help: "Query this host instead of serving: HOST or HOST:PORT. The default port is 37.")
  var query: String?

  @Option(help: "The number of seconds to wait for an answer.")
  var timeout = 1.0

  @Option(help: "The maximum number of queries.")
  var tries = 3

  func validate() throws {
    if !(0.001...86_400).contains(timeout) { throw ValidationError("--timeout takes 0.001 to 86400 seconds") }
    if let query, server(query).name.isEmpty { throw ValidationError("--query takes a host: HOST or HOST:PORT") }
    if !(1...1000).contains(tries) { throw ValidationError("--tries takes 1 to 1000") }
  }
}

let options = Options.parseOrExit()
let bag = DisposeBag()
var code: Int32 = 0

do {
  // No work is under way that would need time to finish.
  let shutdown = try GracefulShutdown(grace: .zero)
  if let host = options.query { ask(host) } else { serve() }
  // Nothing runs after an error.
  let result = code == 0 ? shutdown.run() : 0
  if result != 0 { code = result }
} catch {
  fail(.failed(error))
}
bag.dispose()
Loop.main.shutdown()
if code != 0 { exit(code) }

/// Answers queries until a signal ends the program.
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
          // If the system has no room, the answer is dropped, because it would be late. The client can ask again.
          _ = try? socket.trySend(Time.now.bytes, to: question.sender)
        }, termination: { fail($0) }
      )
      .dispose(in: bag)
  } catch {
    fail(.failed(error))
  }
}

/// Returns the name and the port of `HOST` or `HOST:PORT`.
nonisolated func server(_ host: String) -> (name: String, port: UInt16) {
  var name = host[...]
  var port: UInt16 = 37
  // Several colons are an IPv6 address, whose port follows the brackets.
  if let colon = host.lastIndex(of: ":"), host.hasPrefix("[") || host.firstIndex(of: ":") == colon,
    let number = UInt16(host[host.index(after: colon)...])
  {
    (name, port) = (host[..<colon], number)
  }
  if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
  return (String(name), port)
}

/// Queries `host`, and prints the answer.
func ask(_ host: String) {
  let (name, port) = server(host)
  Operation.addresses(of: name, port: port, kind: .datagram)
    .flatMap(.concat) { addresses in
      // Each address is queried only if those before it have not answered.
      addresses.dropFirst().reduce(answer(of: addresses[0])) { earlier, next in
        earlier.flatMapError { _ in answer(of: next) }
      }
    }
    .observe(next: { say("\($0), \($0.difference)") }, termination: { fail($0) })
    .dispose(in: bag)
}

/// Queries the server at `address`. Fails with `ETIMEDOUT` if it does not answer any of the queries.
func answer(of address: SocketAddress) -> Operation<Time, UVError> {
  do throws(UVError) {
    let socket = try UDPHandle()
    socket.dispose(in: bag)
    // A connected socket receives datagrams from this address only.
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

/// Prints a line immediately, even if standard output is a pipe. An answer that cannot be written is an error.
func say(_ line: String) {
  print(line)
  if fflush(nil) == 0 { return }
  perror("time-server: cannot write")
  code = 1
}
