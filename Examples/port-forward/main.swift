import ArgumentParser
import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `port-forward`: forwards connections to another address; each side is a TCP port or a local socket.
//
//   swift run --package-path Examples port-forward 8080 example.org:80
//   curl -H 'Host: example.org' localhost:8080
//   swift run --package-path Examples port-forward '[::]:5432' /run/postgresql/.s.PGSQL.5432
//   swift run --package-path Examples port-forward /tmp/web.sock localhost:8080
//
// What to learn from it: backpressure in both directions. If one side stops reading, the other side is paused, so memory
// stays bounded. Each direction ends by itself (half close), and a connection that breaks on one side is reset on the other.
// A local socket has no reset, so it is closed. If a side cannot be written, the bytes that it has sent are delivered first,
// for at most `--grace` seconds. SIGINT (Control-C) or SIGTERM stops accepting, and gives open connections `--grace` seconds.
// A second signal ends the program at once.
//
// Exit codes: 0 after a graceful stop, 1 if it cannot listen, 64 for wrong arguments, 130 or 143 after a second signal.

struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "port-forward", abstract: "Forward connections to another address.")

  @Argument(
    help: "Where to listen: a port of this machine, ADDRESS:PORT, a path, or @name.",
    transform: { try Place.parse($0) })
  var from: Place

  @Argument(
    help: "Where to connect: a port of this machine, HOST:PORT, a path, or @name.", transform: { try Place.parse($0) })
  var to: Place

  @Option(help: "The number of seconds that connections have to end when the program stops or one side breaks.")
  var grace = 10.0

  func validate() throws {
    if case .host(let host, _) = from { throw ValidationError("Cannot listen on the name \(host): write its address.") }
    if !(0...86_400).contains(grace) { throw ValidationError("--grace takes 0 to 86400 seconds") }
  }
}

let options = Options.parseOrExit()
let bag = DisposeBag()
var code: Int32 = 0

do {
  let shutdown = try GracefulShutdown(grace: .seconds(options.grace))
  let cutOff = shutdown.cutsOff.tryMap { _ throws(UVError) in throw UVError(errno: ETIMEDOUT, call: "stop") }
  options.from.connections { say("listening on \($0)") }
    .take(until: shutdown.begins)
    .flatMap(.merge) { forward($0, until: cutOff) }
    .observe(
      next: { say($0) },
      termination: { end in
        guard case .failed(let error) = end else { return }
        complain("\(error)")
        code = 1
      }
    )
    .dispose(in: bag)
  // The listener observes `begins` first. So when this line is printed, it is closed.
  shutdown.begins.observeNext { say("stopping; once more to stop at once") }.dispose(in: bag)
  let result = shutdown.run()
  if result != 0 { code = result }
} catch {
  complain("\(error)")
  code = 1
}
bag.dispose()
Loop.main.shutdown()
if code != 0 { exit(code) }

/// Forwards one connection until `cutOff` fails. Emits a line when both directions have ended. A failure does not affect
/// other connections.
func forward(_ near: ByteStreamHandle, until cutOff: Operation<Void, UVError>) -> Stream<String> {
  let client = ((near as? TCPHandle).flatMap { try? $0.remoteAddress() }).map { "\($0)" } ?? "a client"
  return options.to.connect()
    .doOn(failed: { _ in breakOff(near) })
    .flatMap(.concat) { far in
      let failures = PushStream<UVError>()
      // Without this limit, a side that neither reads nor finishes would be paused forever after the other side has broken.
      let overdue = failures.delay(for: .seconds(options.grace)).tryMap { error throws(UVError) in throw error }
      // Each direction has its own backpressure and end, so an answer is delivered even if the question is not read.
      return pass(near, far, failures).zip(with: pass(far, near, failures))
        .take(until: cutOff)
        .take(until: overdue)
        .doOn(
          // Both directions have ended. Closing earlier would be wrong, because an answer may take longer than `--grace`.
          next: { _ in
            near.close(within: .seconds(options.grace))
            far.close(within: .seconds(options.grace))
          },
          failed: { _ in
            breakOff(near)
            breakOff(far)
          })
    }
    .tryMap { there, back throws(UVError) in "\(client): \(try there.get()) bytes there, \(try back.get()) back" }
    .doOn(failed: { complain("\(client): \($0)") })
    .toStream(logError: false)
}

/// Forwards one direction, with its end after the last byte. Emits the number of bytes, or the failure as an element.
/// Sends the failure to `failures`, too.
func pass(_ source: ByteStreamHandle, _ sink: ByteStreamHandle, _ failures: PushStream<UVError>)
  -> Operation<Result<Int, UVError>, UVError>
{
  source.bytes
    // This comes before `pipe`, whose failure may be one of `sink`. A sink that cannot be written may still send.
    .doOn(failed: { _ in breakOff(sink) })
    .pipe(to: sink)
    .doOn(failed: { failures.next($0) })
    .map { .success($0) }
    .flatMapError { Operation.just(.failure($0)) }
}

/// Ends a connection abruptly, with a reset over TCP, so that the peer does not mistake incomplete data for all of it.
func breakOff(_ connection: ByteStreamHandle) {
  if let connection = connection as? TCPHandle { connection.reset() } else { connection.dispose() }
}

/// Prints a line immediately, even if standard output is a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = "port-forward: \(text)\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
