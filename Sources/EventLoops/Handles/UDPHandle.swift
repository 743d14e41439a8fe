import CUV
import Callbacks
public import Streams

/// A message received over UDP.
public struct Datagram: Hashable, Sendable {
  /// The contents of the message.
  public var bytes: Bytes
  /// The address of the sender.
  public var sender: SocketAddress
  /// True if the message was larger than 64 KiB minus the headers and has been cut off.
  public var isTruncated: Bool
}

/// A UDP socket: it sends and receives messages of up to 65,507 bytes (IPv4), each of which arrives whole or not at
/// all.
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
/// Ownership: libuv ===> handle ===> the observer of `datagrams`.
public final class UDPHandle: Handle {
  private var receiver: ((Result<Datagram, UVError>) -> Void)?
  private var isReceiving = false
  /// The memory for received messages: room for one message, or for twenty if they are received in one call.
  private var room: UnsafeMutableRawBufferPointer?
  private let roomSize: Int
  /// True while the observer is paused.
  private var isWaiting = false
  /// True if more messages of one system call follow. libuv drops them if it is stopped now.
  private var isInBatch = false
  /// Messages of a batch that were received after the observer paused.
  private var held: ArraySlice<Datagram> = []

  /// Makes a socket without an address.
  ///
  /// - Parameters:
  ///   - family: The address family. Nil takes it from the first address to which the socket is bound or sends. If it
  ///     receives first, it uses IPv4.
  ///   - batches: Receives up to twenty messages with one system call (`recvmmsg`) if the system has it. A flood of
  ///     messages then takes fewer instructions, and receiving takes 1.3 MiB of address space instead of 64 KiB.
  ///   - loop: The loop of the socket.
  public init(
    family: SocketAddress.Family? = nil, batches: Bool = false, on loop: Loop = .current
  ) throws(UVError) {
    roomSize = (batches ? 20 : 1) * 65_536
    let domain =
      switch family {
      case nil: AF_UNSPEC
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      // libuv refuses it with EINVAL.
      case .local: AF_UNIX
      }
    try super.init(loop, uv_udp_t.self, "uv_udp_init_ex") {
      uv_udp_init_ex($0, $1, UInt32(domain) | (batches ? UInt32(UV_UDP_RECVMMSG.rawValue) : 0))
    }
  }

  var udp: UnsafeMutablePointer<uv_udp_t> { pointer(uv_udp_t.self) }

  /// Runs a libuv function on the open handle.
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
    /// The flags, as libuv defines them.
    public let rawValue: UInt32

    /// Makes options from libuv's flags.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Lets several sockets bind one address, for multicast. A message to no group reaches the last one.
    public static let reuseAddress = BindOptions(rawValue: UInt32(UV_UDP_REUSEADDR.rawValue))
    /// Accepts IPv6 only. Otherwise, `::` receives IPv4 messages too, with addresses in their IPv6 form.
    public static let ipv6Only = BindOptions(rawValue: UInt32(UV_UDP_IPV6ONLY.rawValue))
  }

  /// Binds the socket to an address. Port 0 lets the system choose a port.
  ///
  /// Throws `EADDRINUSE`, `EADDRNOTAVAIL`, or `EACCES`, with the address as `path`, and `EINVAL` for local addresses.
  public func bind(to address: SocketAddress, options: BindOptions = []) throws(UVError) {
    try call("uv_udp_bind", about: "\(address)") {
      address.withSockAddr { native, _ in uv_udp_bind(udp, native, options.rawValue) }
    }
  }

  /// Uses a socket that other code has opened. The handle owns it from now on and closes it.
  public func open(_ descriptor: Int32) throws(UVError) {
    try call("uv_udp_open") { uv_udp_open(udp, descriptor) }
  }

  /// Restricts sending and receiving to `peer`. Nil lifts the restriction. If no program receives the messages at the
  /// peer, an error `ECONNREFUSED` is reported.
  public func connect(to peer: SocketAddress?) throws(UVError) {
    try call("uv_udp_connect", about: peer?.description) {
      if let peer { return peer.withSockAddr { native, _ in uv_udp_connect(udp, native) } }
      return uv_udp_connect(udp, nil)
    }
  }

  /// Returns the address of the socket. Throws `EBADF` if it has none yet.
  public func localAddress() throws(UVError) -> SocketAddress {
    if isDisposed { throw UVError(code: UV_ECANCELED.rawValue, call: "uv_udp_getsockname") }
    loop.check()
    return try SocketAddress.from("uv_udp_getsockname") { uv_udp_getsockname(udp, $0, $1) }
  }

  /// Returns the address of the peer. Throws `ENOTCONN` if the socket is not connected.
  public func peerAddress() throws(UVError) -> SocketAddress {
    if isDisposed { throw UVError(code: UV_ECANCELED.rawValue, call: "uv_udp_getpeername") }
    loop.check()
    return try SocketAddress.from("uv_udp_getpeername") { uv_udp_getpeername(udp, $0, $1) }
  }

  // MARK: Receiving

  /// Emits the received messages, each with its sender. Cold.
  ///
  /// Receiving begins when it is observed; a socket without an address gets one. While the observer is paused, the
  /// system keeps messages as long as it has room, and drops the rest. With `batches`, up to 19 messages of the system
  /// call under way are held for the observer, and, if it leaves, for the next one.
  ///
  /// Fails with the errors of receiving, such as `ECONNREFUSED` for a connected socket; you can then observe it again.
  /// Fails with `ECANCELED` if the handle is closed. There is one receiver at a time: a second one fails with `EBUSY`.
  /// Use `share()` for several. Never completes.
  ///
  /// Costs one allocation and one copy for each message.
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
      self.isWaiting = observer.isPaused
      let status = self.deliverHeld(to: observer)
      if observer.isDisposed || status < 0 { self.leave() }
      if status < 0 { return fail(status) }
      return BlockDisposable(
        { self.leave() },
        pause: {
          self.isWaiting = true
          if !self.isInBatch { self.stopReceiving() }
        },
        resume: {
          self.isWaiting = false
          let status = self.deliverHeld(to: observer)
          if status < 0 { observer.failed(UVError(code: status, call: "uv_udp_recv_start")) }
        })
    }
  }

  /// Delivers the messages that are held for the observer, and then receives.
  private func deliverHeld(to observer: Observer<Datagram, UVError>) -> Int32 {
    // Each delivery may pause or dispose the observer, and may close the handle.
    while !isDisposed, observer.subscription.isOpen, let datagram = held.popFirst() { observer.next(datagram) }
    return observer.subscription.isOpen ? startReceiving() : 0
  }

  /// Ends receiving. The rest of a batch is held for the next observer.
  private func leave() {
    receiver = nil
    isWaiting = true
    if !isInBatch { stopReceiving() }
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
    // libuv delivers the rest of a batch even after the handle has been closed.
    if isDisposed { return }
    if count < 0 {
      stopReceiving()
      isInBatch = false
      let receiver = receiver.take()
      receiver?(.failure(UVError(code: Int32(count), call: "uv_udp_recv", path: (try? peerAddress())?.description)))
      return
    }
    // Without a sender, nothing was received, or libuv returns the memory after a batch.
    guard let sender = SocketAddress(sender) else {
      isInBatch = false
      if isWaiting { stopReceiving() }
      return
    }
    let bytes = Bytes(copying: UnsafeRawBufferPointer(start: memory, count: count))
    let isTruncated = flags & UInt32(UV_UDP_PARTIAL.rawValue) != 0
    let datagram = Datagram(bytes: bytes, sender: sender, isTruncated: isTruncated)
    isInBatch = flags & UInt32(UV_UDP_MMSG_CHUNK.rawValue) != 0
    if isWaiting { held.append(datagram) } else { receiver?(.success(datagram)) }
  }

  override func willFree() {
    let receiver = receiver.take()
    room?.deallocate()
    room = nil
    receiver?(.failure(UVError(code: UV_ECANCELED.rawValue, call: "uv_udp_recv")))
  }
}
