import CUV

extension UDPHandle {
  /// Joins a multicast group: messages to the group are received too, at the port to which the socket is bound.
  ///
  /// Throws `EADDRINUSE` if the socket is in the group already, `ENODEV` if no interface leads there, and `EINVAL` for
  /// invalid addresses.
  ///
  /// - Parameters:
  ///   - group: The numeric address of the group.
  ///   - interface: The numeric address of the interface to receive on. Nil lets the system choose.
  ///   - source: If not nil, the only host whose messages are received.
  public func join(group: String, interface: String? = nil, source: String? = nil) throws(UVError) {
    try setMembership(UV_JOIN_GROUP, group, interface, source)
  }

  /// Leaves a multicast group. Pass the arguments with which it was joined.
  public func leave(group: String, interface: String? = nil, source: String? = nil) throws(UVError) {
    try setMembership(UV_LEAVE_GROUP, group, interface, source)
  }

  private func setMembership(
    _ membership: uv_membership, _ group: String, _ interface: String?, _ source: String?
  ) throws(UVError) {
    let name = source == nil ? "uv_udp_set_membership" : "uv_udp_set_source_membership"
    try call(name, about: group) {
      if let source { return uv_udp_set_source_membership(udp, group, interface, source, membership) }
      return uv_udp_set_membership(udp, group, interface, membership)
    }
  }

  /// Sets whether this machine receives the messages that the socket sends to groups. True by default.
  public func setMulticastLoop(_ flag: Bool) throws(UVError) {
    try call("uv_udp_set_multicast_loop") { uv_udp_set_multicast_loop(udp, flag ? 1 : 0) }
  }

  /// Sets how many hops messages to groups may take, 1 to 255. 1 by default, which is the local network. Throws
  /// `EINVAL` for other numbers.
  public func setMulticastTimeToLive(_ count: Int) throws(UVError) {
    try call("uv_udp_set_multicast_ttl", about: "\(count)") { uv_udp_set_multicast_ttl(udp, Int32(clamping: count)) }
  }

  /// Sets the interface for messages to groups, by its numeric address. Nil lets the system choose.
  public func setMulticastInterface(_ interface: String?) throws(UVError) {
    try call("uv_udp_set_multicast_interface", about: interface) { uv_udp_set_multicast_interface(udp, interface) }
  }

  /// Sets whether the socket may send to broadcast addresses. False by default; sending to them then fails with
  /// `EACCES`.
  public func setBroadcast(_ flag: Bool) throws(UVError) {
    try call("uv_udp_set_broadcast") { uv_udp_set_broadcast(udp, flag ? 1 : 0) }
  }

  /// Sets how many hops a message may take, 1 to 255. Throws `EINVAL` for other numbers.
  public func setTimeToLive(_ count: Int) throws(UVError) {
    try call("uv_udp_set_ttl", about: "\(count)") { uv_udp_set_ttl(udp, Int32(clamping: count)) }
  }

  /// True if several messages are received with one system call.
  public var receivesBatches: Bool { !isDisposed && uv_udp_using_recvmmsg(udp) != 0 }
}

extension UDPHandle {
  /// Returns the size of the system's send buffer in bytes. On Linux it is twice the size that was set.
  public func sendBufferSize() throws(UVError) -> Int { try bufferSize("uv_send_buffer_size", 0, uv_send_buffer_size) }

  /// Sets the size of the system's send buffer in bytes.
  public func setSendBufferSize(_ count: Int) throws(UVError) {
    _ = try bufferSize("uv_send_buffer_size", max(1, count), uv_send_buffer_size)
  }

  /// Returns the size of the system's receive buffer in bytes. On Linux it is twice the size that was set.
  public func receiveBufferSize() throws(UVError) -> Int {
    try bufferSize("uv_recv_buffer_size", 0, uv_recv_buffer_size)
  }

  /// Sets the size of the system's receive buffer in bytes. Messages that do not fit are lost.
  public func setReceiveBufferSize(_ count: Int) throws(UVError) {
    _ = try bufferSize("uv_recv_buffer_size", max(1, count), uv_recv_buffer_size)
  }

  /// libuv reads the size if `count` is 0, and sets it otherwise.
  private func bufferSize(
    _ name: String, _ count: Int, _ body: (UnsafeMutablePointer<uv_handle_t>?, UnsafeMutablePointer<Int32>?) -> Int32
  ) throws(UVError) -> Int {
    var value = Int32(clamping: count)
    try call(name) { body(raw, &value) }
    return Int(value)
  }
}
