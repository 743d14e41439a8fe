import CExpat

/// Why a document cannot be read, and where.
public struct ExpatError: Error, Hashable, CustomStringConvertible {
  /// Expat's code, such as 7 for a mismatched tag.
  public let code: UInt32
  /// Expat's own words.
  public let message: String
  /// The line, from 1.
  public let line: Int
  /// The column, from 0.
  public let column: Int

  /// Makes one.
  public init(code: UInt32, message: String, line: Int, column: Int) {
    self.code = code
    self.message = message
    self.line = line
    self.column = column
  }

  init(_ parser: XML_Parser, code: XML_Error? = nil) {
    let code = code ?? XML_GetErrorCode(parser)
    self.code = UInt32(code.rawValue)
    message = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    line = Int(XML_GetCurrentLineNumber(parser))
    column = Int(XML_GetCurrentColumnNumber(parser))
  }

  /// `line:column: message`.
  public var description: String { "\(line):\(column): \(message)" }
}
