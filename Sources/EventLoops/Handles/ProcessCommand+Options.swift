import CUV

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessCommand {
  /// The first text of the command that the system would misread: one with a zero byte, or a variable name that is
  /// empty or contains an equals sign. Nil if there is none.
  var invalidText: String? {
    let variables = environment ?? [:]
    if let invalid = argumentBytes?.first(where: { $0.contains(0) }) { return String(decoding: invalid, as: UTF8.self) }
    return ([program, directory ?? ""] + arguments + variables.keys + variables.values).first { $0.utf8.contains(0) }
      ?? variables.keys.first { $0.isEmpty || $0.utf8.contains(UInt8(ascii: "=")) }
  }

  /// Calls `body` with the command in libuv's form. `pipes` are the child's descriptors of the standard streams that are pipes. The
  /// pointers are valid during the call.
  func withOptions(_ pipes: [Int32], _ body: (inout uv_process_options_t) -> Int32) -> Int32 {
    var options = uv_process_options_t()
    let arguments = CStrings([Array(program.utf8)] + (argumentBytes ?? self.arguments.map { Array($0.utf8) }))
    let environment = environment.map { CStrings($0.map { Array("\($0.key)=\($0.value)".utf8) }) }
    let file = strdup(program)
    let cwd = directory.flatMap { strdup($0) }
    defer {
      arguments.deallocate()
      environment?.deallocate()
      free(file)
      free(cwd)
    }
    options.file = UnsafePointer(file)
    options.args = arguments.pointer
    options.env = environment?.pointer
    options.cwd = UnsafePointer(cwd)
    if ownGroup { options.flags |= UV_PROCESS_DETACHED.rawValue }
    if let user {
      options.flags |= UV_PROCESS_SETUID.rawValue
      options.uid = user
    }
    if let group {
      options.flags |= UV_PROCESS_SETGID.rawValue
      options.gid = group
    }
    let containers = UnsafeMutablePointer<uv_stdio_container_t>.allocate(capacity: 3)
    defer { containers.deallocate() }
    for (index, stdio) in [input, output, errorOutput].enumerated() {
      var container = uv_stdio_container_t()
      switch stdio {
      case .inherit:
        container.flags = UV_INHERIT_FD
        container.data.fd = Int32(index)
      case .null:
        // libuv opens /dev/null for the three standard streams.
        container.flags = UV_IGNORE
      case .descriptor(let descriptor):
        container.flags = UV_INHERIT_FD
        container.data.fd = descriptor
      case .pipe:
        container.flags = UV_INHERIT_FD
        container.data.fd = pipes[index]
      }
      (containers + index).initialize(to: container)
    }
    options.stdio = containers
    options.stdio_count = 3
    return body(&options)
  }
}

/// A NULL-terminated array of C strings.
private struct CStrings {
  let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [[UInt8]]) {
    count = strings.count
    pointer = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      let copy = (string + [0]).withUnsafeBytes { strdup($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
      (pointer + index).initialize(to: copy)
    }
    (pointer + count).initialize(to: nil)
  }

  func deallocate() {
    for index in 0..<count { free(pointer[index]) }
    pointer.deallocate()
  }
}
