import ArgumentParser
import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `chat`: a room in which all guests read what each of them writes, line by line.
//
//   swift run --package-path Examples chat                             listens on 127.0.0.1:6667
//   nc 127.0.0.1 6667                                                  in two terminals; try /who and /quit
//
// What to learn from it: a slow guest does not delay the others. Each guest has its own queue, and a guest whose queue
// exceeds `--queue` bytes is disconnected, as is one that writes a line of more than `--limit` bytes. SIGINT (Control-C) or
// SIGTERM closes the room and notifies the guests. A second signal ends the program at once.
//
// Exit codes: 0 after the room has closed, 1 if it cannot listen, 64 for wrong arguments, 130 or 143 after a second signal.

struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "chat", abstract: "Serve a chat room over TCP.")

  @Argument(
    help: "The numeric address and the port to listen on. (default: 127.0.0.1:6667)",
    transform: { try SocketAddress($0) })
  var address = SocketAddress.loopback(port: 6667)

  @Option(help: "The maximum number of bytes in a line.")
  var limit = 1000

  @Option(help: "The maximum number of bytes queued for a guest that does not read.")
  var queue = 65_536

  func validate() throws {
    if !(1...1_048_576).contains(limit) { throw ValidationError("--limit takes 1 to 1048576 bytes") }
    if !(1...1_073_741_824).contains(queue) { throw ValidationError("--queue takes 1 to 1073741824 bytes") }
  }
}

let options = Options.parseOrExit()
let bag = DisposeBag()
let room = Room(lineLimit: options.limit, queueLimit: options.queue)
var code: Int32 = 0

do {
  let shutdown = try GracefulShutdown()
  shutdown.begins.observeNext { room.close() }.dispose(in: bag)
  Operation.listen(on: options.address, bound: { say("listening on \($0)") })
    .take(until: shutdown.begins)
    .observe(
      next: { room.enter($0) },
      termination: { end in
        guard case .failed(let error) = end else { return }
        complain("\(error)")
        code = 1
      }
    )
    .dispose(in: bag)
  // Returns when all connections are closed, after ten seconds, or at a second signal.
  let result = shutdown.run()
  if result != 0 { code = result }
} catch {
  complain("\(error)")
  code = 1
}
bag.dispose()
Loop.main.shutdown()
if code != 0 { exit(code) }

/// Prints a line immediately, even if standard output is a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = "chat: \(text)\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
