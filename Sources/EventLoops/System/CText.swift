import CUV

/// Returns the text that a libuv function writes into a buffer. If the buffer is too small, the function is called
/// again with the size that it asks for. `body` receives the buffer and its size, which it changes. Throws libuv's
/// error.
func readText(
  _ call: String, _ body: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
) throws(UVError) -> String {
  var size = 256
  while true {
    var status: Int32 = 0
    var written = size
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { room in
      status = body(room.baseAddress!, &written)
      return status == 0
        ? String(
          decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room).prefix { $0 != 0 }), as: UTF8.self)
        : ""
    }
    if status == 0 { return text }
    if status != UV_ENOBUFS.rawValue || size > 1 << 20 { throw UVError(code: status, call: call) }
    size = max(size * 2, written + 1)
  }
}

/// Returns the text that a libuv function writes into a buffer, or nil if the function fails.
func text(
  _ call: String, _ body: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
) -> String? { try? readText(call, body) }
