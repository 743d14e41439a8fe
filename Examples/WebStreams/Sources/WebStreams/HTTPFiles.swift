import EventLoops
public import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of a folder, as responses.
///
/// ```swift
/// let files = HTTPFiles(in: "/srv/www")
/// connection.responding(until: stop) { request in files.respond(to: request) }
/// ```
///
/// It answers `GET` and `HEAD`, with the type of a file by its extension, its time, an entity tag, and one range. A folder
/// is answered by its `index.html`. A path that leaves the folder is answered with 404, as is a symbolic link out of it,
/// and files whose names begin with a dot.
public struct HTTPFiles: Sendable {
  private let folder: String
  /// What is read at once. Each read wakes two threads, so that small reads would cost more than the bytes.
  private static let chunk = 262_144

  /// Serves the files of a folder.
  public init(in folder: String) {
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
  }

  /// Emits the response to a request. The file is read as the client takes it.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - prefix: The beginning of the paths that are in the folder, with a slash at its end.
  public func respond(to request: HTTPRequest, below prefix: String = "/") -> Stream<HTTPResponse> {
    guard request.method == "GET" || request.method == "HEAD" else {
      return .just(HTTPResponse(405, headers: ["Allow": "GET, HEAD"]))
    }
    let missing = HTTPResponse.text("There is nothing at \(request.path).\n", 404)
    let rest = Substring(request.path.utf8.dropFirst(prefix.utf8.count))
    guard request.path.utf8.starts(with: prefix.utf8), let path = file(for: rest) else {
      return .just(missing)
    }
    // The folder itself may be behind a link.
    return Files.realPath(of: folder)
      .combineLatest(with: Files.realPath(of: path))
      .flatMap(.latest) { root, path -> Operation<HTTPResponse, UVError> in
        // As bytes, because the characters of two names can be the same.
        guard (path + "/").utf8.starts(with: (root == "/" ? root : root + "/").utf8) else { return .just(missing) }
        // Checks the access here, because the body is opened after its header has been sent.
        return Files.checkAccess(to: path, for: .read).flatMap(.latest) { Files.status(of: path) }.map { status in
          status.kind == .file ? response(to: request, path, status) : missing
        }
      }
      .flatMapError { error -> Stream<HTTPResponse> in
        switch error.errno {
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, EINVAL: return .just(missing)
        case EACCES: return .just(.text("This file cannot be read.\n", 403))
        default:
          Diagnostics.report("A file could not be served: \(error)")
          return .just(.text("The file could not be read.\n", 500))
        }
      }
  }

  private func file(for path: Substring) -> String? {
    // As bytes, because a combining character after a slash or a dot makes it another character.
    let slash = UInt8(ascii: "/")
    let parts = path.utf8.split(separator: slash)
    if path.utf8.contains(0) || parts.contains(where: { $0.first == UInt8(ascii: ".") }) { return nil }
    let isFolder = path.isEmpty || path.utf8.last == slash
    return ([folder] + parts.map { String(Substring($0)) } + (isFolder ? ["index.html"] : [])).joined(separator: "/")
  }

  private func response(to request: HTTPRequest, _ path: String, _ status: FileStatus) -> HTTPResponse {
    let second = Int(status.modified.sinceEpoch.components.seconds)
    let tag = "\"\(String(second, radix: 16))-\(String(status.size, radix: 16))\""
    var headers: HTTPHeaders = [
      "Content-Type": Self.type(of: path), "Last-Modified": HTTPDate.text(second), "ETag": tag,
      "Accept-Ranges": "bytes", "X-Content-Type-Options": "nosniff",
    ]
    let tags = request.headers["If-None-Match"]
    if tags.map({ $0 == "*" || $0.contains(tag) })
      ?? (request.headers["If-Modified-Since"] == HTTPDate.text(second))
    {
      return HTTPResponse(304, headers: headers)
    }
    let isOutdated = request.headers["If-Range"].map { $0 != tag && $0 != HTTPDate.text(second) } ?? false
    switch isOutdated ? .whole : Self.part(in: request.headers["Range"] ?? "", of: status.size) {
    case .part(let range):
      headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(status.size)"
      let count = range.upperBound - range.lowerBound
      return HTTPResponse(
        206, headers: headers,
        body: Operation<Bytes, UVError>.reading(path, chunkSize: Self.chunk, from: range.lowerBound, count: count),
        count: count)
    case .nothing:
      headers["Content-Range"] = "bytes */\(status.size)"
      return HTTPResponse(416, headers: headers)
    case .whole:
      if status.size == 0 { return HTTPResponse(headers: headers) }
      return HTTPResponse(
        headers: headers, body: Operation<Bytes, UVError>.reading(path, chunkSize: Self.chunk, count: status.size),
        count: status.size)
    }
  }

  /// The part of a file that a client requests.
  private enum Part {
    case whole
    case part(Range<Int64>)
    case nothing
  }

  /// Returns the part that a `Range` requests. A field that is not a single range is ignored.
  private static func part(in field: String, of size: Int64) -> Part {
    guard field.hasPrefix("bytes=") else { return .whole }
    let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) && $0.count < 19 }) else { return .whole }
    switch (Int64(parts[0]), Int64(parts[1])) {
    case (nil, nil): return .whole
    case (nil, let count?): return count == 0 || size == 0 ? .nothing : .part(max(0, size - count)..<size)
    case (let first?, let last):
      if let last, last < first { return .whole }
      return first >= size ? .nothing : .part(first..<min(last ?? size - 1, size - 1) + 1)
    }
  }

  private static func type(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return name.lastIndex(of: ".").flatMap { types[name[name.index(after: $0)...].lowercased()] }
      ?? "application/octet-stream"
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "json": "application/json",
    "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8", "xml": "application/xml",
    "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "webp": "image/webp", "avif": "image/avif", "ico": "image/x-icon", "woff": "font/woff", "woff2": "font/woff2",
    "wasm": "application/wasm", "pdf": "application/pdf", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "webm": "video/webm", "zip": "application/zip", "gz": "application/gzip",
  ]
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
