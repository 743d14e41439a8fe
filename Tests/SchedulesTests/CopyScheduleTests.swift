#if canImport(Glibc)
import Glibc
import Schedules
import Testing

@testable import EventLoops

/// Copies of files that another thread stops, in every order.
@Suite(.serialized) struct CopyScheduleTests {
  private final class Log: @unchecked Sendable {
    // Sendable: only the thread that has the turn uses it.
    /// Nil until the copy has ended.
    var hasSucceeded: Bool?
    /// The content of the target when the copy had been stopped.
    var stopped: String?
  }

  private static let content = "the new content"

  /// A directory with the files of a copy.
  private final class Directory {
    let path: String

    init() {
      var template = Array("/tmp/copy-XXXXXX".utf8CString)
      path = mkdtemp(&template).map { String(cString: $0) } ?? ""
    }

    deinit {
      for name in ["source", "target", "link"] { unlink("\(path)/\(name)") }
      rmdir(path)
    }

    /// The content of a file, or nil if there is none.
    func read(_ name: String) -> String? {
      guard let file = fopen("\(path)/\(name)", "r") else { return nil }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 100)
      let count = fread(&bytes, 1, bytes.count, file)
      return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    func write(_ name: String, _ text: String) {
      guard let file = fopen("\(path)/\(name)", "w") else { return }
      fputs(text, file)
      fclose(file)
    }
  }

  /// How the target is before the copy.
  enum Target: CaseIterable { case missing, file, link }

  private func prepare(_ directory: Directory, _ target: Target) {
    directory.write("source", Self.content)
    switch target {
    case .missing: break
    case .file: directory.write("target", "an old content, which is longer")
    case .link: symlink("target", "\(directory.path)/link")
    }
  }

  /// Adds a thread that copies, as a thread of the pool does.
  private func copy(_ schedule: Schedule, _ log: Log, _ directory: Directory, _ target: Target) -> FileCopy {
    let name = target == .link ? "link" : "target"
    let copy = FileCopy("\(directory.path)/source", "\(directory.path)/\(name)", [])
    schedule.thread("copier") {
      do throws(UVError) {
        try copy.run()
        log.hasSucceeded = true
      } catch {
        log.hasSucceeded = false
        schedule.expect(error.code == .canceled, "The copy has failed: \(error)")
      }
    }
    return copy
  }

  @Test(arguments: Target.allCases)
  func `a copy that is stopped leaves the old file, all of the new one, or none, and says which`(_ target: Target)
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let directory = Directory()
      prepare(directory, target)
      let old = directory.read("target")
      let copy = copy(schedule, log, directory, target)
      schedule.thread("stopper") {
        copy.stop()
        log.stopped = directory.read("target")
      }
      schedule.run()
      let content = directory.read("target")
      schedule.expect(
        log.hasSucceeded == true ? content == Self.content : content == old || content == nil,
        "The copy \(log.hasSucceeded == true ? "succeeded" : "failed"), and left \(content ?? "no file").")
      schedule.expect(log.stopped == content, "\(log.stopped ?? "No file") was there after the stop.")
    }
  }

  @Test(arguments: Target.allCases)
  func `what is written after a stop stays, although the copy is still running`(_ target: Target) async throws {
    try await expectNothingFound { schedule in
      let log = Log()
      let directory = Directory()
      prepare(directory, target)
      let copy = copy(schedule, log, directory, target)
      schedule.thread("stopper") {
        copy.stop()
        directory.write("target", "mine")
        Schedule.access(copy)
      }
      schedule.run()
      let content = directory.read("target")
      schedule.expect(content == "mine" && log.hasSucceeded != nil, "\(content ?? "No file") is there.")
    }
  }

  @Test func `a file that takes the place of an unfinished copy stays, whether the copy is stopped or not`()
    async throws
  {
    try await expectNothingFound { schedule in
      let log = Log()
      let directory = Directory()
      prepare(directory, .missing)
      let copy = copy(schedule, log, directory, .missing)
      schedule.thread("stopper") {
        // Waits until the copy has made its file.
        schedule.wait(for: copy) { directory.read("target") != nil }
        directory.write("link", "mine")
        rename("\(directory.path)/link", "\(directory.path)/target")
        copy.stop()
      }
      schedule.run()
      let content = directory.read("target")
      schedule.expect(content == "mine" && log.hasSucceeded != nil, "\(content ?? "No file") is there.")
    }
  }
}
#endif
