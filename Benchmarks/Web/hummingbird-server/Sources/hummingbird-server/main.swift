import Hummingbird
import HummingbirdHTTP2
import HummingbirdTLS
import NIOPosix
import NIOSSL

// hummingbird-server PORT [CERTIFICATE KEY]: answers hello, on one thread; with TLS also in HTTP/2.
let arguments = CommandLine.arguments
let router = Router()
router.get("/") { _, _ in "hello\n" }
let configuration = ApplicationConfiguration(address: .hostname("127.0.0.1", port: Int(arguments[1])!))
let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
if arguments.count == 4 {
  let tls = TLSConfiguration.makeServerConfiguration(
    certificateChain: try NIOSSLCertificate.fromPEMFile(arguments[2]).map { .certificate($0) },
    privateKey: .privateKey(try NIOSSLPrivateKey(file: arguments[3], format: .pem)))
  let application = Application(
    router: router, server: try .http2Upgrade(tlsConfiguration: tls), configuration: configuration,
    eventLoopGroupProvider: .shared(threads))
  try await application.runService()
} else {
  let application = Application(
    router: router, server: .http1(), configuration: configuration, eventLoopGroupProvider: .shared(threads))
  try await application.runService()
}
