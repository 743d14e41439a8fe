import CurlStreams
import EventLoops
import Streams
import StreamsTesting
import Testing

extension CurlTests {
  /// A request, the statuses of the redirects, and the method and body of the last request.
  struct Redirect: Sendable, CustomTestStringConvertible {
    let method: String?
    let body: [UInt8]?
    let codes: String
    let end: String
    let keepsBody: Bool

    init(_ method: String?, _ body: [UInt8]?, _ codes: String, _ end: String, keepsBody: Bool = false) {
      (self.method, self.body, self.codes, self.end, self.keepsBody) = (method, body, codes, end, keepsBody)
    }

    var testDescription: String { "\(method ?? "no method") \(codes)" }
  }

  static let redirects: [Redirect] = {
    var all: [Redirect] = []
    for body in [nil, [1, 0, 2]] as [[UInt8]?] {
      for code in ["301", "302", "303"] { all.append(Redirect("POST", body, code, "GET")) }
      for code in ["307", "308"] { all.append(Redirect("POST", body, code, "POST", keepsBody: true)) }
      for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        all.append(Redirect(method, body, "303", "GET"))
        for code in ["301", "302", "307", "308"] { all.append(Redirect(method, body, code, method, keepsBody: true)) }
      }
    }
    for code in ["301", "302", "303", "307", "308"] { all.append(Redirect("HEAD", nil, code, "HEAD")) }
    all.append(Redirect(nil, [1], "303", "GET"))
    all.append(Redirect("PUT", [1], "307/302/303/308/301", "GET"))
    all.append(Redirect("PUT", [1], "307/302/308", "PUT", keepsBody: true))
    all.append(Redirect("POST", [1], "308/302/307", "GET"))
    all.append(Redirect("HEAD", nil, "303/307/302", "HEAD"))
    return all
  }()

  @Test(arguments: redirects)
  static func `a redirect keeps or changes the method and the body, as HTTP says`(_ redirect: Redirect) async throws {
    try await withServer { loop, server, curl in
      let url = server.url("/moved/\(redirect.codes)")
      let response = curl.response(CurlRequest(url, method: redirect.method, body: redirect.body)).record()
      try loop.run(until: "it has ended") { response.termination != nil }
      let end = try #require(response.elements.first, "\(response.events)")
      #expect(end.headers.contains("X-Method: \(redirect.end)"))
      #expect(end.body == (redirect.keepsBody ? redirect.body ?? [] : []))
    }
  }

  @Test static func `a 303 that is not followed is the response`() async throws {
    try await withServer { loop, server, curl in
      var request = CurlRequest(server.url("/moved/303"), method: "PUT", body: [1])
      request.followsRedirects = false
      let response = curl.response(request).record()
      try loop.run(until: "it has ended") { response.termination != nil }
      #expect(response.elements.first?.status == 303)
    }
  }
}
