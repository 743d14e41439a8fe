import CCurl

/// An option of a transfer with the type of its value. A value of another type does not compile.
struct EasyOption<Value> {
  /// curl's name, without the prefix. The tests look up the type of the option by this name.
  let name: String
  let option: CURLoption
  /// The shim for the type.
  let set: (UnsafeMutableRawPointer, CURLoption, Value) -> CURLcode

  /// Sets the option. Throws curl's error.
  func set(_ value: Value, of easy: UnsafeMutableRawPointer) throws(CurlError) {
    let code = set(easy, option, value)
    if code != CURLE_OK { throw CurlError(code) }
  }
}

extension EasyOption where Value == Int {
  private static func long(_ name: String, _ option: CURLoption) -> EasyOption {
    EasyOption(name: name, option: option, set: headwater_easy_set_long)
  }

  static var followsRedirects: EasyOption { long("FOLLOWLOCATION", CURLOPT_FOLLOWLOCATION) }
  static var timeout: EasyOption { long("TIMEOUT_MS", CURLOPT_TIMEOUT_MS) }
  static var noSignal: EasyOption { long("NOSIGNAL", CURLOPT_NOSIGNAL) }
  static var noBody: EasyOption { long("NOBODY", CURLOPT_NOBODY) }
  static var quickExit: EasyOption { long("QUICK_EXIT", CURLOPT_QUICK_EXIT) }
  static var keptPosts: EasyOption { long("POSTREDIR", CURLOPT_POSTREDIR) }

  static var all: [EasyOption] { [followsRedirects, timeout, noSignal, noBody, quickExit, keptPosts] }
}

extension EasyOption where Value == curl_off_t {
  static var bodySize: EasyOption {
    EasyOption(name: "POSTFIELDSIZE_LARGE", option: CURLOPT_POSTFIELDSIZE_LARGE, set: headwater_easy_set_offset)
  }
}

extension EasyOption where Value == String {
  private static func string(_ name: String, _ option: CURLoption) -> EasyOption {
    EasyOption(
      name: name, option: option,
      set: { easy, option, value in
        // curl would use only what is before the zero byte.
        if value.utf8.contains(0) { return CURLE_BAD_FUNCTION_ARGUMENT }
        return headwater_easy_set_string(easy, option, value)
      })
  }

  /// Sets the option back to curl's default.
  func reset(of easy: UnsafeMutableRawPointer) { _ = headwater_easy_set_string(easy, option, nil) }

  static var url: EasyOption { string("URL", CURLOPT_URL) }
  static var method: EasyOption { string("CUSTOMREQUEST", CURLOPT_CUSTOMREQUEST) }
  static var protocols: EasyOption { string("PROTOCOLS_STR", CURLOPT_PROTOCOLS_STR) }

  static var all: [EasyOption] { [url, method, protocols] }
}

extension EasyOption where Value == UnsafeMutableRawPointer? {
  private static func pointer(_ name: String, _ option: CURLoption) -> EasyOption {
    EasyOption(name: name, option: option, set: headwater_easy_set_pointer)
  }

  static var writeContext: EasyOption { pointer("WRITEDATA", CURLOPT_WRITEDATA) }
  static var headerContext: EasyOption { pointer("HEADERDATA", CURLOPT_HEADERDATA) }
  static var privateContext: EasyOption { pointer("PRIVATE", CURLOPT_PRIVATE) }
  static var copiedBody: EasyOption { pointer("COPYPOSTFIELDS", CURLOPT_COPYPOSTFIELDS) }

  static var all: [EasyOption] { [writeContext, headerContext, privateContext, copiedBody] }
}

extension EasyOption where Value == UnsafeMutablePointer<curl_slist>? {
  static var headers: EasyOption {
    EasyOption(name: "HTTPHEADER", option: CURLOPT_HTTPHEADER, set: headwater_easy_set_list)
  }
}

extension EasyOption where Value == curl_write_callback {
  private static func write(_ name: String, _ option: CURLoption) -> EasyOption {
    EasyOption(name: name, option: option, set: headwater_easy_set_write)
  }

  static var writeFunction: EasyOption { write("WRITEFUNCTION", CURLOPT_WRITEFUNCTION) }
  static var headerFunction: EasyOption { write("HEADERFUNCTION", CURLOPT_HEADERFUNCTION) }

  static var all: [EasyOption] { [writeFunction, headerFunction] }
}
