import CUV

extension UDPHandle {
  /// Joins a multicast group: what is sent to it arrives, too, at the port to which the socket is bound.
  ///
  /// `interface` is the numeric address of the one on which to listen, nil the system's choice; with `source` only what
  /// that host sends. Fails with `EADDRINUSE` for a group that it is in, `ENODEV` where no interface leads there, `EINVAL`
  /// for addresses that are none.
  public func join(group: String, interface: String? = nil, source: String? = nil) throws(UVError) {
    try setMembership(UV_JOIN_GROUP, group, interface, source)
  }

  /// Leaves a multicast group, as it was joined.
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

  /// Whether this machine hears what the socket sends to groups; true at first.
  public func setMulticastLoop(_ flag: Bool) throws(UVError) {
    try call("uv_udp_set_multicast_loop") { uv_udp_set_multicast_loop(udp, flag ? 1 : 0) }
  }

  /// How many routers what is sent to groups may pass, 1 to 255; 1 at first, the own network. Others fail with `EINVAL`.
  public func setMulticastTimeToLive(_ count: Int) throws(UVError) {
    try call("uv_udp_set_multicast_ttl", about: "\(count)") { uv_udp_set_multicast_ttl(udp, Int32(clamping: count)) }
  }

  /// The interface, by its numeric address, through which it sends to groups; nil is the system's choice.
  public func setMulticastInterface(_ interface: String?) throws(UVError) {
    try call("uv_udp_set_multicast_interface", about: interface) { uv_udp_set_multicast_interface(udp, interface) }
  }

  /// Whether it may send to broadcast addresses; false at first, which fails with `EACCES`.
  public func setBroadcast(_ flag: Bool) throws(UVError) {
    try call("uv_udp_set_broadcast") { uv_udp_set_broadcast(udp, flag ? 1 : 0) }
  }

  /// How many routers a message may pass, 1 to 255. Others fail with `EINVAL`.
  public func setTimeToLive(_ count: Int) throws(UVError) {
    try call("uv_udp_set_ttl", about: "\(count)") { uv_udp_set_ttl(udp, Int32(clamping: count)) }
  }

  /// True where several messages are received with one call of the system.
  public var receivesBatches: Bool { !isDisposed && uv_udp_using_recvmmsg(udp) != 0 }
}

extension UDPHandle {
  /// How many bytes the system keeps for sending; on Linux twice what was set.
  public func sendBufferSize() throws(UVError) -> Int { try bufferSize("uv_send_buffer_size", 0, uv_send_buffer_size) }

  /// Sets how many bytes the system keeps for sending.
  public func setSendBufferSize(_ count: Int) throws(UVError) {
    _ = try bufferSize("uv_send_buffer_size", max(1, count), uv_send_buffer_size)
  }

  /// How many bytes the system keeps that nobody has received; on Linux twice what was set.
  public func receiveBufferSize() throws(UVError) -> Int {
    try bufferSize("uv_recv_buffer_size", 0, uv_recv_buffer_size)
  }

  /// Sets how many bytes the system keeps that nobody has received: what comes on top of it is lost.
  public func setReceiveBufferSize(_ count: Int) throws(UVError) {
    _ = try bufferSize("uv_recv_buffer_size", max(1, count), uv_recv_buffer_size)
  }

  /// libuv asks with 0, and sets everything else.
  private func bufferSize(
    _ name: String, _ count: Int, _ body: (UnsafeMutablePointer<uv_handle_t>?, UnsafeMutablePointer<Int32>?) -> Int32
  ) throws(UVError) -> Int {
    var value = Int32(clamping: count)
    try call(name) { body(raw, &value) }
    return Int(value)
  }
}
