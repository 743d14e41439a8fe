import CSystemdBus
import Glibc
import SystemdBus

// The functions of sd-bus with pointers to values of a type that another argument names have no generated Swift
// function.
extension BusMessage {
  /// Appends values to a message that has not been sent. Throws if the bus would end the connection because of their size.
  func append(_ values: [DBusValue]) throws(SystemdBusFailure) {
    // Room for the header.
    var size = 1024
    for value in values { try value.measure(&size) }
    if size > 128 << 20 { throw .tooLarge("a message has more than 128 MiB") }
    try appendAll(values)
  }

  private func appendAll(_ values: [DBusValue]) throws(SystemdBusFailure) { for value in values { try append(value) } }

  private func append(_ value: DBusValue) throws(SystemdBusFailure) {
    switch value {
    case .byte(let value): try append(basic: value, "y")
    case .boolean(let value): try append(basic: Int32(value ? 1 : 0), "b")
    case .int16(let value): try append(basic: value, "n")
    case .uint16(let value): try append(basic: value, "q")
    case .int32(let value): try append(basic: value, "i")
    case .uint32(let value): try append(basic: value, "u")
    case .int64(let value): try append(basic: value, "x")
    case .uint64(let value): try append(basic: value, "t")
    case .double(let value): try append(basic: value, "d")
    case .string(let value): try append(string: value, "s")
    case .objectPath(let value): try append(string: value.rawValue, "o")
    case .signature(let value): try append(string: value.rawValue, "g")
    case .fileDescriptor(let value): try append(basic: value.descriptor, "h")
    case .bytes(let bytes):
      let status = bytes.withUnsafeBytes {
        sd_bus_message_append_array(pointer, type("y"), $0.baseAddress, $0.count)
      }
      try check(status, "sd_bus_message_append_array")
    case .array(let values, let element):
      try inContainer("a", element) { () throws(SystemdBusFailure) in try appendAll(values) }
    case .dictionary(let values, let keySignature, let valueSignature):
      let entry = "\(keySignature)\(valueSignature)"
      try inContainer("a", "{\(entry)}") { () throws(SystemdBusFailure) in
        for (key, value) in values {
          try inContainer("e", entry) { () throws(SystemdBusFailure) in try appendAll([key, value]) }
        }
      }
    case .structure(let members):
      try inContainer("r", members.map(\.signature).joined()) { () throws(SystemdBusFailure) in try appendAll(members) }
    case .variant(let content):
      try inContainer("v", content.signature) { () throws(SystemdBusFailure) in try append(content) }
    }
  }

  private func append(basic value: some BitwiseCopyable, _ code: Unicode.Scalar) throws(SystemdBusFailure) {
    let status = withUnsafeBytes(of: value) { sd_bus_message_append_basic(pointer, type(code), $0.baseAddress) }
    try check(status, "sd_bus_message_append_basic")
  }

  private func append(string value: String, _ code: Unicode.Scalar) throws(SystemdBusFailure) {
    // C would end the string at a null character, and the rest would be lost.
    if value.utf8.contains(0) {
      throw SystemdBusFailure(
        function: "sd_bus_message_append_basic", code: Int(-EINVAL), message: "a string contains a null character")
    }
    try check(sd_bus_message_append_basic(pointer, type(code), value), "sd_bus_message_append_basic")
  }

  private func inContainer(
    _ code: Unicode.Scalar, _ contents: String, _ body: () throws(SystemdBusFailure) -> Void
  ) throws(SystemdBusFailure) {
    try openContainer(type(code), contents: contents)
    try body()
    try closeContainer()
  }

  /// Reads all values of a message that has been received.
  func values() throws(SystemdBusFailure) -> [DBusValue] {
    try check(sd_bus_message_rewind(pointer, 1), "sd_bus_message_rewind")
    return try rest()
  }

  /// Reads what is left in the open container, or in the message.
  private func rest() throws(SystemdBusFailure) -> [DBusValue] {
    var values: [DBusValue] = []
    while let value = try next() { values.append(value) }
    return values
  }

  private func next() throws(SystemdBusFailure) -> DBusValue? {
    var code: CChar = 0
    var contents: UnsafePointer<CChar>?
    let status = sd_bus_message_peek_type(pointer, &code, &contents)
    try check(status, "sd_bus_message_peek_type")
    if status == 0 { return nil }
    let signature = contents.map { String(cString: $0) } ?? ""
    switch Unicode.Scalar(UInt8(bitPattern: code)) {
    case "y": return .byte(try basic(code, 0))
    case "b": return .boolean(try basic(code, Int32(0)) != 0)
    case "n": return .int16(try basic(code, 0))
    case "q": return .uint16(try basic(code, 0))
    case "i": return .int32(try basic(code, 0))
    case "u": return .uint32(try basic(code, 0))
    case "x": return .int64(try basic(code, 0))
    case "t": return .uint64(try basic(code, 0))
    case "d": return .double(try basic(code, 0))
    case "s": return .string(try string(code))
    case "o": return .objectPath(DBusObjectPath(rawValue: try string(code)))
    case "g": return .signature(DBusSignature(rawValue: try string(code)))
    case "h":
      let descriptor: Int32 = try basic(code, -1)
      do throws(DBusError) {
        return .fileDescriptor(try DBusFileDescriptor(duplicating: descriptor))
      } catch {
        throw SystemdBusFailure(function: "fcntl", code: Int(-EMFILE), message: error.description)
      }
    case "a" where signature == "y":
      var start: UnsafeRawPointer?
      var count = 0
      try check(sd_bus_message_read_array(pointer, type("y"), &start, &count), "sd_bus_message_read_array")
      return .bytes(Array(UnsafeRawBufferPointer(start: start, count: count)))
    case "a" where signature.hasPrefix("{"):
      // Keys have one letter.
      let keys = String(signature.dropFirst().prefix(1))
      return .dictionary(try dictionary(signature), keys: keys, values: String(signature.dropFirst(2).dropLast()))
    case "a": return .array(try contained(code, signature), of: signature)
    case "r": return .structure(try contained(code, signature))
    case "v":
      // A variant has exactly one value.
      return try contained(code, signature).first.map { .variant($0) }
    default:
      throw SystemdBusFailure(function: "sd_bus_message_peek_type", code: Int(-EBADMSG))
    }
  }

  private func contained(_ code: CChar, _ signature: String) throws(SystemdBusFailure) -> [DBusValue] {
    try check(enterContainer(code, contents: signature), "sd_bus_message_enter_container")
    let values = try rest()
    try check(exitContainer(), "sd_bus_message_exit_container")
    return values
  }

  private func dictionary(_ entry: String) throws(SystemdBusFailure) -> [DBusValue: DBusValue] {
    var values: [DBusValue: DBusValue] = [:]
    try check(enterContainer(type("a"), contents: entry), "sd_bus_message_enter_container")
    while try atEnd(0) == 0 {
      let pair = try contained(type("e"), String(entry.dropFirst().dropLast()))
      values[pair[0]] = pair[1]
    }
    try check(exitContainer(), "sd_bus_message_exit_container")
    return values
  }

  private func basic<Value: BitwiseCopyable>(_ code: CChar, _ initial: Value) throws(SystemdBusFailure) -> Value {
    var value = initial
    try check(sd_bus_message_read_basic(pointer, code, &value), "sd_bus_message_read_basic")
    return value
  }

  private func string(_ code: CChar) throws(SystemdBusFailure) -> String {
    var value: UnsafePointer<CChar>?
    try check(sd_bus_message_read_basic(pointer, code, &value), "sd_bus_message_read_basic")
    return value.map { String(cString: $0) } ?? ""
  }

  private func check(_ status: Int32, _ function: String) throws(SystemdBusFailure) {
    if status < 0 { throw SystemdBusFailure(function: function, code: Int(status)) }
  }

  private func type(_ code: Unicode.Scalar) -> CChar { CChar(code.value) }
}
