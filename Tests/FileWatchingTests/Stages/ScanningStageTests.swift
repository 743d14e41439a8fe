import EventLoops
import Glibc
import StreamsTesting
import Testing

@testable import FileWatching

/// Scanning directories and their contents.
@Suite(.noLiveResources)
struct ScanningStageTests {
  @Test func `every directory is watched and listed`() async throws {
    try await withStages { stages in
      stages.tree.shell("mkdir -p a/b c; touch a/b/1 c/2 3; ln -s . c/loop")
      try stages.scan()
      #expect(stages.texts() == [])
      #expect(stages.watchCount == 4)
      #expect(stages.scanning.count == 4)
      #expect(stages.top.entries.names.count == 3)
      #expect(try stages.directory("a/b").entries.names == [Array("1".utf8)])
      #expect(try Set(stages.directory("c").entries.names) == [Array("2".utf8), Array("loop".utf8)])
    }
  }

  @Test func `what is found is reported on request parents first`() async throws {
    try await withStages { stages in
      stages.tree.shell("mkdir -p a/b; touch a/b/1")
      try stages.scan(isReported: true)
      #expect(stages.texts() == ["created /", "created a/", "created a/b/", "created a/b/1"])
    }
  }

  @Test func `what is ignored or too deep is not opened`() async throws {
    var options = FileWatchOptions()
    options.maximumDepth = 2
    options.ignoreRules.patterns = ["build/"]
    try await withStages(options) { stages in
      stages.tree.shell("mkdir -p a/b/c build/x")
      try stages.scan()
      #expect(stages.watchCount == 2)
      #expect(stages.scanning.count == 2)
      #expect(try stages.directory("a").entries.names == [Array("b".utf8)])
    }
  }

  @Test func `progress is reported for each thousand directories`() async throws {
    let counts = Lock([Int]())
    var options = FileWatchOptions()
    options.polling = .always
    options.onProgress = { count in counts.withLock { $0.append(count) } }
    try await withStages(options) { stages in
      stages.tree.shell("mkdir $(seq 2100)")
      try stages.scan()
      #expect(stages.scanning.count == 2101)
    }
    #expect(counts.withLock { $0 } == [1_000, 2_000])
  }
}
