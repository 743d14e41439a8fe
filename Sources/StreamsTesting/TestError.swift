/// An error for tests. Two errors with the same name are equal.
///
/// ```swift
/// let recorder = Operation<Int, TestError>.failed("no such file").record()
/// #expect(recorder.failure == "no such file")
/// ```
public struct TestError: Error, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name of the error.
  public let name: String

  /// Creates an error with a name.
  public init(_ name: String = "") { self.name = name }

  /// Creates an error with a name.
  public init(stringLiteral name: String) { self.init(name) }

  /// `TestError(name)`.
  public var description: String { "TestError(\(name))" }
}
