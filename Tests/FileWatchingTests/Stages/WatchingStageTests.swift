import EventLoops
import Glibc
import StreamsTesting
import Testing

@testable import FileWatching

/// Watches, and the directories that they belong to.
@Suite(.noLiveResources)
struct WatchingStageTests {
  @Test func `several share the watch of a directory`() async throws {
    try await withStages { stages in
      let second = Directory(root: nil, location: stages.top.location, prefix: [])
      try stages.withDescriptor { descriptor in
        for directory in [stages.top, second] {
          let isBound = try stages.watching.bind(directory, descriptor, path: { "" })
          #expect(isBound)
        }
      }
      let table = stages.watching.table
      #expect(stages.top.number == second.number)
      #expect(table.users(of: second.number).count == 2)
      #expect(table.count == 1 && stages.watchCount == 1)
      table.unbind(stages.top)
      #expect(table[second.number] === second && stages.watchCount == 1)
      table.unbind(second)
      #expect(table.count == 0 && stages.watchCount == 0)
    }
  }

  @Test func `a directory is found by its path only if it is still there`() async throws {
    try await withStages { stages in
      stages.tree.shell("mkdir -p a/b")
      try stages.scan()
      let directory = try stages.directory("a")
      #expect(try stages.watching.withVerified(directory) { _ in true } == true)
      stages.tree.rename("a", "c")
      #expect(try stages.watching.withVerified(directory) { _ in true } == nil)
      // Another directory has the same name.
      stages.tree.makeDirectory("a")
      #expect(try stages.watching.withVerified(directory) { _ in true } == nil)
      #expect(stages.watchCount == 3)
    }
  }

  @Test func `a probe tells which directory is under a name`() async throws {
    try await withStages { stages in
      stages.tree.shell("mkdir -p a/x b")
      try stages.scan()
      func probe(_ name: String, in path: String) throws -> String {
        let directory = try stages.directory(path)
        switch try withBytes(name, { try stages.watching.probe($0, in: directory) }) {
        case .unreachable: return "unreachable"
        case .missing: return "missing"
        case .found(let number): return stages.watching.table[number] == nil ? "another" : "\(number)"
        }
      }
      let number = try stages.directory("a/x").number
      #expect(try probe("x", in: "a") == "\(number)")
      stages.tree.rename("a/x", "b/y")
      #expect(try probe("x", in: "a") == "missing")
      #expect(try probe("y", in: "b") == "\(number)")
      stages.tree.makeDirectory("a/x")
      #expect(try probe("x", in: "a") == "another")
      stages.tree.rename("b", "c")
      #expect(try probe("y", in: "b") == "unreachable")
      #expect(stages.watchCount == 4)
    }
  }

  @Test func `what leaves the tree is not watched any more`() async throws {
    try await withStages { stages in
      stages.tree.shell("mkdir -p a/b/c d")
      try stages.scan()
      #expect(stages.watchCount == 5)
      let position = try #require(withBytes("a") { stages.top.entries.find($0) })
      stages.watching.drop(stages.top.detachChild(at: position))
      #expect(stages.watchCount == 2)
    }
  }

  @Test func `what is polled has no watch`() async throws {
    var options = FileWatchOptions()
    options.polling = .always
    try await withStages(options) { stages in
      stages.tree.shell("mkdir -p a/b")
      try stages.scan()
      #expect(stages.watchCount == 0)
      #expect(stages.polling.directories().count == 3)
      #expect(try stages.watching.withVerified(stages.directory("a/b")) { _ in true } == true)
    }
  }
}
