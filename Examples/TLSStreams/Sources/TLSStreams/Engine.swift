import COpenSSL
import EventLoops
import Streams

/// The TLS of one connection: OpenSSL's state, between the bytes of the carrier and those of the user.
///
/// OpenSSL reads from `input` and writes to the carrier through a BIO of our own, so nothing is buffered twice.
///
/// Ownership: engine ===> SSL ===> BIO ···> engine.
final class Engine {
  /// A peer can request a new key with each record, and take none of the answers.
  private static let mostAnswers = 65_536
  /// A peer can send records without data, such as new keys, which take much time for few bytes. This is enough for about
  /// 5,000 keys, or for two tickets of the largest size.
  private static let mostBytesWithoutData = 131_072

  /// How a call has ended.
  enum Outcome {
    case done
    case bytes(Bytes)
    /// OpenSSL needs more bytes of the peer.
    case needsInput
    case ended(End)
  }

  /// How reading has ended. Indirect, because each connection has room for one.
  indirect enum End {
    /// The peer has finished, with a close-notify.
    case finished
    case failed(TLSError)
  }

  let ssl: OpaquePointer
  private let context: Context
  private let carrier: ByteStreamHandle
  /// The bytes of the carrier that OpenSSL has not taken.
  var input = Bytes()
  /// Called with a session that can be resumed later. Returns whether it keeps the reference.
  var didGetSession: ((OpaquePointer) -> Bool)?
  /// The memory that collects the records of one write, so that the carrier writes them at once. Empty between writes.
  private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var collected = 0
  /// True once nothing more can be written: what OpenSSL still answers to the peer is dropped.
  private var hasFinished = false
  private var isReading = false
  /// The bytes that OpenSSL has answered with since the carrier was last not full.
  private var answers: Int32 = 0
  /// The bytes that OpenSSL has taken since the last ones with data.
  private var bytesWithoutData: Int32 = 0
  /// How reading has ended after the bytes that were delivered.
  private var end: End?

  init(_ context: Context, _ carrier: ByteStreamHandle, input: Bytes) {
    self.context = context
    self.carrier = carrier
    self.input = input
    guard let ssl = SSL_new(context.raw), let bio = BIO_new(Self.method) else {
      fatalError("There is no memory for TLS.")
    }
    self.ssl = ssl
    BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    BIO_set_init(bio, 1)
    SSL_set_bio(ssl, bio, bio)
  }

  deinit { SSL_free(ssl) }

  /// The engine of a connection that OpenSSL passes to a callback.
  static func with<Result>(_ ssl: OpaquePointer?, _ body: (Engine) -> Result) -> Result {
    at(SSL_get_rbio(ssl), body)
  }

  // MARK: Calls

  func handshake() -> Outcome {
    ERR_clear_error()
    let status = SSL_do_handshake(ssl)
    return status == 1 ? .done : outcome(of: status)
  }

  /// Decrypts up to 64 KiB.
  func read() -> Outcome {
    if let end { return .ended(end) }
    isReading = true
    defer { isReading = false }
    return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { memory in
      var filled = 0
      while filled < memory.count {
        var count = 0
        ERR_clear_error()
        let status = SSL_read_ex(ssl, memory.baseAddress! + filled, memory.count - filled, &count)
        let violation = violation
        if status == 1, violation == nil {
          bytesWithoutData = 0
          filled += count
          continue
        }
        let outcome = violation.map { .ended(.failed(.protocolViolation($0))) } ?? outcome(of: status)
        if case .ended(let end) = outcome { self.end = end }
        if filled == 0 { return outcome }
        break
      }
      return .bytes(Bytes(copying: UnsafeRawBufferPointer(rebasing: memory[..<filled])))
    }
  }

  /// What the peer does wrong with the records of which only OpenSSL knows.
  private var violation: String? {
    if answers > Self.mostAnswers { return "the peer asks for answers that it does not take" }
    if bytesWithoutData > Self.mostBytesWithoutData { return "the peer sends records without data" }
    return nil
  }

  /// Encrypts bytes, and passes them to the carrier.
  func write(_ bytes: RawSpan) -> TLSError? {
    if bytes.byteCount == 0 { return nil }
    // A record takes up to 16 KiB, and some bytes for its header and its check.
    let capacity = min(bytes.byteCount + 256 * (1 + bytes.byteCount / 16_384), 66_560)
    return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) { memory in
      (room, collected) = (memory, 0)
      let error = bytes.withUnsafeBytes { bytes -> TLSError? in
        var count = 0
        ERR_clear_error()
        return SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count) == 1 ? nil : .ofConnection(ssl)
      }
      passCollected()
      room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      return error
    }
  }

  /// Sends a close-notify.
  func finish() {
    ERR_clear_error()
    SSL_shutdown(ssl)
    ERR_clear_error()
    hasFinished = true
  }

  private func outcome(of status: Int32) -> Outcome {
    switch SSL_get_error(ssl, status) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: .needsInput
    case SSL_ERROR_ZERO_RETURN: .ended(.finished)
    default: .ended(.failed(.ofConnection(ssl)))
    }
  }

  // MARK: The BIO

  /// The functions that OpenSSL calls to read and write.
  private nonisolated(unsafe) static let method: OpaquePointer? = {
    let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "carrier")
    BIO_meth_set_read_ex(method) { bio, memory, capacity, count in
      Engine.at(bio) { $0.take(bio, UnsafeMutableRawBufferPointer(start: memory, count: capacity), count!) }
    }
    BIO_meth_set_write_ex(method) { bio, memory, size, count in
      Engine.at(bio) { $0.put(UnsafeRawBufferPointer(start: memory, count: size)) }
      count?.pointee = size
      return 1
    }
    // There is nothing to flush, and no other request that OpenSSL needs.
    BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return method
  }()

  private static func at<Result>(_ bio: OpaquePointer?, _ body: (Engine) -> Result) -> Result {
    Unmanaged<Engine>.fromOpaque(BIO_get_data(bio))._withUnsafeGuaranteedRef(body)
  }

  private func take(_ bio: OpaquePointer?, _ memory: UnsafeMutableRawBufferPointer, _ count: UnsafeMutablePointer<Int>)
    -> Int32
  {
    BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
    count.pointee = min(memory.count, input.count)
    if input.isEmpty {
      BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
      return 0
    }
    input.withUnsafeBytes { memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(count.pointee))) }
    input = input.dropFirst(count.pointee)
    if isReading { bytesWithoutData += Int32(clamping: count.pointee) }
    return 1
  }

  private func put(_ bytes: UnsafeRawBufferPointer) {
    if bytes.count > room.count - collected { passCollected() }
    if bytes.count > room.count { return pass(bytes) }
    UnsafeMutableRawBufferPointer(rebasing: room[collected...]).copyMemory(from: bytes)
    collected += bytes.count
  }

  private func passCollected() {
    if collected == 0 { return }
    let count = collected
    collected = 0
    pass(UnsafeRawBufferPointer(rebasing: room[..<count]))
  }

  private func pass(_ bytes: UnsafeRawBufferPointer) {
    if hasFinished { return }
    if isReading { answers = (carrier.isFull ? answers : 0) + Int32(clamping: bytes.count) }
    carrier.write(copying: RawSpan(_unsafeBytes: bytes))
  }
}
