import FileWatching
import Testing

/// The syntax of patterns.
@Suite struct PathPatternTests {
  private func matches(_ pattern: String, _ path: String, directory: Bool = false) throws -> Bool {
    try PathPattern(pattern).matches(BytePath(path), isDirectory: directory)
  }

  @Test(arguments: [
    ("*.swp", "a.swp"), ("*.swp", "x/y/a.swp"), ("a?c", "abc"), ("[a-c]x", "bx"), ("[!a-c]x", "dx"), ("[]]", "]"),
    ("[a-]", "-"), ("\\*", "*"), ("\\[a]", "[a]"), ("*", "anything"), ("a*b*c", "aXbYbZc"), ("/a", "a"), ("a/b", "a/b"),
    ("a/*", "a/b"), ("**/b", "b"), ("**/b", "x/y/b"), ("a/**", "a/b"), ("a/**", "a/b/c"), ("a/**/b", "a/b"),
    ("a/**/b", "a/x/y/b"), ("a/**/**/b", "a/x/b"), ("x**y", "xaby"), (".#*", ".#file"), ("#*#", "#file#"),
    ("a**", "deep/abc"), ("**", "deep/abc"), ("[[:alpha:]]", "x"), ("[[:digit:][:upper:]]", "X"), ("[[:]", ":"),
    ("*.o", "x/a.o"), ("a**b", "axb"), ("a/**/b*/c", "a/b/x/by/c"),
  ])
  func `fits`(_ pattern: String, _ path: String) throws {
    #expect(try matches(pattern, path))
  }

  @Test(arguments: [
    ("*.swp", "a.swpx"), ("a?c", "ac"), ("a?c", "a/c"), ("[a-c]x", "dx"), ("[!a-c]x", "bx"), ("\\*", "a"),
    ("/a", "x/a"), ("a/b", "x/a/b"), ("a/*", "a/b/c"), ("a/*", "a"), ("a/**", "a"), ("a/**/b", "ab"), ("**/b", "x/bb"),
    ("a*b*c", "aXbYb"), ("abc", "ABC"), ("*a/b", "x/ca/b"), ("?", ""), ("a", "b/c"), ("/*.o", "x/a.o"),
    ("a/b**", "a/bc/d"), ("a[/]b/c", "a/b/c"), ("x/a**/b", "x/a/y/b"),
  ])
  func `does not fit`(_ pattern: String, _ path: String) throws {
    #expect(try !matches(pattern, path))
  }

  @Test func `a slash at the end is for directories only`() throws {
    #expect(try matches("build/", "build", directory: true))
    #expect(try matches("build/", "x/build", directory: true))
    #expect(try !matches("build/", "build"))
    #expect(try matches("/build/", "build", directory: true))
    #expect(try !matches("/build/", "x/build", directory: true))
  }

  @Test func `names are bytes`() throws {
    #expect(try matches("a??", "aé"))
    #expect(try PathPattern("a?".utf8).matches(BytePath(bytes: [0x61, 0xFF]), isDirectory: false))
    #expect(try PathPattern([0xFF, 0x2A]).matches(BytePath(bytes: [0xFF, 0x2E]), isDirectory: false))
    #expect(try !PathPattern("[a-z]").matches(BytePath(bytes: [0xFF]), isDirectory: false))
  }

  @Test func `patterns are equal if they are written alike`() throws {
    #expect(try Set([PathPattern("/[a-c]*"), PathPattern("[a-c]*/"), PathPattern("/[a-c]*")]).count == 2)
    #expect(try PathPattern("[a-c]x") != PathPattern("[a-d]x"))
  }

  @Test func `many stars take no exponential time`() throws {
    let name = BytePath(bytes: Array(repeating: UInt8(ascii: "a"), count: 5000))
    #expect(try !PathPattern("*a*a*a*a*a*a*a*a*b").matches(name, isDirectory: false))
    #expect(try !PathPattern("**/a*/**/a*/**/b*").matches(name, isDirectory: false))
  }

  @Test(
    arguments: [
      ("", .empty), ("/", .empty), ("//", .empty), ("[a", .openSet), ("a[", .openSet), ("[!", .openSet),
      ("x\\", .trailingBackslash), ("[[:foo:]]", .unknownClass("foo")),
    ] as [(String, PathPattern.Invalid)])
  func `bad patterns are refused`(_ pattern: String, _ reason: PathPattern.Invalid) {
    #expect(throws: reason) { try PathPattern(pattern) }
  }
}
