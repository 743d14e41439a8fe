import EventLoops
import Glibc

/// What the command line says.
struct Options {
  var address = SocketAddress.any(port: 0)
  var certificate: String?
  var key = ""
  var files: String?
  var loops = 1

  init(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    var hasAddress = false
    while let argument = rest.next() {
      switch argument {
      case "--certificate": certificate = rest.next()
      case "--key": key = rest.next() ?? ""
      case "--files": files = rest.next()
      case "--loops": loops = rest.next().flatMap { Int($0) } ?? 0
      default:
        guard let address = try? SocketAddress(argument) else { usage("'\(argument)' is no option and no address") }
        self.address = address
        hasAddress = true
      }
    }
    if !hasAddress { usage("the address is missing") }
    if (certificate == nil) != key.isEmpty { usage("--certificate and --key belong together") }
    if loops < 1 { usage("--loops needs a number from 1 on") }
  }
}

/// Says what is wrong with the command line, and ends the program.
func usage(_ what: String) -> Never {
  complain(
    """
    \(what)
    usage: https-server ADDRESS:PORT [--certificate FILE --key FILE] [--files FOLDER] [--loops N]
    """)
  exit(64)
}
