import CMicrohttpd
import Callbacks
import Microhttpd
import Streams

/// The functions that libmicrohttpd calls on its thread, and the pending requests.
final class Service: Sendable {
  private struct State {
    var hasEnded = false
    var waiting: [ObjectIdentifier: PendingRequest] = [:]
  }

  private let inlet: Inlet<HTTPExchange>
  private let largestBody: Int
  private let state = Lock(State())

  init(_ inlet: Inlet<HTTPExchange>, _ largestBody: Int) {
    self.inlet = inlet
    self.largestBody = largestBody
  }

  /// Handles a part of a request. libmicrohttpd calls first with the header, then with the pieces of the body, then at the end,
  /// and again when the connection has been resumed.
  func answer(
    _ connection: OpaquePointer, _ method: String, _ path: String, _ bytes: [UInt8]?,
    _ count: UnsafeMutablePointer<Int>?, _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    guard let known = place.pointee else {
      let values = Connection(connection)
      let request = HTTPRequest(
        method: method, path: path, headers: fields(values, .HEADER_KIND),
        query: fields(values, .GET_ARGUMENT_KIND))
      place.pointee = UntilClosed<PendingRequest>.lend(PendingRequest(request))
      return .YES
    }
    let pending = UntilClosed<PendingRequest>.borrow(known)
    if let bytes, let count, count.pointee > 0 {
      pending.receive(bytes, limit: largestBody)
      count.pointee = 0
      return .YES
    }
    switch pending.next {
    case .goOn: return .YES
    case .respond(let response): return response.queue(on: connection)
    case .deliver(let request): return deliver(request, pending, connection)
    }
  }

  private func deliver(_ request: HTTPRequest, _ pending: PendingRequest, _ connection: OpaquePointer) -> MHD_Result {
    let isServed = state.withLock { state in
      if state.hasEnded { return false }
      state.waiting[ObjectIdentifier(pending)] = pending
      pending.wait(connection)
      return true
    }
    // If the inlet has no room, it releases the exchange here, and the deinitializer responds with 503.
    if isServed { inlet.send(HTTPExchange(request, pending)) }
    return isServed ? .YES : .NO
  }

  private func fields(_ connection: Connection, _ kind: MHD_ValueKind) -> [HTTPField] {
    var fields: [HTTPField] = []
    // It fails only without a connection.
    _ = try? connection.values(kind) { _, name, value in
      fields.append(HTTPField(name ?? "", value ?? ""))
      return .YES
    }
    return fields
  }

  /// Releases the state of a request that has been answered, or whose client has disconnected.
  func complete(_ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) {
    guard let place, let known = place.pointee else { return }
    place.pointee = nil
    let pending = UntilClosed<PendingRequest>.take(known)
    state.withLock { $0.waiting[ObjectIdentifier(pending)] = nil }
  }

  /// Responds to all pending requests with 503, because libmicrohttpd can't stop while a connection is suspended.
  func end() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      return state.waiting.values
    }
    for pending in waiting { pending.answer(HTTPResponse(503)) }
  }
}

extension HTTPResponse {
  /// Queues the response on a connection. Call this on the server's thread.
  func queue(on connection: OpaquePointer) -> MHD_Result {
    switch body {
    case .bytes(let bytes):
      // libmicrohttpd copies the bytes and does not write to them.
      let response = bytes.withUnsafeBytes {
        MHD_create_response_from_buffer(
          $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
      }
      guard let response else { return .NO }
      defer { MHD_destroy_response(response) }
      return queue(response, connection)
    case .pieces(let read):
      var result = MHD_Result.NO
      let unknown = UInt64.max
      let end = -1
      let reference = try? MicrohttpdLibrary.respond(unknown, 32_768) { offset, buffer, limit in
        guard let buffer, let bytes = read(Int(offset), limit), !bytes.isEmpty else { return end }
        let count = min(bytes.count, limit)
        UnsafeMutableRawBufferPointer(start: buffer, count: count).copyBytes(from: bytes.prefix(count))
        return count
      } registered: {
        result = queue($0, connection)
      }
      // libmicrohttpd retains the response while it sends it.
      reference?.dispose()
      return result
    }
  }

  private func queue(_ response: OpaquePointer, _ connection: OpaquePointer) -> MHD_Result {
    for field in headers where !field.isKeepAlive {
      // libmicrohttpd refuses an empty value. In HTTP, a blank is none.
      let value = field.value.isEmpty ? " " : field.value
      if MHD_add_response_header(response, field.name, value) == .NO {
        Diagnostics.report("libmicrohttpd refuses the field \(field.name.debugDescription) of a response.")
        return HTTPResponse(500).queue(on: connection)
      }
    }
    return MHD_queue_response(connection, UInt32(clamping: status), response)
  }
}
