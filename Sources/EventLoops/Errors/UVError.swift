import CUV
import Streams

/// An error of libuv or of the system below it: what failed, on what, and why.
///
/// Catch one kind with `catch UVError.noEntry`, or compare `error.code == .noEntry` or `error.errno == ENOENT`.
public struct UVError: Error, Hashable, Sendable {
  /// The kind of error. Compare it with the named ones, such as `.noEntry`.
  public let code: Code
  /// The function that failed, such as `uv_spawn`.
  public let call: String
  /// The file, program or address it was about, if any.
  public let path: String?

  /// Makes an error of a kind.
  public init(code: Code, call: String, path: String? = nil) {
    self.code = code
    self.call = call
    self.path = path
  }

  /// Makes an error from what a libuv function returned: a negative number. A positive one traps; it is an `errno`.
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

  /// The number of the system, such as `ENOENT`; nil for an error that only libuv knows, such as the end of a file.
  public var errno: Int32? { code.errno }

  /// The address it was about, where it was about one.
  public var address: SocketAddress? { path.flatMap { try? SocketAddress($0) } }

  /// The error's symbol, such as `ENOENT`.
  public var name: String { text(uv_err_name_r) }

  /// What it means, such as `no such file or directory`.
  public var message: String { text(uv_strerror_r) }

  private func text(_ function: (Int32, UnsafeMutablePointer<CChar>?, Int) -> UnsafeMutablePointer<CChar>?) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      _ = function(code.rawValue, buffer.baseAddress, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
  }
}

extension UVError: CustomStringConvertible {
  /// `uv_spawn nosuch: no such file or directory (ENOENT)`.
  public var description: String { "\(call)\(path.map { " \($0)" } ?? ""): \(message) (\(name))" }
}

/// The loop behind a queue has shut down: nothing runs there any more.
public struct LoopClosed: Error, Hashable, Sendable, CustomStringConvertible {
  /// Makes the error.
  public init() {}

  /// What happened and what to do.
  public var description: String {
    """
    The loop was shut down or stopped before there was a result. Keep the Queue alive for as long as something is to run on \
    it, and call stop() when the result has arrived.
    """
  }
}

extension UVError: PossibleCancellation {
  package var isCancellation: Bool { code == .canceled }
}
