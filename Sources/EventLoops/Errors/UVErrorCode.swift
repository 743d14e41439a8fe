import CUV

extension UVError {
  /// The code of an error, comparable with the named codes: `error.code == .noEntry`.
  ///
  /// ```swift
  /// do {
  ///   let file = try await Files.open("settings.json").value
  ///   file.dispose()
  /// } catch UVError.noEntry {
  ///   print("no settings yet")
  /// }
  /// ```
  ///
  /// It is not an integer, because libuv's numbers are negative and a comparison with `ENOENT` would never be true.
  /// Compare `error.errno` with the system's numbers, and `code.rawValue` with libuv's.
  @frozen
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// libuv's negative error number, such as `UV_ENOENT`.
    public let rawValue: Int32

    /// Makes a code from libuv's negative error number.
    @inlinable
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Makes a code from the system's error number, such as `ENOENT`.
    public init(errno: Int32) { rawValue = uv_translate_sys_error(errno) }

    init(_ code: uv_errno_t) { rawValue = code.rawValue }

    /// The system's error number, such as `ENOENT`. Nil for an error that only libuv defines, such as the end of a
    /// file.
    public var errno: Int32? {
      // libuv's own numbers and those of the resolver begin at -3000. All others are the system's numbers, negated.
      rawValue < 0 && rawValue > -3_000 ? -rawValue : nil
    }
  }
}

extension UVError.Code: CustomStringConvertible {
  /// The symbol, such as `ENOENT`.
  public var description: String { UVError(code: self, call: "").name }
}

extension UVError.Code {
  /// `EACCES`: permission denied.
  public static var accessDenied: Self { Self(UV_EACCES) }
  /// `EADDRINUSE`: another socket has the address.
  public static var addressInUse: Self { Self(UV_EADDRINUSE) }
  /// `EADDRNOTAVAIL`: the address is not one of this machine.
  public static var addressNotAvailable: Self { Self(UV_EADDRNOTAVAIL) }
  /// `EBUSY`: the resource is in use.
  public static var busy: Self { Self(UV_EBUSY) }
  /// `ECANCELED`: the request was canceled.
  public static var canceled: Self { Self(UV_ECANCELED) }
  /// `ECONNABORTED`: the connection was aborted.
  public static var connectionAborted: Self { Self(UV_ECONNABORTED) }
  /// `ECONNREFUSED`: there is no listener at the address.
  public static var connectionRefused: Self { Self(UV_ECONNREFUSED) }
  /// `ECONNRESET`: the peer has reset the connection.
  public static var connectionReset: Self { Self(UV_ECONNRESET) }
  /// `EEXIST`: the file exists.
  public static var exists: Self { Self(UV_EEXIST) }
  /// `EHOSTUNREACH`: there is no route to the host.
  public static var hostUnreachable: Self { Self(UV_EHOSTUNREACH) }
  /// `EINVAL`: an argument is invalid.
  public static var invalidArgument: Self { Self(UV_EINVAL) }
  /// `EISDIR`: it is a directory.
  public static var isDirectory: Self { Self(UV_EISDIR) }
  /// `EMSGSIZE`: the message is too long.
  public static var messageTooLong: Self { Self(UV_EMSGSIZE) }
  /// `ENETUNREACH`: there is no route to the network.
  public static var networkUnreachable: Self { Self(UV_ENETUNREACH) }
  /// `ENOENT`: there is no such file or directory.
  public static var noEntry: Self { Self(UV_ENOENT) }
  /// `ENOSPC`: the device is full.
  public static var noSpace: Self { Self(UV_ENOSPC) }
  /// `ENOTCONN`: the socket is not connected.
  public static var notConnected: Self { Self(UV_ENOTCONN) }
  /// `ENOTDIR`: it is not a directory.
  public static var notDirectory: Self { Self(UV_ENOTDIR) }
  /// `ENOTEMPTY`: the directory is not empty.
  public static var notEmpty: Self { Self(UV_ENOTEMPTY) }
  /// `EPERM`: the operation is not permitted.
  public static var notPermitted: Self { Self(UV_EPERM) }
  /// `ENOTSUP`: the operation is not supported.
  public static var notSupported: Self { Self(UV_ENOTSUP) }
  /// `EPIPE`: the peer has stopped reading.
  public static var brokenPipe: Self { Self(UV_EPIPE) }
  /// `ETIMEDOUT`: the operation timed out.
  public static var timedOut: Self { Self(UV_ETIMEDOUT) }
  /// `EMFILE`: the process has too many open files.
  public static var tooManyOpenFiles: Self { Self(UV_EMFILE) }
  /// `ESRCH`: there is no such process.
  public static var noProcess: Self { Self(UV_ESRCH) }
  /// `EOF`: the end of a file or of a stream.
  public static var endOfFile: Self { Self(UV_EOF) }
  /// `EAI_NONAME`: the resolver knows no such host.
  public static var unknownHost: Self { Self(UV_EAI_NONAME) }
}

/// Matches an error by its libuv code: `catch UVError.Code.noEntry`, or `case .noEntry` if the error is a `UVError`.
public func ~= (code: UVError.Code, error: any Error) -> Bool { (error as? UVError)?.code == code }

/// Matches an error by its libuv code: `case .noEntry`.
@inlinable
public func ~= (code: UVError.Code, error: UVError) -> Bool { error.code == code }

// `catch UVError.noEntry` reads like the case of an enum.
extension UVError {
  /// Matches `EACCES`: permission denied.
  public static var accessDenied: Code { .accessDenied }
  /// Matches `EADDRINUSE`: another socket has the address.
  public static var addressInUse: Code { .addressInUse }
  /// Matches `EADDRNOTAVAIL`: the address is not one of this machine.
  public static var addressNotAvailable: Code { .addressNotAvailable }
  /// Matches `EBUSY`: the resource is in use.
  public static var busy: Code { .busy }
  /// Matches `ECANCELED`: the request was canceled.
  public static var canceled: Code { .canceled }
  /// Matches `ECONNABORTED`: the connection was aborted.
  public static var connectionAborted: Code { .connectionAborted }
  /// Matches `ECONNREFUSED`: there is no listener at the address.
  public static var connectionRefused: Code { .connectionRefused }
  /// Matches `ECONNRESET`: the peer has reset the connection.
  public static var connectionReset: Code { .connectionReset }
  /// Matches `EEXIST`: the file exists.
  public static var exists: Code { .exists }
  /// Matches `EHOSTUNREACH`: there is no route to the host.
  public static var hostUnreachable: Code { .hostUnreachable }
  /// Matches `EINVAL`: an argument is invalid.
  public static var invalidArgument: Code { .invalidArgument }
  /// Matches `EISDIR`: it is a directory.
  public static var isDirectory: Code { .isDirectory }
  /// Matches `EMSGSIZE`: the message is too long.
  public static var messageTooLong: Code { .messageTooLong }
  /// Matches `ENETUNREACH`: there is no route to the network.
  public static var networkUnreachable: Code { .networkUnreachable }
  /// Matches `ENOENT`: there is no such file or directory.
  public static var noEntry: Code { .noEntry }
  /// Matches `ENOSPC`: the device is full.
  public static var noSpace: Code { .noSpace }
  /// Matches `ENOTCONN`: the socket is not connected.
  public static var notConnected: Code { .notConnected }
  /// Matches `ENOTDIR`: it is not a directory.
  public static var notDirectory: Code { .notDirectory }
  /// Matches `ENOTEMPTY`: the directory is not empty.
  public static var notEmpty: Code { .notEmpty }
  /// Matches `EPERM`: the operation is not permitted.
  public static var notPermitted: Code { .notPermitted }
  /// Matches `ENOTSUP`: the operation is not supported.
  public static var notSupported: Code { .notSupported }
  /// Matches `EPIPE`: the peer has stopped reading.
  public static var brokenPipe: Code { .brokenPipe }
  /// Matches `ETIMEDOUT`: the operation timed out.
  public static var timedOut: Code { .timedOut }
  /// Matches `EMFILE`: the process has too many open files.
  public static var tooManyOpenFiles: Code { .tooManyOpenFiles }
  /// Matches `ESRCH`: there is no such process.
  public static var noProcess: Code { .noProcess }
  /// Matches `EOF`: the end of a file or of a stream.
  public static var endOfFile: Code { .endOfFile }
  /// Matches `EAI_NONAME`: the resolver knows no such host.
  public static var unknownHost: Code { .unknownHost }
}
