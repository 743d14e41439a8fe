import Expat

/// An error of expat, with its position in the document.
public struct ExpatError: Error, Hashable, CustomStringConvertible {
  /// Expat's code, for example 7 for a mismatched tag.
  public let code: UInt32
  /// Expat's description of the error.
  public let message: String
  /// The line. The first line is 1.
  public let line: Int
  /// The column. The first column is 0.
  public let column: Int

  /// Creates an error.
  public init(code: UInt32, message: String, line: Int, column: Int) {
    self.code = code
    self.message = message
    self.line = line
    self.column = column
  }

  init(_ parser: Parser, code: XmlError? = nil) {
    let code = code ?? parser.errorCode
    self.code = code.rawValue
    message = ExpatLibrary.errorString(code) ?? "error \(code.rawValue)"
    line = Int(parser.currentLineNumber)
    column = Int(parser.currentColumnNumber)
  }

  /// `line:column: message`.
  public var description: String { "\(line):\(column): \(message)" }
}
