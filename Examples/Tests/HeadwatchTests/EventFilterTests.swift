import EventLoops
import FileWatching
import Streams
import Testing

@testable import headwatch

/// The events that the filter accepts.
@Suite struct EventFilterTests {
  private func filter(
    extensions: [String] = [], kinds: Set<EventKind> = Set(EventKind.allCases)
  ) throws -> EventFilter {
    EventFilter(extensions: extensions, kinds: kinds, selection: try PathSelection())
  }

  @Test func `extensions are of files and of either end of a rename`() throws {
    let filter = try filter(extensions: ["swift", "md"])
    #expect(filter.admits(FileEvent(.modified, "./a.swift")))
    #expect(filter.admits(FileEvent(.modified, "./x/README.md")))
    #expect(!filter.admits(FileEvent(.modified, "./a.c")))
    #expect(!filter.admits(FileEvent(.modified, "./swift")))
    #expect(!filter.admits(FileEvent(.modified, "./.swift")))
    #expect(!filter.admits(FileEvent(.modified, "./xswift")))
    #expect(!filter.admits(FileEvent(.created, "./a.swift", isDirectory: true)))
    #expect(filter.admits(FileEvent(.renamed(to: "./b.swift"), "./b.tmp")))
    #expect(filter.admits(FileEvent(.renamed(to: "./b.tmp"), "./b.swift")))
  }

  @Test func `kinds are chosen and overflow is always shown`() throws {
    let filter = try filter(kinds: [.created])
    #expect(filter.admits(FileEvent(.created, "./a")))
    #expect(!filter.admits(FileEvent(.modified, "./a")))
    #expect(filter.admits(FileEvent(.overflow, ".")))
    #expect(!EventKind.changes.contains(.attributes))
  }

  @Test func `lists of kinds are read`() throws {
    #expect(try EventKind.set("created,renamed") == [.created, .renamed])
    #expect(throws: (any Error).self) { try EventKind.set("created,changed") }
    #expect(throws: (any Error).self) { try EventKind.set("") }
  }
}
