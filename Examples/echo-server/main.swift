import ArgumentParser
import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `echo-server`: sends back what it receives, to any number of clients at the same time.
//
//   swift run --package-path Examples echo-server                      listens on 127.0.0.1:7007
//   swift run --package-path Examples echo-server '[::]:7007' --grace 30
//   swift run --package-path Examples echo-server --loops 4            serves on four threads
//   nc 127.0.0.1 7007                                                  then type
//
// It prints "listening on 127.0.0.1:7007". What to learn from it: a slow client is paused, so memory stays bounded, and
// SIGINT (Control-C) or SIGTERM stops the server gracefully. It then accepts and reads no more, sends back what it has read,
// and gives the clients `--grace` seconds to receive it and to disconnect. A second signal ends the program at once.
//
// Exit codes: 0 after a graceful stop, 1 if it cannot listen, 64 for wrong arguments, 130 or 143 after a second signal.

struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "echo-server", abstract: "Send back what clients send, over TCP.")

  @Argument(
    help: "The numeric address and the port to listen on. (default: 127.0.0.1:7007)",
    transform: { try SocketAddress($0) })
  var address = SocketAddress.loopback(port: 7007)

  @Option(help: "The number of seconds that clients have to receive pending bytes when the server stops.")
  var grace = 10.0

  @Option(help: "The number of loops that serve connections, each on its own thread.")
  var loops = 1

  func validate() throws {
    if !(1...1024).contains(loops) { throw ValidationError("--loops takes 1 to 1024") }
    if !(0...86_400).contains(grace) { throw ValidationError("--grace takes 0 to 86400 seconds") }
  }
}

let options = Options.parseOrExit()
let bag = DisposeBag()
var code: Int32 = 0

do {
  let shutdown = try GracefulShutdown(grace: .seconds(options.grace))
  Operation.serve(
    on: options.address, loops: options.loops, until: shutdown, bound: { say("listening on \($0)") }, echo(_:until:)
  )
  .observeFailed {
    complain("\($0)")
    code = 1
  }
  .dispose(in: bag)
  // The server observes `begins` first. So when this line is printed, the listener is closed.
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

/// Serves one connection on its loop until it ends. A failure does not affect other connections.
nonisolated func echo(_ connection: TCPHandle, until stop: Stream<Void>) -> Stream<Bytes> {
  let client = (try? connection.remoteAddress()).map { "\($0)" } ?? "somebody"
  // Reading ends when the client has finished or the server stops. `pipe` then finishes the sending side after the last byte.
  return connection.bytes.take(until: stop).pipe(to: connection)
    .doOn(next: { say("\(client): \($0) bytes") }, failed: { complain("\(client): \($0)") })
    // Closing a socket that has unread bytes resets the connection, and the bytes in flight to the client would be lost.
    // Therefore the rest is read and dropped.
    .then(connection.bytes.ignoreElements())
    .doOn(disposed: { connection.dispose() })
    .toStream(logError: false)
}

/// Prints a line immediately, even if standard output is a pipe.
nonisolated func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// Writes an error message to standard error.
nonisolated func complain(_ text: String) {
  var line = "echo-server: \(text)\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
