import CUV
import Callbacks
public import Streams

/// A message that has come over UDP.
public struct Datagram: Hashable, Sendable {
  /// What was sent.
  public var bytes: Bytes
  /// Who sent it.
  public var sender: SocketAddress
  /// Whether it was larger than 64 KiB less the headers, and has lost its end.
  public var isTruncated: Bool
}

/// A UDP socket: messages of up to 65,507 bytes (IPv4), each of which arrives whole, or not at all.
///
/// ```swift
/// let socket = try UDPHandle()
/// socket.dispose(in: bag)
/// try socket.bind(to: .any(port: 9999))
/// socket.datagrams.observeNext { datagram in
///   socket.send(datagram.bytes, to: datagram.sender).observeFailed { print($0) }.dispose(in: bag)
/// }.dispose(in: bag)
/// ```
///
/// What concerns groups and options is in `UDPHandle+Options`. Ownership: libuv ===> handle ===> who receives.
public final class UDPHandle: Handle {
  private var receiver: ((Result<Datagram, UVError>) -> Void)?
  private var isReceiving = false
  /// Room for what is received: one message, or twenty where they are received in one call.
  private var room: UnsafeMutableRawBufferPointer?
  private let roomSize: Int
  /// The observer has asked to wait.
  private var isWaiting = false
  /// More messages of one call of the system follow. libuv drops them if it is stopped now.
  private var isInBatch = false
  /// Datagrams of a batch that were received after the observer paused.
  private var held: ArraySlice<Datagram> = []

  /// Makes a socket without an address.
  ///
  /// Without a `family` it is made by what comes first: the address to which it is bound or sends; receiving first makes it
  /// one of IPv4. With `batches` up to twenty messages are received with one call of the system (`recvmmsg`), where it has
  /// that: fewer instructions for a flood, 1.3 MiB of address space instead of 64 KiB while it receives.
  public init(
    family: SocketAddress.Family? = nil, batches: Bool = false, on loop: Loop = .current
  ) throws(UVError) {
    roomSize = (batches ? 20 : 1) * 65_536
    let domain =
      switch family {
      case nil: AF_UNSPEC
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      // Refused with EINVAL.
      case .local: AF_UNIX
      }
    try super.init(loop, uv_udp_t.self, "uv_udp_init_ex") {
      uv_udp_init_ex($0, $1, UInt32(domain) | (batches ? UInt32(UV_UDP_RECVMMSG.rawValue) : 0))
    }
  }

  var udp: UnsafeMutablePointer<uv_udp_t> { pointer(uv_udp_t.self) }

  /// Runs a function of libuv on the open handle.
  func call(_ name: String, about path: String? = nil, _ body: () -> Int32) throws(UVError) {
    var status = UV_ECANCELED.rawValue
    if !isDisposed {
      loop.check()
      status = body()
    }
    if status < 0 { throw UVError(code: status, call: name, path: path) }
  }

  // MARK: Addresses

  /// How a socket is bound.
  public struct BindOptions: OptionSet, Hashable, Sendable {
    /// The flags as libuv has them.
    public let rawValue: UInt32

    /// Makes options from libuv's flags.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Several sockets may have the address, for multicast; of several for one address the last gets what is sent.
    public static let reuseAddress = BindOptions(rawValue: UInt32(UV_UDP_REUSEADDR.rawValue))
    /// IPv6 alone; otherwise `::` has IPv4 messages too, with addresses in their IPv6 form.
    public static let ipv6Only = BindOptions(rawValue: UInt32(UV_UDP_IPV6ONLY.rawValue))
  }

  /// Gives it an address; port 0 has the system choose one. Fails with `EADDRINUSE`, `EADDRNOTAVAIL` or `EACCES`, and the
  /// address as `path`; local addresses fail with `EINVAL`.
  public func bind(to address: SocketAddress, options: BindOptions = []) throws(UVError) {
    try call("uv_udp_bind", about: "\(address)") {
      address.withSockAddr { native, _ in uv_udp_bind(udp, native, options.rawValue) }
    }
  }

  /// Uses a socket that somebody else has opened; it is the handle's to close from now on.
  public func open(_ descriptor: Int32) throws(UVError) {
    try call("uv_udp_open") { uv_udp_open(udp, descriptor) }
  }

  /// Sends to, and receives from, `peer` alone; nil takes that back. What nobody takes at the other side comes back as
  /// `ECONNREFUSED` then.
  public func connect(to peer: SocketAddress?) throws(UVError) {
    try call("uv_udp_connect", about: peer?.description) {
      if let peer { return peer.withSockAddr { native, _ in uv_udp_connect(udp, native) } }
      return uv_udp_connect(udp, nil)
    }
  }

  /// Its address. Fails with `EBADF` where it has none yet.
  public func localAddress() throws(UVError) -> SocketAddress {
    if isDisposed { throw UVError(code: UV_ECANCELED.rawValue, call: "uv_udp_getsockname") }
    loop.check()
    return try SocketAddress.from("uv_udp_getsockname") { uv_udp_getsockname(udp, $0, $1) }
  }

  /// The address of the peer. Fails with `ENOTCONN` where it is not connected.
  public func peerAddress() throws(UVError) -> SocketAddress {
    if isDisposed { throw UVError(code: UV_ECANCELED.rawValue, call: "uv_udp_getpeername") }
    loop.check()
    return try SocketAddress.from("uv_udp_getpeername") { uv_udp_getpeername(udp, $0, $1) }
  }

  // MARK: Receiving

  /// The messages that come in, each with its sender. Cold.
  ///
  /// Receiving begins when it is observed; a socket without an address gets one. While the observer is paused the
  /// system keeps what comes, as far as it has room, and drops the rest; with `batches` up to 19 messages of the call that was
  /// under way are kept here for the observer. Fails with what receiving fails with, such as
  /// `ECONNREFUSED` for a connected socket, and may be observed again then; with `ECANCELED` where the handle is closed.
  /// There is one receiver at a time: a second one fails with `EBUSY`; `share()` serves several. Never completes.
  ///
  /// Cost: one allocation and one copy for each message.
  public var datagrams: Operation<Datagram, UVError> {
    Operation { observer in
      func fail(_ status: Int32) -> any Disposable {
        observer.failed(UVError(code: status, call: "uv_udp_recv_start"))
        return .none
      }
      if self.isDisposed { return fail(UV_ECANCELED.rawValue) }
      self.loop.check()
      if self.receiver != nil { return fail(UV_EBUSY.rawValue) }
      self.receiver = { result in
        switch result {
        case .success(let datagram): observer.next(datagram)
        case .failure(let error): observer.failed(error)
        }
      }
      let status = observer.isPaused ? 0 : self.startReceiving()
      if status < 0 {
        self.receiver = nil
        return fail(status)
      }
      return BlockDisposable(
        {
          self.receiver = nil
          self.isWaiting = false
          self.held = []
          self.isInBatch = false
          self.stopReceiving()
        },
        pause: {
          self.isWaiting = true
          if !self.isInBatch { self.stopReceiving() }
        },
        resume: {
          self.isWaiting = false
          // Each of these deliveries may close the handle, and so may the program while they are held.
          while !self.isWaiting, !self.isDisposed, let datagram = self.held.popFirst() { observer.next(datagram) }
          let status = self.isWaiting ? 0 : self.startReceiving()
          if status < 0 { observer.failed(UVError(code: status, call: "uv_udp_recv_start")) }
        })
    }
  }

  private func startReceiving() -> Int32 {
    if isDisposed || isReceiving || receiver == nil { return 0 }
    loop.check()
    let status = uv_udp_recv_start(
      udp,
      { handle, _, buffer in
        let handle = unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: UDPHandle.self)
        let room = handle.needRoom()
        buffer!.pointee = uv_buf_init(room.baseAddress!.assumingMemoryBound(to: CChar.self), UInt32(room.count))
      },
      { handle, count, buffer, sender, flags in
        unsafeDowncast(UntilClosed<Handle>.borrow(handle!.pointee.data), to: UDPHandle.self)
          .received(count, buffer!.pointee.base, sender, flags)
      })
    isReceiving = status >= 0
    return status
  }

  private func stopReceiving() {
    if isDisposed || !isReceiving { return }
    loop.check()
    isReceiving = false
    uv_udp_recv_stop(udp)
  }

  private func needRoom() -> UnsafeMutableRawBufferPointer {
    if let room { return room }
    let made = UnsafeMutableRawBufferPointer.allocate(byteCount: roomSize, alignment: 16)
    room = made
    return made
  }

  private func received(
    _ count: Int, _ memory: UnsafeMutablePointer<CChar>?, _ sender: UnsafePointer<sockaddr>?, _ flags: UInt32
  ) {
    // Of a batch, libuv delivers the rest also after it has been told to stop.
    guard let receiver, !isDisposed else { return }
    if count < 0 {
      stopReceiving()
      isInBatch = false
      self.receiver = nil
      receiver(.failure(UVError(code: Int32(count), call: "uv_udp_recv", path: (try? peerAddress())?.description)))
      return
    }
    // Without a sender: there was nothing, or libuv gives the room back after a batch.
    guard let sender = SocketAddress(sender) else {
      isInBatch = false
      if isWaiting { stopReceiving() }
      return
    }
    let bytes = Bytes(copying: UnsafeRawBufferPointer(start: memory, count: count))
    let isTruncated = flags & UInt32(UV_UDP_PARTIAL.rawValue) != 0
    let datagram = Datagram(bytes: bytes, sender: sender, isTruncated: isTruncated)
    if isWaiting { return held.append(datagram) }
    isInBatch = flags & UInt32(UV_UDP_MMSG_CHUNK.rawValue) != 0
    receiver(.success(datagram))
  }

  override func willFree() {
    let receiver = receiver.take()
    room?.deallocate()
    room = nil
    receiver?(.failure(UVError(code: UV_ECANCELED.rawValue, call: "uv_udp_recv")))
  }
}
