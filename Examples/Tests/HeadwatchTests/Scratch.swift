import Foundation

/// A watched directory for one test, and a directory beside it that is not watched.
final class Scratch {
  /// The path of the watched directory.
  let path: String
  /// The path of the directory beside it.
  let outside: String
  private let parent: String

  init() {
    let temporary = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(temporary)/headwatch-tests-XXXXXX".utf8CString)
    parent = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    path = parent + "/watched"
    outside = parent + "/outside"
    mkdir(path, 0o755)
    mkdir(outside, 0o755)
  }

  deinit { Self.shell("rm -rf '\(parent)'") }

  /// Writes a file in the watched directory, with one system call.
  func write(_ name: String, _ content: String) {
    let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    _ = content.utf8CString.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress!, $0.count - 1) }
    close(descriptor)
  }

  func remove(_ name: String) { unlink("\(path)/\(name)") }

  /// Returns the content of a file in `outside`, or an empty string if there is none.
  func readOutside(_ name: String) -> String {
    (try? String(contentsOfFile: "\(outside)/\(name)", encoding: .utf8)) ?? ""
  }

  /// Returns the number of directories and files that a process watches.
  func watches(of pid: pid_t) -> Int {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fdinfo")) ?? []
    let texts = descriptors.map { (try? String(contentsOfFile: "/proc/\(pid)/fdinfo/\($0)", encoding: .utf8)) ?? "" }
    return texts.reduce(0) { $0 + $1.components(separatedBy: "inotify wd:").count - 1 }
  }

  /// Returns the peak memory of a process, in bytes.
  func peakMemory(of pid: pid_t) -> Int {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return (line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
  }

  /// Returns whether all threads of a process sleep.
  func isAsleep(_ pid: pid_t) -> Bool {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    return threads.allSatisfy {
      (try? String(contentsOfFile: "/proc/\(pid)/task/\($0)/status", encoding: .utf8))?.contains("State:\tS") != false
    }
  }

  /// Returns how often the first thread of a process has gone to sleep.
  func switches(of pid: pid_t) -> Int {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
    return line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
  }

  /// Runs a shell script in the watched directory.
  func run(_ script: String) { Self.shell("cd '\(path)' && { \(script)\n}") }

  private static func shell(_ script: String) {
    let child = Spawned(["sh", "-c", script], environment: ProcessInfo.processInfo.environment, capturing: false)
    var status: Int32 = 0
    waitpid(child.pid, &status, 0)
  }
}
