import SystemdBus

/// The address of a message bus.
public enum DBusAddress: Hashable, Sendable, CustomStringConvertible {
  /// The bus of the user's session: the address in `DBUS_SESSION_BUS_ADDRESS`, or `$XDG_RUNTIME_DIR/bus`.
  case session
  /// The bus of the system: the address in `DBUS_SYSTEM_BUS_ADDRESS`, or `/run/dbus/system_bus_socket`.
  case system
  /// An address in D-Bus' syntax, for example `unix:path=/run/my-bus`.
  case address(String)

  /// The name of the bus, or its address.
  public var description: String {
    switch self {
    case .session: "the session's bus"
    case .system: "the system's bus"
    case .address(let address): address
    }
  }

  /// Begins to connect, without waiting.
  func open() throws(SystemdBusFailure) -> Bus {
    switch self {
    case .session: return try Bus.openUser()
    case .system: return try Bus.openSystem()
    case .address(let address):
      let bus = try Bus()
      try bus.setAddress(address)
      try bus.setBusClient(1)
      try bus.start()
      return bus
    }
  }
}
