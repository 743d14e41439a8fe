import FileWatching
import Glibc
import StreamsTesting
import Testing

/// Rules of ignore files, and the files that contain them.
@Suite(.noLiveResources, .serialized)
struct IgnoreTests {
  private static func options(_ change: (inout IgnoreRules) -> Void = { _ in }) -> FileWatchOptions {
    var options = FileWatchOptions()
    options.ignoreRules.usesGit = true
    options.ignoreRules.fileNames = [".ignore"]
    options.ignoreRules.patterns = [".git/"]
    change(&options.ignoreRules)
    return options
  }

  private static let makeRepository = "mkdir -p .git/info; echo ref: refs/heads/main >.git/HEAD"

  @Test func `a file of rules that cannot be read is reported once`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("chmod 777 .; echo '*.log' >.rules; chmod 600 .rules")
      // The superuser reads everything, so this thread accesses files as the user nobody.
      _ = setfsuid(65_534)
      defer { _ = setfsuid(0) }
      var options = FileWatchOptions()
      options.ignoreRules.fileNames = [".rules", ".missing"]
      options.ignoreRules.files = [BytePath(watcher.tree.absolute("missing"))]
      var notices: [String] = []
      options.onNotice = { notices.append(watcher.relative(BytePath($0.description))) }
      watcher.start([""], options)
      watcher.tree.shell("touch new; mkdir directory")
      watcher.settle()
      #expect(notices == [".rules is left out: permission denied"])
    }
  }

  @Test func `a file of rules that is too large is reported`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("echo '*.log' | tee .largest >.larger; truncate -s 4M .largest; truncate -s 4194305 .larger")
      var options = FileWatchOptions()
      options.ignoreRules.fileNames = [".largest", ".larger"]
      var notices: [String] = []
      options.onNotice = { notices.append(watcher.relative(BytePath($0.description))) }
      watcher.start([""], options)
      watcher.tree.shell("touch a.log b")
      watcher.settle()
      #expect(notices == [".larger is left out: file too large"])
      #expect(watcher.texts(without: .modified, .attributes) == ["created b"])
    }
  }

  @Test func `an ignored directory gets no watch and is not scanned`() async throws {
    try await withWatcher { watcher in
      watcher.tree.shell("\(Self.makeRepository); mkdir -p src/a build/x; cd build/x; mkdir $(seq 300)")
      watcher.tree.write(".gitignore", "build/\n")
      var asked: [BytePath] = []
      var options = Self.options()
      options.isIgnored = { path, _ in
        asked.append(path)
        return false
      }
      watcher.start([""], options)
      watcher.tree.shell(
        "touch build/file build/x/1/file; mkdir -p src/build/deep; touch src/build/deep/file src/a/file")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created src/a/file"])
      #expect(asked.allSatisfy { !$0.description.contains("build/") })
      // The tree, src, and src/a; the barrier; the directories above it; .git/info and the user's directory for the rules there; .git, /etc,
      // and the user's directories for git's configuration.
      #expect(watcher.watchCount <= 9 + watcher.tree.ancestors)
    }
  }

  @Test func `rules that change apply at once to what is there`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.shell("\(Self.makeRepository); mkdir -p a/b c/d")
      watcher.start([""], Self.options())
      let before = watcher.watchCount
      tree.write(".gitignore", "a\n")
      watcher.settle()
      #expect(watcher.watchCount == before - 2)
      watcher.clear()
      tree.shell("touch a/b/unseen c/d/seen")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created c/d/seen"])
      // The file is written elsewhere and moved into place, as editors save.
      tree.write("new", "c/d/\n")
      tree.rename("new", ".gitignore")
      watcher.settle()
      #expect(watcher.watchCount == before - 1)
      watcher.clear()
      tree.shell("touch a/b/seen c/d/unseen")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created a/b/seen"])
      tree.remove(".gitignore")
      tree.write(".git/info/exclude", "c/d\n")
      watcher.settle()
      tree.write(".git/info/exclude", "")
      watcher.settle()
      #expect(watcher.watchCount == before)
      watcher.clear()
      tree.shell("touch c/d/found")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created c/d/found"])
    }
  }

  @Test func `rules above the root apply and are read`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.shell("\(Self.makeRepository); mkdir -p src/app/out")
      tree.write(".gitignore", "*.o\n/src/app/out\n/out2\n")
      tree.write("src/.ignore", "/app/*.tmp\n!*.keep.o\n")
      watcher.start(["src/app"], Self.options())
      tree.shell("cd src/app; touch a.o b.keep.o c.tmp d.c; mkdir out2; touch out/x out2/x")
      watcher.settle()
      #expect(
        watcher.texts(without: .modified, .attributes) == [
          "created src/app/b.keep.o", "created src/app/d.c", "created src/app/out2/", "created src/app/out2/x",
        ])
      tree.write(".gitignore", "/src/app/out2\n")
      watcher.settle()
      watcher.clear()
      tree.shell("cd src/app; touch e.o out/y out2/y")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created src/app/e.o", "created src/app/out/y"])
    }
  }

  @Test func `a repository inside has its own rules`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.shell("\(Self.makeRepository); mkdir inner; cd inner; \(Self.makeRepository)")
      tree.write(".gitignore", "*.o\n")
      tree.write(".ignore", "*.tmp\n")
      tree.write("inner/.git/info/exclude", "*.c\n")
      watcher.start([""], Self.options())
      tree.shell("touch a.o a.c a.tmp inner/a.o inner/a.c inner/a.tmp")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created a.c", "created inner/a.o"])
    }
  }

  @Test func `git's rules are for repositories and others for all`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      let rules = TestTree()
      rules.write("rules", "*.x\n!a.y\n")
      tree.write(".gitignore", "*.o\n")
      tree.write(".ignore", "*.tmp\n")
      watcher.start(
        [""],
        Self.options {
          $0.usesGit = false
          $0.files = [BytePath(rules.absolute("rules")), BytePath(rules.absolute("missing"))]
          $0.patterns = ["*.z", "!b.z", "*.y"]
        })
      tree.shell("touch a.o a.tmp a.x a.y a.z b.z")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created a.o", "created b.z"])
      rules.write("missing", "*.o\n")
      watcher.settle()
      watcher.clear()
      tree.shell("touch b.o c.c")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created c.c"])
    }
  }

  @Test func `a rule file in a directory that is not there yet is found`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      let rules = TestTree()
      watcher.start([""], Self.options { $0.files = [BytePath(rules.absolute("a/b/rules"))] })
      tree.touch("a.o")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created a.o"])
      // The directories are made step by step, with one that is moved away meanwhile.
      for script in ["mkdir a", "mkdir a/b", "mv a/b c", "mkdir a/b"] {
        rules.shell(script)
        watcher.settle()
      }
      rules.write("a/b/rules", "*.o\n")
      watcher.settle()
      watcher.clear()
      tree.shell("touch b.o b.c")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created b.c"])
      // Everything is replaced at once.
      rules.shell("rm -r a; mkdir -p a/b; echo '*.c' >a/b/rules")
      watcher.settle()
      watcher.clear()
      tree.shell("touch c.o c.c")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created c.o"])
    }
  }

  @Test func `a closure judges a directory that moves by its new path`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.shell("mkdir -p a/x b")
      var options = FileWatchOptions()
      options.isIgnored = { path, _ in path.description.hasSuffix("/b/a/x") }
      watcher.start([""], options)
      let before = watcher.watchCount
      tree.rename("a", "b/a")
      watcher.settle()
      #expect(watcher.watchCount == before - 1)
      tree.rename("b/a", "c")
      watcher.settle()
      #expect(watcher.watchCount == before)
    }
  }

  @Test func `a broken line is reported once and the others apply`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.makeDirectory("a")
      tree.write("a/.ignore", "# comment [\n*.o\n[a\nb\\\n[[:foo:]]x\n*.c\n")
      var notices: [String] = []
      var options = Self.options()
      options.onNotice = { notices.append(watcher.relative(BytePath($0.description))) }
      watcher.start([""], options)
      tree.shell("touch a/a.o a/a.c a/a.d")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes) == ["created a/a.d"])
      #expect(
        notices == [
          "a/.ignore:3: the rule '[a' has a [ without its ] and is left out",
          "a/.ignore:4: the rule 'b\\' ends in a backslash with nothing after it and is left out",
          "a/.ignore:5: the rule '[[:foo:]]x' has an unknown class [:foo:] and is left out",
        ])
      tree.write("a/.ignore", "[a\n*.d\n")
      watcher.settle()
      #expect(notices.last == "a/.ignore:1: the rule '[a' has a [ without its ] and is left out")
    }
  }

  @Test func `a directory that moves is judged by its new path`() async throws {
    try await withWatcher { watcher in
      let tree = watcher.tree
      tree.shell("\(Self.makeRepository); mkdir -p a/x b")
      tree.write(".gitignore", "/b/a/x\n")
      watcher.start([""], Self.options())
      let before = watcher.watchCount
      tree.rename("a", "b/a")
      watcher.settle()
      #expect(watcher.watchCount == before - 1)
      tree.rename("b/a", "c")
      watcher.settle()
      #expect(watcher.watchCount == before)
    }
  }

  @Test(arguments: ["exclude", "user", "rules", "link", "above", "inside"])
  func `files that are made right after a rule has changed are judged by the new rule`(_ place: String) async throws {
    try await withWatcher { watcher in
      let (tree, outside) = (watcher.tree, TestTree())
      tree.shell(
        "mkdir -p sub .git/objects .git/refs/heads .git/info; echo ref: refs/heads/main >.git/HEAD; echo x >.git/info/exclude"
      )
      outside.shell("for name in user rules one; do echo x >$name; done; ln -s one link; echo y >two")
      tree.write(".git/config", place == "user" ? "[core]\n\texcludesFile = \(outside.path)/user\n" : "")
      if ["above", "inside"].contains(place) { tree.write(place == "above" ? ".gitignore" : "sub/.gitignore", "x\n") }
      if place != "exclude" { tree.write(".git/info/exclude", "") }
      var options = FileWatchOptions()
      options.ignoreRules.usesGit = true
      if ["rules", "link"].contains(place) { options.ignoreRules.files = [BytePath("\(outside.path)/\(place)")] }
      watcher.start(["sub"], options)
      watcher.settle()
      switch place {
      case "exclude": tree.write(".git/info/exclude", "y\n")
      case "user", "rules": outside.write(place, "y\n")
      case "link": outside.shell("ln -sfn two link")
      default: tree.write(place == "above" ? ".gitignore" : "sub/.gitignore", "y\n")
      }
      // The loop has not run in between, so all events are read at once.
      tree.shell("touch sub/x sub/y")
      watcher.settle()
      #expect(watcher.texts(without: .modified, .attributes).filter { !$0.contains(".gitignore") } == ["created sub/x"])
    }
  }

  @Test func `git's configuration is read again when it changes, and so is a file of rules behind a link`() async throws
  {
    try await withWatcher { watcher in
      let outside = TestTree()
      watcher.tree.shell("mkdir -p .git/objects .git/refs/heads; echo ref: refs/heads/main >.git/HEAD; : >.git/config")
      outside.shell("echo a >one; echo b >two; echo c >worktree; ln -s one link")
      var options = FileWatchOptions()
      options.ignoreRules.usesGit = true
      options.ignoreRules.patterns = [".git/"]
      watcher.start([""], options)
      func reported() -> [String] {
        watcher.settle()
        watcher.clear()
        watcher.tree.shell("rm -f a b c; touch a b c")
        watcher.settle()
        return ["a", "b", "c"].filter { watcher.count("created \($0)") == 1 }
      }
      #expect(reported() == ["a", "b", "c"])
      watcher.tree.write(".git/config", "[core]\n\texcludesFile = \(outside.path)/link\n")
      #expect(reported() == ["b", "c"])
      outside.shell("ln -sfn two link")
      #expect(reported() == ["a", "c"])
      outside.shell("echo a >two")
      #expect(reported() == ["b", "c"])
      watcher.tree.write(
        ".git/config.worktree", "[core]\n\texcludesFile = \(outside.path)/worktree\n")
      #expect(reported() == ["b", "c"])
      watcher.tree.write(".git/config", "[extensions]\n\tworktreeConfig = true\n")
      #expect(reported() == ["a", "b"])
    }
  }
}
