import EventLoops
import Glibc
import Streams
import TLSStreams

// `tls-echo`: sends back what it receives, over TLS.
//
//   openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost \
//     -keyout key.pem -out cert.pem
//   swift run tls-echo 127.0.0.1:8443 cert.pem key.pem
//   openssl s_client -connect 127.0.0.1:8443 -CAfile cert.pem         then type
//
// SIGHUP reads the certificate again. SIGTERM ends it gracefully.

let arguments = CommandLine.arguments
guard arguments.count == 4, let address = try? SocketAddress(arguments[1]) else {
  complain("usage: tls-echo ADDRESS:PORT CERTIFICATE KEY")
  exit(64)
}

do {
  func identity() throws(TLSError) -> TLSIdentity {
    try TLSIdentity(certificateFile: arguments[2], keyFile: arguments[3])
  }
  let bag = DisposeBag()
  let tls = try TLSServer(identity())
  let shutdown = try GracefulShutdown()
  var code: Int32 = 0
  Operation.listen(on: address, bound: { say("listening on \($0)") })
    .serving(until: shutdown) { tcp in
      let connection = tls.secure(tcp)
      return connection.bytes.take(until: shutdown.begins).pipe(to: connection)
        .doOn(failed: { complain("\($0)") })
        .toStream(logError: false)
    }
    .observeFailed {
      complain("\($0)")
      code = 1
    }
    .dispose(in: bag)
  let hangUp = Operation.signal(.hangup).observeNext { _ in
    do {
      tls.replace(with: try identity())
      say("read the certificate again")
    } catch {
      complain("\(error)")
    }
  }
  hangUp.dispose(in: bag)
  shutdown.begins.observeNext { hangUp.dispose() }.dispose(in: bag)
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
  var line = "tls-echo: \(text)\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
