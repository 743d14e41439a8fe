import Foundation
import Streams

@testable import EventLoops

/// An actor with a loop and a thread of its own. Streams that a test awaits in it are observed there.
actor LoopActor {
  let queue: Queue

  init(_ queue: Queue) { self.queue = queue }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  func run<Result: Sendable>(
    _ body: @Sendable (isolated LoopActor) async throws -> Result
  ) async rethrows -> Result { try await body(self) }
}

/// Runs `body` in an actor on a new loop, and then shuts the loop down.
func onLoop<Result: Sendable>(
  _ body: @Sendable (isolated LoopActor) async throws -> Result
) async throws -> Result {
  let queue = Queue(label: "test")
  defer { queue.shutdown() }
  return try await LoopActor(queue).run(body)
}

/// A directory that is removed when the test has ended, and that lists the descriptors that are open in it.
final class Scratch: Sendable {
  let path: String

  init() {
    var template = Array((NSTemporaryDirectory() + "/headwater-XXXXXX").utf8CString)
    let resolved = realpath(mkdtemp(&template), nil)
    path = resolved.map { String(cString: $0) } ?? ""
    free(resolved)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// The paths of the descriptors that this process has open in the directory.
  var open: [String] {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.compactMap { descriptor in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      return target.flatMap { $0.hasPrefix(path) ? $0 : nil }
    }
  }
}

/// Returns the `UVError` that `body` throws, or nil.
func failure(of body: () async throws -> Void) async -> UVError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? UVError
  }
}
