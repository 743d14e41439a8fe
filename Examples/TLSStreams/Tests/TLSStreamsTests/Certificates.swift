import Foundation
import Glibc
import TLSStreams

/// Certificates that openssl has made, once for all tests.
final class Certificates: Sendable {
  static let shared = Certificates()

  let folder: String
  var authority: String { path("ca.pem") }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  func identity(_ name: String) throws -> TLSIdentity {
    try TLSIdentity(certificateFile: path("\(name).pem"), keyFile: path("\(name).key"))
  }

  private init() {
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/tls-streams-XXXXXX".utf8CString)
    folder = mkdtemp(&template).map { String(cString: $0) } ?? "/nowhere"
    atexit { try? FileManager.default.removeItem(atPath: Certificates.shared.folder) }
    let script = """
      set -e
      cd "$1"
      key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }
      key ca.key
      openssl req -x509 -key ca.key -subj /CN=authority -days 30 -out ca.pem
      issue() { # name, alternative names, further options
        name=$1 names=$2; shift 2
        key "$name.key"
        openssl req -new -key "$name.key" -subj "/CN=$name" -out "$name.csr"
        printf 'subjectAltName=%s\\n' "$names" > "$name.ext"
        openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -extfile "$name.ext" -out "$name.pem" "$@"
      }
      issue localhost DNS:localhost,IP:127.0.0.1 -days 30
      issue renewed DNS:localhost,IP:127.0.0.1 -days 30
      issue other DNS:other.example -days 30
      issue expired DNS:localhost -days -1
      issue client DNS:client -days 30
      openssl ec -in localhost.key -aes128 -passout pass:secret -out encrypted.key
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, "sh", folder]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try? process.run()
    process.waitUntilExit()
  }
}
