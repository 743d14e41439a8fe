/// An error for tests; two of the same name are equal.
///
/// ```swift
/// let recorder = Operation<Int, TestError>.failed("no such file").record()
/// #expect(recorder.failure == "no such file")
/// ```
public struct TestError: Error, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// What distinguishes it.
  public let name: String

  /// Makes one.
  public init(_ name: String = "") { self.name = name }

  /// Makes one.
  public init(stringLiteral name: String) { self.init(name) }

  /// `TestError(name)`.
  public var description: String { "TestError(\(name))" }
}
