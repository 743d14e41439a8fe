import ArgumentParser
import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `greeter`: a daemon with everything that a daemon needs. It replies to each line with a greeting.
//
//   printf 'greeting good morning\nport 7000\nclients 100\nidle 60\n' >greeter.conf
//   swift run --package-path Examples greeter greeter.conf
//   nc 127.0.0.1 7000                          in another terminal; type a name
//
// It prints "listening on 127.0.0.1:7000". While it runs, change the file, or send SIGHUP: the new greeting is used for the
// next reply, and a new port for the next client.
//
// What to learn from it: the file is a property, and everything else follows it. Read Configuration.swift for errors that
// name the line, Greeter.swift for idle clients, a limit on clients, and the change of the port, and this file for reloading
// and stopping. An invalid file is reported, and the earlier settings stay in effect.
//
// SIGINT (Control-C) or SIGTERM stops it gracefully. A second signal ends it immediately.
// Exit codes: 0 after a graceful stop, 1 if it cannot start, 64 for wrong arguments, 130 or 143 after a second signal.

struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "greeter", abstract: "Greet each line, over TCP.")

  @Argument(help: "The configuration file.")
  var file: String
}

let options = Options.parseOrExit()
let bag = DisposeBag()
guard let first = Loop.main.run(until: readConfiguration(options.file)) else { exit(1) }
let configuration = Property(first)
var code: Int32 = 0

do throws(UVError) {
  let shutdown = try GracefulShutdown(grace: .seconds(10))

  // The signal stays observed during the shutdown: without an observer, SIGHUP would end the process.
  let hangups = Operation.signal(.hangup).map { _ in }.toStream(logError: true)
  let saves = Operation.fileEvents(at: [BytePath(options.file)]).map { _ in }.toStream(logError: true)
  hangups.merge(with: saves.take(until: shutdown.begins))
    .debounce(for: .milliseconds(100))
    .flatMap(.latest) { readConfiguration(options.file) }
    .filter { _ in !shutdown.hasBegun }
    .doOn(next: { _ in say("configuration read") })
    .bind(to: configuration)
    .dispose(in: bag)

  let greeter = try Greeter(configuration, until: shutdown)
  code = shutdown.run()
  withExtendedLifetime(greeter) {}
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
  if fflush(nil) != 0 { perror("greeter: cannot write") }
}

/// Reports an error on standard error.
func complain(_ text: String) {
  var line = "greeter: \(text)\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
