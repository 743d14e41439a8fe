import CUV
import Streams

/// An error of libuv or of the system: the function that failed, its subject, and the reason.
///
/// Catch one kind with `catch UVError.noEntry`, or compare `error.code == .noEntry` or `error.errno == ENOENT`.
public struct UVError: Error, Hashable, Sendable {
  /// The kind of error. Compare it with the named ones, such as `.noEntry`.
  public let code: Code
  /// The function that failed, such as `uv_spawn`.
  public let call: String
  /// The file, program, or address that the call was about, if any.
  public let path: String?

  /// Makes an error from a code.
  public init(code: Code, call: String, path: String? = nil) {
    self.code = code
    self.call = call
    self.path = path
  }

  /// Makes an error from the negative return value of a libuv function. Traps for a positive number, which is an
  /// `errno`.
  public init(code: Int32, call: String, path: String? = nil) {
    if code > 0 {
      misuse(
        """
        UVError(code: \(code)) takes a negative number of libuv. Use UVError(errno:call:path:) for a number of the system.
        """)
    }
    self.init(code: Code(rawValue: code), call: call, path: path)
  }

  /// Makes an error that is about an address.
  public init(code: Int32, call: String, address: SocketAddress) {
    self.init(code: code, call: call, path: address.description)
  }

  /// Makes an error from a system call's `errno`.
  public init(errno: Int32, call: String, path: String? = nil) {
    self.init(code: Code(errno: errno), call: call, path: path)
  }

  /// The system's error number, such as `ENOENT`. Nil for an error that only libuv defines, such as the end of a file.
  public var errno: Int32? { code.errno }

  /// The address that the call was about, if `path` is an address.
  public var address: SocketAddress? { path.flatMap { try? SocketAddress($0) } }

  /// The symbol of the error, such as `ENOENT`.
  public var name: String { text(uv_err_name_r) }

  /// The meaning of the error, such as `no such file or directory`.
  public var message: String { text(uv_strerror_r) }

  private func text(_ function: (Int32, UnsafeMutablePointer<CChar>?, Int) -> UnsafeMutablePointer<CChar>?) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      _ = function(code.rawValue, buffer.baseAddress, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
  }
}

extension UVError: CustomStringConvertible {
  /// The call, the path, the message, and the symbol: `uv_spawn nosuch: no such file or directory (ENOENT)`.
  public var description: String { "\(call)\(path.map { " \($0)" } ?? ""): \(message) (\(name))" }
}

/// The error of using a queue whose loop has been shut down or stopped.
public struct LoopClosed: Error, Hashable, Sendable, CustomStringConvertible {
  /// Makes the error.
  public init() {}

  /// What happened and what to do.
  public var description: String {
    """
    The loop was shut down or stopped before there was a result. Retain the Queue until its work is done, and call \
    stop() after the result has been delivered.
    """
  }
}

extension UVError: PossibleCancellation {
  package var isCancellation: Bool { code == .canceled }
}
