import ArgumentParser
import Headwater

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `supervise`: runs commands side by side, restarts those that fail, and prefixes each line with the command's name.
//
//   swift run --package-path Examples supervise 'web: python3 -m http.server 8000' 'clock: while date; do sleep 5; done'
//   swift run --package-path Examples supervise --restart always --delay 0.5 --tries 5 ./worker
//
// It prints lines such as "clock | Mon Nov 23 15:10:24 UTC 2026". What to learn from it: child processes with process groups,
// signals, and restarts. A command that fails is restarted after `--delay` seconds, then after twice as long, up to
// `--max-delay`; a run of `--healthy` seconds resets the delay. SIGINT (Control-C), SIGTERM, and SIGHUP stop all commands:
// each process group receives SIGTERM and, after `--grace` seconds, SIGKILL. A second signal sends SIGKILL at once.
//
// Exit codes: that of the first command that has failed for good, which stops the others (128 plus the number of the signal
// if one ended it); 0 if all commands have succeeded, or after a signal; 137 if a command had to be killed, but not if only a
// process that it has left in its group had to be; 64 for wrong arguments.

struct Options: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "supervise", abstract: "Run commands side by side, and restart them when they end.")

  @Argument(help: "The commands to run with the shell, each as COMMAND or NAME: COMMAND.")
  var commands: [String]

  @Option(help: "When to restart a command that has ended: always, failed (only if it has failed), or never.")
  var restart = Restart.failed

  @Option(help: "The number of seconds to wait before the first restart of a command.")
  var delay = 1.0

  @Option(help: "The maximum number of seconds to wait before a restart.")
  var maxDelay = 60.0

  @Option(help: "The number of seconds after which a run resets the delay.")
  var healthy = 10.0

  @Option(help: "The number of restarts in a row after which a command has failed for good. (default: unlimited)")
  var tries: Int?

  @Option(help: "The number of seconds that commands have to end before they are killed.")
  var grace = 10.0

  func validate() throws {
    if !(0...86_400).contains(delay) { throw ValidationError("--delay takes 0 to 86400 seconds") }
    if !(delay...86_400).contains(maxDelay) { throw ValidationError("--max-delay takes --delay to 86400 seconds") }
    if !(0...86_400).contains(healthy) { throw ValidationError("--healthy takes 0 to 86400 seconds") }
    if let tries, tries < 0 { throw ValidationError("--tries takes 0 or more") }
    if !(0...86_400).contains(grace) { throw ValidationError("--grace takes 0 to 86400 seconds") }
  }
}

nonisolated extension Restart: ExpressibleByArgument {}

let options = Options.parseOrExit()
let bag = DisposeBag()
let policy = RestartPolicy(
  restart: options.restart, delay: .seconds(options.delay), maxDelay: .seconds(options.maxDelay),
  healthy: .seconds(options.healthy), tries: options.tries ?? .max)
let services = Service.all(options.commands, policy)
var isStopping = false
var code: Int32 = 0

for service in services {
  service.ended
    .observeNext { end in
      if end != 0, code == 0 { code = end }
      // The commands belong together, so a failure of one stops the others.
      if end != 0 { stopAll() }
    }
    .dispose(in: bag)
}

Operation.merge([Signal.interrupt, .terminate, .hangup].map { Operation<Signal, UVError>.signal($0) })
  .observeNext { signal in
    if isStopping { for service in services { service.kill() } }
    stopAll()
  }
  .dispose(in: bag)

for service in services where !isStopping { service.start() }

// Signals do not keep the loop alive, so this returns when no command runs or waits for its restart.
Loop.main.run()
bag.dispose()
Loop.main.shutdown()
if code != 0 { exit(code) }

func stopAll() {
  if isStopping { return }
  isStopping = true
  for service in services { service.stop(within: .seconds(options.grace)) }
}
