import Testing

@testable import FileWatching

/// Events that add nothing to the previous event.
@Suite struct CoalescingStageTests {
  private func repeats(_ kind: FileEvent.Kind, after last: FileEvent.Kind, _ path: BytePath = "a") -> Bool {
    var stage = CoalescingStage()
    stage.note(FileEvent(last, "a"))
    return stage.repeats(kind) { $0 == path }
  }

  @Test func `writes to a file that was just made or written say nothing new`() {
    #expect(repeats(.modified, after: .created))
    #expect(repeats(.modified, after: .modified))
    #expect(repeats(.attributes, after: .created))
    #expect(repeats(.attributes, after: .attributes))
  }

  @Test func `everything else is news`() {
    let kinds: [FileEvent.Kind] = [.created, .modified, .removed, .renamed(to: "b"), .attributes, .overflow]
    for last in kinds {
      for kind: FileEvent.Kind in [.created, .removed, .renamed(to: "b"), .overflow] {
        #expect(!repeats(kind, after: last))
      }
      for kind in kinds { #expect(!repeats(kind, after: last, "b")) }
    }
    #expect(!repeats(.attributes, after: .modified))
    #expect(!repeats(.modified, after: .attributes))
    #expect(!repeats(.modified, after: .removed))
  }

  @Test func `the next batch begins with nothing`() {
    var stage = CoalescingStage()
    #expect(!stage.repeats(.modified) { _ in true })
    stage.note(FileEvent(.modified, "a"))
    #expect(stage.repeats(.modified) { _ in true })
    stage.begin()
    #expect(!stage.repeats(.modified) { _ in true })
  }
}
