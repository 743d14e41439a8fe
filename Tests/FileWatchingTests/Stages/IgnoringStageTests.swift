import EventLoops
import Glibc
import StreamsTesting
import Testing

@testable import FileWatching

/// Which paths are ignored, without watching their directories.
@Suite(.noLiveResources)
struct IgnoringStageTests {
  private func options(_ patterns: BytePath..., change: (inout FileWatchOptions) -> Void = { _ in }) -> FileWatchOptions
  {
    var options = FileWatchOptions()
    options.ignoreRules.patterns = patterns
    options.ignoreRules.fileNames = [".ignore"]
    change(&options)
    return options
  }

  @Test func `the deepest file decides unless the patterns do`() async throws {
    try await withStages(options("*.z")) { stages in
      stages.tree.shell("mkdir -p a/b; printf '*.o\\n/b/*.x\\n' >.ignore; printf '!keep.o\\n!*.z\\n' >a/b/.ignore")
      try stages.scan()
      func hides(_ name: String, in path: String) throws -> Bool {
        let directory = try stages.directory(path)
        return withBytes(name) { stages.ignoring.hides($0, in: directory, isDirectory: false) }
      }
      #expect(try hides("x.o", in: ""))
      #expect(try hides("x.o", in: "a/b"))
      #expect(try !hides("keep.o", in: "a/b"))
      #expect(try hides("keep.o", in: "a"))
      #expect(try hides("keep.z", in: "a/b"))
      #expect(try !hides("y.x", in: "a/b"))
    }
  }

  @Test func `names of rule files are known`() {
    let stage = IgnoringStage(options { $0.ignoreRules.usesGit = true })
    for (name, isRuleFile) in [(".ignore", true), (".gitignore", true), (".git", true), ("ignore", false), ("", false)]
    {
      #expect(withBytes(name) { stage.isRuleFile($0) } == isRuleFile, "\(name)")
    }
    #expect(withBytes(".gitignore") { !IgnoringStage(options()).isRuleFile($0) })
  }

  /// A renamed directory is searched only if the rules may decide differently under its new name.
  @Test(
    arguments: [
      (["*.o", "build/", "/x", "!y", "**/z"], false), (["a/b"], true), (["a/**"], true), (["**/a/b"], true),
      ([], false),
    ] as [([BytePath], Bool)])
  func `only rules that look at directories make a rename matter`(_ patterns: [BytePath], matters: Bool) async throws {
    var options = FileWatchOptions()
    options.ignoreRules.patterns = patterns
    try await withStages(options) { stages in
      stages.tree.shell("mkdir -p a b")
      try stages.scan()
      #expect(
        try stages.ignoring.mayDecideOtherwise(below: stages.directory("a"), stages.directory("b")) == matters)
    }
  }

  @Test func `other files of rules or a closure make a rename matter`() async throws {
    try await withStages(options()) { stages in
      stages.tree.shell("mkdir -p a/c b; echo '*.o' >.ignore; echo '*.x' >b/.ignore")
      try stages.scan()
      #expect(try !stages.ignoring.mayDecideOtherwise(below: stages.top, stages.directory("a/c")))
      #expect(try stages.ignoring.mayDecideOtherwise(below: stages.directory("a"), stages.directory("b")))
    }
    try await withStages(options { $0.isIgnored = { _, _ in false } }) { stages in
      #expect(stages.ignoring.mayDecideOtherwise(below: stages.top, stages.top))
    }
  }
}
