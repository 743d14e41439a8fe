import CHTTPParser
import EventLoops
import Streams
import TLSStreams

/// The scheme, host, and port of a request.
struct Origin: Hashable {
  var isSecure: Bool
  var host: String
  var port: UInt16

  /// The host as it is written in a request.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// Returns the origin of a URL, and the target of its request.
  static func parse(_ url: String) throws(HTTPError) -> (Origin, target: String) {
    var fields = http_parser_url()
    http_parser_url_init(&fields)
    let text = Array(url.utf8)
    // http_parser returns the places of the parts in 16 bits, and cuts larger ones.
    if text.count > UInt16.max { throw .invalidRequest("A URL has \(text.count) bytes. It may have \(UInt16.max).") }
    let isBad = text.contains { $0 <= 32 || $0 == 127 }
    let status = text.withUnsafeBytes {
      http_parser_parse_url($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, 0, &fields)
    }
    func part(_ field: http_parser_url_fields) -> String? {
      guard fields.field_set & (1 << field.rawValue) != 0 else { return nil }
      // Swift does not see the last member, whose type in C has no name: pairs of an offset and a length.
      let place = 2 * MemoryLayout<UInt16>.size + Int(field.rawValue) * 2 * MemoryLayout<UInt16>.size
      let (start, count) = withUnsafeBytes(of: fields) {
        (Int($0.load(fromByteOffset: place, as: UInt16.self)), Int($0.load(fromByteOffset: place + 2, as: UInt16.self)))
      }
      return String(decoding: text[start..<start + count], as: UTF8.self)
    }
    guard status == 0, !isBad, let scheme = part(UF_SCHEMA)?.lowercased(), let host = part(UF_HOST) else {
      throw .invalidRequest("'\(url)' is no URL with a scheme and a host. Escape spaces and other characters with %.")
    }
    guard scheme == "http" || scheme == "https" else {
      throw .invalidRequest("'\(url)' has the scheme '\(scheme)'. This client speaks http and https.")
    }
    if part(UF_USERINFO) != nil {
      throw .invalidRequest("A URL with a name and a password is not used. Give them in the field 'Authorization'.")
    }
    let port = fields.port != 0 ? fields.port : scheme == "https" ? 443 : 80
    let origin = Origin(isSecure: scheme == "https", host: host.lowercased(), port: port)
    let path = part(UF_PATH) ?? "/"
    return (origin, part(UF_QUERY).map { "\(path)?\($0)" } ?? path)
  }
}

/// The connections of a client to one origin.
final class Host {
  let origin: Origin
  private let tls: TLSClient
  private let limits: HTTPLimits
  private var connections: [ClientConnection] = []
  /// Calls that wait for a connection that is being made, because it may carry them all.
  private var waiting: [Call] = []
  private var isConnecting = false
  /// True if the client has been released, so that idle connections have no use.
  private(set) var isReleased = false
  /// The number of responses from these servers.
  var responses = 0
  /// True once a server has chosen HTTP/1.1: then each request gets a connection of its own.
  private var isHTTP1: Bool

  init(_ origin: Origin, _ tls: TLSClient, _ limits: HTTPLimits) {
    self.origin = origin
    self.tls = tls
    self.limits = limits
    isHTTP1 = !origin.isSecure
  }

  func start(_ call: Call) {
    if call.isDisposed { return }
    if let connection = connections.last(where: { $0.canSend }) {
      call.isOnKept = connection.hasServed
      return connection.send(call)
    }
    startOnNew(call)
  }

  /// Sends a call on a connection that is being made.
  func startOnNew(_ call: Call) {
    if isConnecting, !isHTTP1 { return waiting.append(call) }
    connect(call)
  }

  func forget(_ call: Call) { waiting.removeAll { $0 === call } }

  private func connect(_ call: Call) {
    isConnecting = true
    let connecting: Subscription
    if origin.isSecure {
      connecting = tls.connect(host: origin.host, port: origin.port).observe(
        next: { [self] in
          isHTTP1 = $0.session?.applicationProtocol != "h2"
          use(.over($0), call)
        }, termination: { [self] in connectingHasEnded($0.failure.map { .connection($0) }, call) })
    } else {
      connecting = Operation<TCPHandle, UVError>.connect(host: origin.host, port: origin.port).observe(
        next: { [self] in use(.over($0), call) },
        termination: { [self] in connectingHasEnded($0.failure.map { HTTPError($0) }, call) })
    }
    if connecting.isDisposed { return }
    call.work = BlockDisposable { [self] in
      connecting.dispose()
      // Another call makes the connection then.
      startWaiting()
    }
  }

  private func use(_ wire: Wire, _ call: Call) {
    let connection = ClientConnection(wire, limits, self, isHTTP2: origin.isSecure && !isHTTP1)
    connections.append(connection)
    connection.open()
    call.work = nil
    if call.isDisposed { return connection.finish() }
    if connection.canSend { connection.send(call) } else { call.fail(.disconnected) }
  }

  private func connectingHasEnded(_ error: HTTPError?, _ call: Call) {
    guard let error else { return startWaiting() }
    waiting.insert(call, at: 0)
    failWaiting(error)
  }

  /// The server has said how many of the requests that wait it takes.
  func isReady() { if isConnecting { startWaiting() } }

  /// A connection can be used no more. If its server has been silent from the beginning, others would be, too.
  func remove(_ connection: ClientConnection, _ error: HTTPError? = nil) {
    guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
    connections.remove(at: index)
    if !isConnecting || connection.knowsLimit { return }
    if let error, case .timedOut = error { failWaiting(error) } else { startWaiting() }
  }

  /// Starts the calls that wait, unless a connection is about to know how many of them it takes.
  private func startWaiting() {
    if connections.contains(where: { !$0.knowsLimit }) { return }
    for call in takeWaiting() { start(call) }
  }

  private func failWaiting(_ error: HTTPError) { for call in takeWaiting() { call.fail(error) } }

  /// Empties the list first, because an observer of an end can send other requests.
  private func takeWaiting() -> [Call] {
    isConnecting = false
    defer { waiting = [] }
    return waiting
  }

  func release() {
    isReleased = true
    for connection in connections where connection.isIdle { connection.finish() }
  }
}
