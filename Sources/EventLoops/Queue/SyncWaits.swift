import Streams

/// The queues that wait for each other in `sync` and `shutdown`. A circle of them would wait forever.
enum SyncWaits {
  // The waiting mailbox and its target, by the identity of the waiting one. Both live as long as the call.
  private static let waits = Lock<[ObjectIdentifier: (waiting: LoopMailbox, target: LoopMailbox)]>([:])

  /// Records that the calling thread waits for `target` while `body` runs. Traps if `target` waits for the calling
  /// thread.
  static func waiting<Result>(for target: LoopMailbox, _ body: () -> Result) -> Result {
    // No queue can wait for a thread that belongs to no queue.
    guard let mailbox = Queue.current?.mailbox else { return body() }
    let circle = waits.withLock { waits -> [LoopMailbox]? in
      var path = [mailbox, target]
      while let next = waits[ObjectIdentifier(path[path.count - 1])]?.target {
        path.append(next)
        if next === mailbox { return path }
      }
      waits[ObjectIdentifier(mailbox)] = (mailbox, target)
      return nil
    }
    if let circle { deadlock(circle) }
    defer { remove(mailbox) }
    return body()
  }

  /// Records that `mailbox` no longer waits. Also called by the target before it wakes the waiting thread, because that can take longer than
  /// the target's next job, which may wait for `mailbox`.
  static func remove(_ mailbox: LoopMailbox) {
    _ = waits.withLock { $0.removeValue(forKey: ObjectIdentifier(mailbox)) }
  }

  private static func deadlock(_ circle: [LoopMailbox]) -> Never {
    let names = circle.map { "'\($0.queue?.label ?? "?")'" }
    let chain = "Queue \(names[0]) waits for " + names.dropFirst().joined(separator: ", which waits for ")
    fatalError(
      """
      \(chain): none of them could ever continue. In one of them, use async or await instead of sync or shutdown.
      """)
  }
}
