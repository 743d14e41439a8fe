import CCares

/// Why a name could not be resolved.
public struct ResolverError: Error, Hashable, CustomStringConvertible {
  /// The status of c-ares, such as 4 for a name that does not exist.
  public let code: Int32

  init(_ code: Int32) { self.code = code }

  /// There is no such name.
  public static let notFound = ResolverError(ARES_ENOTFOUND)
  /// The name exists, but has no record of the kind that was asked for.
  public static let noData = ResolverError(ARES_ENODATA)
  /// No server has answered in time.
  public static let timedOut = ResolverError(ARES_ETIMEOUT)
  /// The resolver has been closed.
  public static let closed = ResolverError(ARES_EDESTRUCTION)

  /// The words of c-ares.
  public var description: String { String(cString: ares_strerror(code)) }
}
