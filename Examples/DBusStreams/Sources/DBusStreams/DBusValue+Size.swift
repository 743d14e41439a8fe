import Glibc
import SystemdBus

extension DBusValue {
  /// Adds the bytes that D-Bus writes for the value. Throws if an array is larger than D-Bus allows, which sd-bus does not check.
  func measure(_ size: inout Int) throws(SystemdBusFailure) {
    func add(_ count: Int, alignedTo alignment: Int) { size = (size + alignment - 1) / alignment * alignment + count }
    func array(_ alignment: Int, _ contents: () throws(SystemdBusFailure) -> Void) throws(SystemdBusFailure) {
      add(4, alignedTo: 4)
      add(0, alignedTo: alignment)
      let start = size
      try contents()
      if size - start > 64 << 20 { throw .tooLarge("an array has more than 64 MiB") }
    }
    switch self {
    case .byte: size += 1
    case .int16, .uint16: add(2, alignedTo: 2)
    case .boolean, .int32, .uint32, .fileDescriptor: add(4, alignedTo: 4)
    case .int64, .uint64, .double: add(8, alignedTo: 8)
    case .string(let value): add(4 + value.utf8.count + 1, alignedTo: 4)
    case .objectPath(let value): add(4 + value.rawValue.utf8.count + 1, alignedTo: 4)
    case .signature(let value): size += 1 + value.rawValue.utf8.count + 1
    case .bytes(let bytes): try array(1) { size += bytes.count }
    case .array(let values, let element):
      try array(Self.alignment(of: element)) { () throws(SystemdBusFailure) in
        for value in values { try value.measure(&size) }
      }
    case .dictionary(let values, _, _):
      try array(8) { () throws(SystemdBusFailure) in
        for (key, value) in values { try DBusValue.structure([key, value]).measure(&size) }
      }
    case .structure(let members):
      add(0, alignedTo: 8)
      for member in members { try member.measure(&size) }
    case .variant(let content):
      size += 1 + content.signature.utf8.count + 1
      try content.measure(&size)
    }
  }

  private static func alignment(of signature: String) -> Int {
    switch signature.first {
    case "y", "g", "v": 1
    case "n", "q": 2
    case "x", "t", "d", "(": 8
    default: 4
    }
  }
}

extension SystemdBusFailure {
  static func tooLarge(_ message: String) -> SystemdBusFailure {
    SystemdBusFailure(function: "sd_bus_message_append", code: Int(-EMSGSIZE), message: message)
  }
}
