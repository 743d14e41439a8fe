import Glibc
import TestSupport
import Testing

@testable import FileWatching

@Suite struct GitConfigurationTests {
  @Test func `files that include each other are read up to a limit`() {
    let tree = TestTree()
    tree.write("config", "[core] excludesFile = a\n" + String(repeating: "[include] path = config\n", count: 20))
    var configuration = GitConfiguration(home: nil, store: Array(tree.absolute(".git").utf8))
    configuration.read(Array(tree.absolute("config").utf8))
    #expect(configuration.excludesFile == Array("a".utf8))
    #expect(configuration.files.count == 1000)
  }
}

/// Generated configuration files: the value of `core.excludesFile` is the one that git reads.
@Suite(.timeLimit(.minutes(60)))
struct GitConfigurationFuzzTests {
  /// A hundredth of the cases of other fuzz tests, because each one starts git.
  @Test func `the setting is git's own`() {
    let tree = TestTree()
    let home = tree.absolute("home")
    tree.shell(
      "mkdir home work && cd work && mkdir -p .git/objects .git/refs/heads && echo ref: refs/heads/main >.git/HEAD")
    let seeds = Effort.seed..<Effort.seed + max(1, Effort.cases / 100)
    var compared = 0
    for start in stride(from: seeds.lowerBound, to: seeds.upperBound, by: 500) {
      let seeds = start..<min(start + 500, seeds.upperBound)
      for seed in seeds {
        var source = ConfigurationSource(seed, home: home)
        tree.write("\(seed)", source.file(mayInclude: true))
        tree.write("\(seed)a", source.file(mayInclude: false))
        tree.write("home/\(seed)b", source.file(mayInclude: false))
      }
      tree.shell(
        """
        cd work; for seed in $(seq \(seeds.lowerBound) \(seeds.upperBound - 1)); do
          HOME=\(home) git config --file ../$seed --includes --type=path --get core.excludesFile >../$seed.out 2>/dev/null
          echo $? >>../$seed.out
        done
        """)
      for seed in seeds {
        var lines = readFile(tree.absolute("\(seed).out")).split(separator: "\n", omittingEmptySubsequences: false)
        lines.removeLast()
        let status = lines.removeLast()
        // git refuses the file.
        if status != "0" && status != "1" { continue }
        compared += 1
        var configuration = GitConfiguration(home: Array(home.utf8), store: Array(tree.absolute("work/.git").utf8))
        configuration.read(Array(tree.absolute("\(seed)").utf8))
        let value = configuration.excludesFile.map { String(decoding: $0, as: UTF8.self) }
        let expected = status == "0" ? lines.joined(separator: "\n") : nil
        let texts = ["\(seed)", "\(seed)a", "home/\(seed)b"].map { readFile(tree.absolute($0)).debugDescription }
        #expect(value == expected, "seed \(seed): \(texts.joined(separator: " "))")
        if value != expected { return }
      }
      tree.shell("rm -f *[0-9]* home/*")
    }
    // Files that git refuses would agree, too.
    if seeds.count >= 50 { #expect(compared > seeds.count / 3) }
  }
}

/// Writes configuration files that are usually valid.
private struct ConfigurationSource {
  private let seed: Int
  private let home: String
  private var random: SeededGenerator

  init(_ seed: Int, home: String) {
    self.seed = seed
    self.home = home
    random = SeededGenerator(UInt64(seed))
  }

  private mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &random)! }

  mutating func file(mayInclude: Bool) -> String {
    var text = pick(["", "", "", "\u{FEFF}"])
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      switch Int.random(in: 0..<(mayInclude ? 7 : 5), using: &random) {
      case 0: text += pick(["[core]", "[CORE]", "[core \"a\"]", "[user]", "[core.a]", "[a \"]\\\"\"]"]) + end()
      case 1, 2:
        text += "[core]" + pick(["\n", " ", ""]) + setting(pick(["excludesFile", "excludesfile", "EXCLUDESFILE"]))
      case 3: text += setting(pick(["excludesfile", "editor", "a-b", "excludesfile2"]))
      case 4: text += pick(["# a", "; a", "#\\", "  # excludesfile = x\\", "bare", "\t"]) + end()
      case 5: text += "[include]" + end() + "path = " + includedFile() + end()
      default:
        text += "[includeIf \"\(condition())\"]" + end() + "path = " + includedFile() + end()
      }
    }
    return text
  }

  private mutating func includedFile() -> String {
    pick(["\(seed)a", "./\(seed)a", "\"\(seed)a\"", "~/\(seed)b", "\(home)/\(seed)b", "missing"])
  }

  private mutating func condition() -> String {
    let path = pick(["work", "WORK", "*", "w*", "w[n-p]rk", "other", "wor?", "**"])
    return pick(["gitdir:", "gitdir:", "gitdir/i:", "onbranch:other", "nothing:"])
      + pick(["", "./", "~/", "~/../", "\(home)/../", "/", "**/", "/**/"]) + path
      + pick(["", "/", "/.git", "/**", "/.GIT"])
  }

  private mutating func setting(_ key: String) -> String {
    var text = pick(["", "\t", "  "]) + key + pick([" = ", "=", "\t=\t", " =", " "])
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      text += pick([
        "a", "b/c", "~/", "~", "/", " ", "  ", "\"", "\"", "\"a b\"", "\"#;\"", "\\\\", "\\\"", "\\t", "\\b", "\\\n",
        "\\\r\n",
        "# c", "; c \\", "=", "[", "\u{e9}", "\" \"",
      ])
    }
    return text + end()
  }

  private mutating func end() -> String { pick(["\n", "\n", "\n", "\r\n", " \n", "\t\n", "\n\n"]) }
}
