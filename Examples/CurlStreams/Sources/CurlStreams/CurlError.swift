import CCurl

/// The error of a transfer.
public struct CurlError: Error, Hashable, CustomStringConvertible {
  /// curl's code, such as 7 (`CURLE_COULDNT_CONNECT`). It is 2 (`CURLE_FAILED_INIT`) for errors of the multi handle.
  public let code: UInt32
  /// curl's description of the error.
  public let message: String

  init(_ code: CURLcode) {
    self.code = code.rawValue
    message = String(cString: curl_easy_strerror(code))
  }

  init(_ code: CURLMcode) {
    self.code = CURLE_FAILED_INIT.rawValue
    message = String(cString: curl_multi_strerror(code))
  }

  /// The error of a transfer whose `Curl` has been closed.
  public static let closed = CurlError(CURLE_ABORTED_BY_CALLBACK)

  /// `message (code)`.
  public var description: String { "\(message) (\(code))" }
}
