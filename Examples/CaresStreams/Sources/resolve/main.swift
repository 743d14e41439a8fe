// Resolves all given names at the same time, and prints their addresses.
import CaresStreams
import EventLoops
import Glibc
import Streams

/// Prints a line immediately. Ends the program if that fails, for example because the disk is full.
func say(_ line: String) {
  print(line)
  if fflush(nil) == 0 { return }
  perror("resolve: cannot write")
  exit(1)
}

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

var names = Array(CommandLine.arguments.dropFirst())
var options = Resolver.Options()
if names.count > 2, names[0] == "--server" {
  options.servers = [names[1]]
  options.usesHostsFile = false
  names.removeFirst(2)
}
if names.isEmpty {
  complain("usage: resolve [--server ADDRESS:PORT] NAME…")
  exit(64)
}
let bag = DisposeBag()
let resolver = try Resolver(options)
var status: Int32 = 0
for name in names {
  resolver.addresses(of: name).observe(
    next: { say("\(name): \($0.map(\.host).joined(separator: " "))") },
    termination: { end in
      if case .failed(let error) = end {
        complain("\(name): \(error)")
        status = 1
      }
    }
  ).dispose(in: bag)
}
// Returns after the last query, because nothing else keeps the loop running.
Loop.main.run()
resolver.close()
bag.dispose()
Loop.main.shutdown()
exit(status)
