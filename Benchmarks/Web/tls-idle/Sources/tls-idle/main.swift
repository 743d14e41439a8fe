// tls-idle PORT CERTIFICATE KEY: accepts connections with TLSStreams, and reads them until a signal ends it.
import EventLoops
import Streams
import TLSStreams

let arguments = CommandLine.arguments
let tls = try TLSServer(TLSIdentity(certificateFile: arguments[2], keyFile: arguments[3]))
let bag = DisposeBag()
Operation.listen(on: .loopback(port: UInt16(arguments[1])!)).observeNext { tcp in
  tls.secure(tcp).bytes.observeNext { _ in }.dispose(in: bag)
}.dispose(in: bag)
Loop.main.run()
