import EventLoops
import Foundation
import Streams

// Code that tasks of the main actor await: actors, queues, and functions that run elsewhere.

actor Other {
  func number() -> Int { 1 }

  func links(of path: String) async throws -> Int { try await Files.status(of: path).value.links }
}

/// An actor whose executor is a queue.
actor Worker {
  private let queue: Queue
  private var numbers = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(queue: Queue) { self.queue = queue }

  func number(after microseconds: Int) -> Int {
    usleep(UInt32(microseconds))
    numbers += 1
    return 1
  }
}

@concurrent func links(of path: String) async throws -> Int { try await Files.status(of: path).value.links }

@concurrent func firstTick() async -> Int? { await IntStream.interval(.milliseconds(1)).firstValue() }

@concurrent func sumElsewhere() async -> Int { (0...1).reduce(0, +) }

/// The processor time of this process, in milliseconds.
func processorTime() -> Int {
  guard let usage = try? CurrentProcess.usage() else { return 0 }
  return Int((usage.userTime + usage.systemTime) / .milliseconds(1))
}
