/// The target of a request that is a whole URL, as clients of proxies write it (RFC 9112, 3.2.2).
struct AbsoluteTarget {
  /// The host and the port; nil if there is none, or if there is a name of a user before it.
  let host: String?
  /// The path as it is written, which can be empty.
  let path: Substring
  /// The path and the query, as a request without a host writes them.
  let pathAndQuery: String

  /// Parses a target. Returns nil if it is a path.
  init?(_ target: String) {
    let bytes = target.utf8
    let schemes = ["http://", "https://"]
    guard let scheme = schemes.first(where: { Substring(bytes.prefix($0.utf8.count)).isSame($0) }) else { return nil }
    let rest = bytes.dropFirst(scheme.utf8.count)
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    let tail = rest[authority.endIndex...]
    host = authority.isEmpty || authority.contains(UInt8(ascii: "@")) ? nil : String(Substring(authority))
    path = Substring(tail.prefix { !"?#".utf8.contains($0) })
    pathAndQuery = (path.isEmpty ? "/" : "") + String(Substring(tail))
  }
}
