import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import WebStreams

extension WebTests {
  @Test
  static func `files are served with their type, in parts, and only if they have changed`() async throws {
    try await withLoop { loop, bag in
      let folder = "\(Certificate.shared.folder)/site"
      for path in ["", "/www", "/www/sub", "/www/.git"] { mkdir(folder + path, 0o755) }
      func make(_ path: String, _ text: String) throws {
        let file = try #require(fopen("\(folder)/\(path)", "w"))
        fputs(text, file)
        fclose(file)
      }
      try make("secret", "secret")
      try make("www/index.html", "<p>start")
      try make("www/sub/index.html", "<p>sub")
      try make("www/a b.txt", "0123456789")
      try make("www/empty.css", "")
      try make("www/.git/config", "secret")
      symlink("../secret", "\(folder)/www/link.txt")
      symlink("a b.txt", "\(folder)/www/inside.txt")
      let files = HTTPFiles(in: "\(folder)/www/")
      let server = Server(in: bag) { files.respond(to: $0) }
      func get(_ path: String, _ fields: String = "", method: String = "GET") throws -> (status: String, text: String) {
        let client = Raw(server, "\(method) \(path) HTTP/1.0\r\n\(fields)\r\n", in: bag)
        try loop.run(until: path) { client.hasEnded }
        return (client.statuses.first ?? "", client.text)
      }
      func body(_ text: String) -> String { String(text[text.firstRange(of: "\r\n\r\n")!.upperBound...]) }
      for (path, type, expected) in [
        ("/", "text/html; charset=utf-8", "<p>start"), ("/sub/", "text/html; charset=utf-8", "<p>sub"),
        ("/a%20b.txt", "text/plain; charset=utf-8", "0123456789"), ("/empty.css?v=1", "text/css; charset=utf-8", ""),
        ("/inside.txt", "text/plain; charset=utf-8", "0123456789"),
      ] {
        let (status, text) = try get(path)
        #expect(status == "200" && text.contains("Content-Type: \(type)\r\n") && body(text) == expected, "\(path)")
        #expect(text.contains("Content-Length: \(expected.utf8.count)\r\n"))
      }
      for path in [
        "/none", "/sub", "/link.txt", "/../secret", "/sub/../../secret", "/%2e%2e/secret", "/..%2fsecret",
        "/.git/config",
        "/a%00b", "/\(String(repeating: "x", count: 300))", "/a%20b.txt/",
      ] {
        let (status, text) = try get(path)
        #expect(status == "404" && !text.contains("secret\r\n") && body(text) != "secret", "\(path): \(text)")
      }
      let (_, whole) = try get("/a%20b.txt")
      func value(_ name: String) -> String {
        let start = whole.firstRange(of: "\(name): ")!.upperBound
        return String(whole[start...].prefix { $0 != "\r\n" })
      }
      for fields in [
        "If-None-Match: \(value("ETag"))", "If-Modified-Since: \(value("Last-Modified"))", "If-None-Match: *",
      ] {
        let (status, text) = try get("/a%20b.txt", fields + "\r\n")
        #expect(status == "304" && body(text).isEmpty)
      }
      for (range, status, expected) in [
        ("bytes=2-4", "206", "234"), ("bytes=7-", "206", "789"), ("bytes=-3", "206", "789"),
        ("bytes=0-99", "206", "0123456789"),
        ("bytes=10-", "416", ""), ("bytes=-0", "416", ""), ("bytes=4-2", "200", "0123456789"),
        ("bytes=0-1,3-4", "200", "0123456789"), ("lines=1-2", "200", "0123456789"),
        ("bytes=99999999999999999999-", "200", "0123456789"),
      ] {
        let (found, text) = try get("/a%20b.txt", "Range: \(range)\r\n")
        #expect(found == status && body(text) == expected, "\(range): \(text)")
      }
      #expect(try get("/a%20b.txt", "Range: bytes=2-4\r\nIf-Range: \"other\"\r\n").status == "200")
      #expect(try get("/a%20b.txt", "Range: bytes=2-4\r\n").text.contains("Content-Range: bytes 2-4/10\r\n"))
      #expect(try get("/", method: "POST").status == "405")
      #expect(try body(get("/", method: "HEAD").text).isEmpty)
    }
  }
}
