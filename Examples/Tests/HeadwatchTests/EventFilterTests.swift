import EventLoops
import FileWatching
import Streams
import Testing

@testable import headwatch

/// What of an event reaches the user.
@Suite struct EventFilterTests {
  private func filter(
    extensions: [String] = [], kinds: Set<EventKind> = Set(EventKind.allCases), ignore: [String] = []
  ) throws -> EventFilter {
    EventFilter(
      rules: try IgnoreRules(roots: ["."], patterns: ignore, usesDefaults: true), extensions: extensions, kinds: kinds)
  }

  @Test func aRenameFromAnIgnoredNameIsACreation() throws {
    let filter = try filter()
    #expect(filter.visible(FileEvent(.renamed(to: "./a"), "./a.swp")) == FileEvent(.created, "./a"))
    #expect(filter.visible(FileEvent(.renamed(to: "./a~"), "./a")) == FileEvent(.removed, "./a"))
    #expect(filter.visible(FileEvent(.renamed(to: "./a~"), "./a.swp")) == nil)
    #expect(filter.visible(FileEvent(.renamed(to: "./b"), "./a")) == FileEvent(.renamed(to: "./b"), "./a"))
  }

  @Test func extensionsAreOfFilesAndOfEitherEndOfARename() throws {
    let filter = try filter(extensions: ["swift", "md"])
    #expect(filter.visible(FileEvent(.modified, "./a.swift")) != nil)
    #expect(filter.visible(FileEvent(.modified, "./x/README.md")) != nil)
    #expect(filter.visible(FileEvent(.modified, "./a.c")) == nil)
    #expect(filter.visible(FileEvent(.modified, "./swift")) == nil)
    #expect(filter.visible(FileEvent(.modified, "./.swift")) == nil)
    #expect(filter.visible(FileEvent(.modified, "./xswift")) == nil)
    #expect(filter.visible(FileEvent(.created, "./a.swift", isDirectory: true)) == nil)
    #expect(filter.visible(FileEvent(.renamed(to: "./b.swift"), "./b.tmp")) != nil)
    #expect(filter.visible(FileEvent(.renamed(to: "./b.tmp"), "./b.swift")) != nil)
  }

  @Test func kindsAreChosenAndOverflowIsAlwaysShown() throws {
    let filter = try filter(kinds: [.created])
    #expect(filter.visible(FileEvent(.created, "./a")) != nil)
    #expect(filter.visible(FileEvent(.modified, "./a")) == nil)
    #expect(filter.visible(FileEvent(.overflow, ".")) != nil)
    #expect(!EventKind.changes.contains(.attributes))
  }

  @Test func listsOfKindsAreRead() throws {
    #expect(try EventKind.set("created,renamed") == [.created, .renamed])
    #expect(throws: (any Error).self) { try EventKind.set("created,changed") }
    #expect(throws: (any Error).self) { try EventKind.set("") }
  }
}
