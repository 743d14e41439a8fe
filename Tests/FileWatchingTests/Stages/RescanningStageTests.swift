import EventLoops
import Glibc
import StreamsTesting
import Testing

@testable import FileWatching

/// Comparing the known tree with the file system without any event.
@Suite(.noLiveResources)
struct RescanningStageTests {
  @Test func `each difference is reported once`() async throws {
    try await withStages { stages in
      let tree = stages.tree
      tree.shell(
        """
        mkdir -p a/b gone/deep same; touch a/deleted a/written a/old a/mode gone/deep/file same/file turned; \
        touch -d '1 hour ago' a/written a/old a/mode same/file
        """)
      try stages.scan()
      // A change after its predecessor's timestamp was read gets an exact time. The clock of `since` is up to a tick behind
      // that time, and may still be behind it after the next tick.
      var stamps: [timespec] = []
      for name in ["a/old", "same/file"] {
        _ = try #require(try stages.status(of: name))
        chmod(tree.absolute(name), 0o640)
        stamps.append(try #require(try stages.status(of: name)).changed)
      }
      var since = timespec.fileTime
      while stamps.contains(where: { $0.mayFollow(since) }) { since = timespec.fileTime }
      tree.shell(
        """
        rm a/deleted; echo x >>a/written; rm -r gone; mkdir -p a/new/deep; touch a/new/deep/file; rm turned; \
        mkdir turned; chmod 600 a/mode
        """)
      try stages.rescanning.compareTree(stages.top, since: since)
      let expected: Set = [
        "removed a/deleted", "modified a/written", "removed gone/", "created a/new/", "created a/new/deep/",
        "created a/new/deep/file", "removed turned", "created turned/", "attributes a/mode",
      ]
      let texts = stages.texts()
      #expect(Set(texts) == expected && texts.count == expected.count, "\(texts)")
      // The tree, a, a/b, a/new, a/new/deep, same, and turned.
      #expect(stages.watchCount == 7)
      try stages.rescanning.compareTree(stages.top, since: .fileTime)
      #expect(!stages.texts().contains { !$0.hasPrefix("modified") && !$0.hasPrefix("attributes") })
    }
  }

  @Test func `a directory that is another one is replaced`() async throws {
    try await withStages { stages in
      stages.tree.shell("mkdir -p a/inside b")
      try stages.scan()
      stages.tree.shell("mv a c; mv b a; touch a/new")
      try stages.rescanning.compareTree(stages.top, since: .fileTime)
      #expect(
        Set(stages.texts()) == [
          "removed a/", "removed b/", "created a/", "created a/new", "created c/", "created c/inside/",
        ])
      #expect(stages.watchCount == 4)
    }
  }

  @Test func `what is polled is compared by its stamps`() async throws {
    var options = FileWatchOptions()
    options.polling = .always
    try await withStages(options) { stages in
      stages.tree.shell("mkdir a; touch -d '1 hour ago' a/written a/mode a/same")
      try stages.scan()
      stages.tree.shell("echo x >a/written; chmod 600 a/mode; touch a/new")
      try stages.rescanning.compare(stages.polling.directories())
      #expect(Set(stages.texts()) == ["modified a/written", "attributes a/mode", "created a/new"])
      try stages.rescanning.compare(stages.polling.directories())
      #expect(stages.texts() == [])
    }
  }

  @Test func `a name that should be gone is looked for`() async throws {
    try await withStages { stages in
      stages.tree.shell("mkdir a; touch a/file")
      try stages.scan()
      let directory = try stages.directory("a")
      // A move has removed the name, but another file has taken it since.
      let position = try #require(withBytes("file") { directory.entries.find($0) })
      directory.entries.remove(at: position)
      stages.repairs.doubts.append((directory, Array("file".utf8)))
      try stages.rescanning.repair()
      #expect(stages.texts() == ["created a/file"])
    }
  }

  @Test func `a directory that cannot be reached is compared again`() async throws {
    try await withStages { stages in
      stages.tree.makeDirectory("a")
      try stages.scan()
      stages.tree.rename("a", "b")
      stages.repairs.markDirty(try stages.directory("a"))
      try stages.rescanning.repair()
      // The events of the rename have not been read yet.
      #expect(stages.texts() == [])
      #expect(stages.repairs.dirty.count == 1)
      stages.tree.shell("mv b a; touch a/new")
      try stages.rescanning.repair()
      #expect(stages.texts() == ["created a/new"])
      #expect(stages.repairs.dirty.isEmpty)
    }
  }
}
