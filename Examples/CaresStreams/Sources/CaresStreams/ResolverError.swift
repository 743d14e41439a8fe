import CCares

/// The error of a query or a resolver.
public struct ResolverError: Error, Hashable, CustomStringConvertible {
  /// The status of c-ares, such as 4 for a name that does not exist.
  public let code: Int32

  init(_ code: Int32) { self.code = code }

  /// The name does not exist.
  public static let notFound = ResolverError(ARES_ENOTFOUND)
  /// The name exists, but has no record of the requested type.
  public static let noData = ResolverError(ARES_ENODATA)
  /// The name has a zero byte, or another character that no name has.
  public static let invalidName = ResolverError(ARES_EBADNAME)
  /// No server has responded in time.
  public static let timedOut = ResolverError(ARES_ETIMEOUT)
  /// No server can be asked.
  public static let unreachable = ResolverError(ARES_ECONNREFUSED)
  /// The resolver has been closed.
  public static let closed = ResolverError(ARES_EDESTRUCTION)

  /// The description of the error by c-ares.
  public var description: String { String(cString: ares_strerror(code)) }
}
