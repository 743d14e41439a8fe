import CCurl

/// Why a transfer has failed.
public struct CurlError: Error, Hashable, CustomStringConvertible {
  /// curl's code, such as 7 (`CURLE_COULDNT_CONNECT`).
  public let code: UInt32
  /// curl's words.
  public let message: String

  init(_ code: CURLcode) {
    self.code = code.rawValue
    message = String(cString: curl_easy_strerror(code))
  }

  init(_ code: CURLMcode) {
    self.code = CURLE_FAILED_INIT.rawValue
    message = String(cString: curl_multi_strerror(code))
  }

  /// What transfers fail with whose `Curl` is closed.
  public static let closed = CurlError(CURLE_ABORTED_BY_CALLBACK)

  /// `message (code)`.
  public var description: String { "\(message) (\(code))" }
}
