// Resolves all given names at the same time, and prints their addresses.
import CaresStreams
import EventLoops
import Glibc
import Streams

var names = Array(CommandLine.arguments.dropFirst())
var options = Resolver.Options()
if names.count > 2, names[0] == "--server" {
  options.servers = [names[1]]
  options.usesHostsFile = false
  names.removeFirst(2)
}
if names.isEmpty {
  print("usage: resolve [--server ADDRESS:PORT] NAME…")
  exit(64)
}
let bag = DisposeBag()
let resolver = try Resolver(options)
var status: Int32 = 0
for name in names {
  resolver.addresses(of: name).observe(
    next: { print("\(name): \($0.map(\.host).joined(separator: " "))") },
    termination: { end in
      if case .failed(let error) = end {
        print("\(name): \(error)")
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
