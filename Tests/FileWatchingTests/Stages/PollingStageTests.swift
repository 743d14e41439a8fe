import EventLoops
import Glibc
import Streams
import StreamsTesting
import Testing

@testable import FileWatching

/// Which directories are polled, and when, in virtual time.
@Suite(.noLiveResources)
struct PollingStageTests {
  private let scheduler = VirtualScheduler()

  private func options(_ polling: FileWatchOptions.Polling) -> FileWatchOptions {
    var options = FileWatchOptions()
    options.polling = polling
    options.pollInterval = .seconds(2)
    options.fileSystemType = { $0 == 1 ? 0x6969 : 0xEF53 }
    return options
  }

  private func directory(_ path: String) -> Directory {
    Directory(root: nil, location: Array(path.utf8), prefix: [])
  }

  @Test func `the file system or the option decides`() {
    func reason(_ polling: FileWatchOptions.Polling, _ descriptor: Int32) -> String {
      switch PollingStage(options(polling), scheduler).reason(for: descriptor) {
      case nil: "none"
      case .asked: "asked"
      case .fileSystem(let name): name
      case .watchLimit: "limit"
      }
    }
    #expect(reason(.automatic, 1) == "NFS")
    #expect(reason(.automatic, 2) == "none")
    #expect(reason(.always, 2) == "asked")
    #expect(reason(.never, 1) == "none")
  }

  @Test func `it polls after each interval as long as there is anything to poll`() {
    let stage = PollingStage(options(.always), scheduler)
    var times: [Duration] = []
    var isRootPolled = false
    stage.onDue = {
      times.append(self.scheduler.now)
      return isRootPolled
    }
    let first = directory("/a")
    stage.add(first, .asked) { "a" }
    #expect(first.isPolled)
    #expect(stage.directories().count == 1)
    stage.add(first, .asked) { "a" }
    #expect(stage.directories().count == 1)
    scheduler.advance(to: .seconds(5))
    #expect(times == [.seconds(2), .seconds(4)])
    // The directory has left the tree.
    first.dismantle { _ in }
    #expect(stage.directories().isEmpty)
    isRootPolled = true
    scheduler.advance(to: .seconds(9))
    #expect(times.count == 4)
    isRootPolled = false
    scheduler.advance(to: .seconds(20))
    #expect(times.count == 5)
    stage.schedule()
    stage.stop()
    stage.schedule()
    scheduler.advance(to: .seconds(30))
    #expect(times.count == 5)
  }

  @Test func `each reason is reported once`() {
    var notices: [FileWatchNotice] = []
    var options = options(.automatic)
    options.onNotice = { notices.append($0) }
    let stage = PollingStage(options, scheduler)
    stage.noticeLimit(watches: 5, links: 0)
    for name in ["a", "b"] { stage.add(directory("/\(name)"), .fileSystem("NFS")) { BytePath(name) } }
    stage.add(directory("/c"), .fileSystem("9p")) { "c" }
    for name in ["d", "e"] { stage.add(directory("/\(name)"), .watchLimit) { BytePath(name) } }
    stage.noticeLimit(watches: 5, links: 0)
    stage.noticeLimit(watches: 5, links: 0)
    #expect(
      notices == [
        .silentFileSystem("a", "NFS"), .silentFileSystem("c", "9p"),
        .watchLimit(polled: 2, limit: FileWatchError.watchLimit(), needed: 7),
      ])
    stage.stop()
  }
}
