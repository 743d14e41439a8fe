import CCurl
import Testing

@testable import CurlStreams

extension CurlTests {
  @Suite("Options") struct OptionTests {
    /// Compares the number and the type of an option with curl's own table.
    private func check<Value>(_ option: EasyOption<Value>, _ types: [curl_easytype]) throws {
      let known = try #require(curl_easy_option_by_name(option.name), "curl has no option \(option.name)")
      #expect(known.pointee.id == option.option, "\(option.name) is another option")
      #expect(types.contains(known.pointee.type), "\(option.name) has another type: \(known.pointee.type)")
    }

    @Test func `every option has the number and the type of value that curl gives it`() throws {
      for option in EasyOption<Int>.all { try check(option, [CURLOT_LONG, CURLOT_VALUES]) }
      try check(EasyOption<curl_off_t>.bodySize, [CURLOT_OFF_T])
      for option in EasyOption<String>.all { try check(option, [CURLOT_STRING]) }
      for option in EasyOption<UnsafeMutableRawPointer?>.all { try check(option, [CURLOT_CBPTR, CURLOT_OBJECT]) }
      try check(EasyOption<UnsafeMutablePointer<curl_slist>?>.headers, [CURLOT_SLIST])
      for option in EasyOption<curl_write_callback>.all { try check(option, [CURLOT_FUNCTION]) }
    }
  }
}
