import EventLoops
import Glibc
import Streams
import TLSStreams
import WebStreams

// `https-server`: a server for HTTP/1.1, HTTP/2, and WebSockets, with or without TLS.
//
//   openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost \
//     -keyout key.pem -out cert.pem
//   swift run https-server 127.0.0.1:8443 --certificate cert.pem --key key.pem
//   curl --cacert cert.pem https://localhost:8443/
//
//   GET /            answers hello
//   POST /echo       sends the body back, as it arrives
//   GET /events      counts once a second, as server-sent events
//   GET /socket      sends the messages of a WebSocket back
//   GET /count       sends a property to a WebSocket at each change
//   GET /live        a page that shows the events, an echo, and the property
//   GET /files/…     the files of the folder that --files names
//
// --loops N serves on several threads. SIGTERM ends it gracefully.

let options = Options(CommandLine.arguments.dropFirst())
do {
  let tls = try options.certificate.map {
    try TLSServer(
      TLSIdentity(certificateFile: $0, keyFile: options.key), applicationProtocols: ["h2", "http/1.1"])
  }
  var limits = HTTPLimits()
  // The echo holds a message until it is complete.
  limits.messageBytes = 16 << 20
  let site = Site(files: options.files)
  let shutdown = try GracefulShutdown()
  let bag = DisposeBag()
  var code: Int32 = 0
  let server = Operation<Never, UVError>.serve(
    on: options.address, loops: options.loops, until: shutdown, bound: { say("listening on \($0)") }
  ) { [limits] tcp, stop in
    if let tls {
      tls.secure(tcp).responding(until: stop, limits: limits, site.respond).toStream(logError: false)
    } else {
      tcp.responding(until: stop, limits: limits, site.respond).toStream(logError: false)
    }
  }
  server.observeFailed {
    complain("\($0)")
    code = 1
  }
  .dispose(in: bag)
  let result = shutdown.run()
  exit(result == 0 ? code : result)
} catch {
  complain("\(error)")
  exit(1)
}

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// Writes an error message to standard error.
func complain(_ text: String) {
  var line = "https-server: \(text)\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
