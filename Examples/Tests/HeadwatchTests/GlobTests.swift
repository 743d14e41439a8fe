import EventLoops
import FileWatching
import Streams
import Testing

@testable import headwatch

/// The language of `--ignore`.
@Suite struct GlobTests {
  private func matches(_ pattern: String, _ path: String, directory: Bool = false) throws -> Bool {
    try Glob(pattern).matches(Array(path.utf8)[...], isDirectory: directory)
  }

  @Test(arguments: [
    ("*.swp", "a.swp"), ("*.swp", "x/y/a.swp"), ("a?c", "abc"), ("a?c", "aéc"), ("[a-c]x", "bx"), ("[!a-c]x", "dx"),
    ("[^a]", "é"), ("[à-ü]", "é"), ("[]]", "]"), ("[a-]", "-"), ("\\*", "*"), ("\\[a]", "[a]"), ("*", "anything"),
    ("a*b*c", "aXbYbZc"), ("/a", "a"), ("a/b", "a/b"), ("a/*", "a/b"), ("**/b", "b"), ("**/b", "x/y/b"),
    ("a/**", "a/b"), ("a/**", "a/b/c"), ("a/**/b", "a/b"), ("a/**/b", "a/x/y/b"), ("a/**/**/b", "a/x/b"),
    ("x**y", "xaby"), (".#*", ".#file"), ("#*#", "#file#"), ("a**", "deep/abc"), ("**", "deep/abc"),
  ])
  func fits(_ pattern: String, _ path: String) throws {
    #expect(try matches(pattern, path))
  }

  @Test(arguments: [
    ("*.swp", "a.swpx"), ("a?c", "ac"), ("a?c", "a/c"), ("[a-c]x", "dx"), ("[!a-c]x", "bx"), ("\\*", "a"),
    ("/a", "x/a"),
    ("a/b", "x/a/b"), ("a/*", "a/b/c"), ("a/*", "a"), ("a/**", "a"), ("a/**/b", "ab"), ("**/b", "x/bb"),
    ("a*b*c", "aXbYb"),
    ("abc", "ABC"), ("*a/b", "x/ca/b"), ("?", ""), ("a", "b/c"),
  ])
  func doesNotFit(_ pattern: String, _ path: String) throws {
    #expect(try !matches(pattern, path))
  }

  @Test func aSlashAtTheEndIsForDirectoriesOnly() throws {
    #expect(try matches("build/", "build", directory: true))
    #expect(try matches("build/", "x/build", directory: true))
    #expect(try !matches("build/", "build"))
    #expect(try matches("/build/", "build", directory: true))
    #expect(try !matches("/build/", "x/build", directory: true))
  }

  @Test func bytesThatAreNotUTF8CountAsOneCharacterEach() throws {
    #expect(try Glob("a?").matches([0x61, 0xFF], isDirectory: false))
    #expect(try Glob("a??").matches([0x61, 0xFF, 0xFE], isDirectory: false))
    #expect(try Glob("*.o").matches([0xFF, 0x2E, 0x6F], isDirectory: false))
    #expect(try !Glob("[a-z]").matches([0xFF], isDirectory: false))
  }

  @Test func manyStarsTakeNoExponentialTime() throws {
    let name = Array(repeating: UInt8(ascii: "a"), count: 5000)[...]
    #expect(try !Glob("*a*a*a*a*a*a*a*a*b").matches(name, isDirectory: false))
  }

  @Test(arguments: ["", "/", "[a", "a[", "[!", "x\\", "//"])
  func badPatternsAreRefused(_ pattern: String) {
    #expect(throws: Glob.Invalid.self) { try Glob(pattern) }
  }
}

/// Default patterns, roots and relative paths.
@Suite struct IgnoreRulesTests {
  private func rules(_ roots: [BytePath] = ["."], _ patterns: [String] = [], defaults: Bool = true) throws
    -> IgnoreRules
  {
    try IgnoreRules(roots: roots, patterns: patterns, usesDefaults: defaults)
  }

  @Test func whatEditorsAndToolsLeaveBehindIsIgnored() throws {
    let rules = try rules()
    for name in [".git", ".hg", ".svn", ".jj", ".build", ".swiftpm"] {
      #expect(rules.isIgnored(BytePath("./" + name), isDirectory: true))
      #expect(rules.isIgnored(BytePath("./deep/" + name), isDirectory: true))
      #expect(!rules.isIgnored(BytePath("./" + name), isDirectory: false))
    }
    let names = [
      ".a.swp", ".a.swo", ".a.swx", "a~", ".#a", "#a#", "4913", ".a.kate-swp", ".goutputstream-X", ".DS_Store",
    ]
    for name in names { #expect(rules.isIgnored(BytePath("./x/" + name), isDirectory: false)) }
    for name in ["a.swift", ".gitignore", "49130", "a.tmp", "x#"] {
      #expect(!rules.isIgnored(BytePath("./x/" + name), isDirectory: false))
    }
  }

  @Test func defaultsCanBeTurnedOffButOwnFilesNot() throws {
    let rules = try rules(defaults: false)
    #expect(!rules.isIgnored("./.git", isDirectory: true))
    #expect(rules.isIgnored("./headwatch-changes-AbCdEf", isDirectory: false))
  }

  @Test func aRootIsNeverIgnored() throws {
    let rules = try rules([".git", "/", "a/"], ["*"])
    #expect(!rules.isIgnored(".git", isDirectory: true))
    #expect(!rules.isIgnored("a", isDirectory: true))
    #expect(rules.isIgnored(".git/HEAD", isDirectory: false))
    #expect(rules.isIgnored("/etc", isDirectory: true))
  }

  @Test func anchoredPatternsBeginAtTheRootTheyAreIn() throws {
    let rules = try rules(["src", "src/sub", "/abs/"], ["/x", "y/z"])
    #expect(rules.isIgnored("src/x", isDirectory: false))
    #expect(rules.isIgnored("src/sub/x", isDirectory: false))
    #expect(!rules.isIgnored("src/other/x", isDirectory: false))
    #expect(rules.isIgnored("/abs/y/z", isDirectory: false))
    #expect(!rules.isIgnored("/abs/a/y/z", isDirectory: false))
  }
}
