import FileWatching
import Testing

@Suite struct FileEventTests {
  @Test func `what has moved is at its new path`() {
    #expect(FileEvent(.renamed(to: "b"), "a").currentPath == "b")
    for kind: FileEvent.Kind in [.created, .modified, .removed, .attributes, .overflow] {
      #expect(FileEvent(kind, "a").currentPath == "a")
    }
  }
}
