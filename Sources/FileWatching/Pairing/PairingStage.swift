import Streams

/// The stage that pairs: it returns the kernel's events in order, with the two halves of a rename as one.
///
/// The kernel queues a departure and its arrival one after the other, but a thread may be interrupted between the two.
/// A departure that matters therefore waits for its arrival, and so does everything after it.
final class PairingStage {
  /// How long a departure waits.
  static let holdTime = Duration.milliseconds(5)

  /// The next step to handle.
  enum Step {
    /// Any event that is not part of a rename.
    case event(RawEvent)
    /// A name has left a directory. `arrival` is nil if its target is not watched.
    case departure(RawEvent, arrival: RawEvent?)
    /// A name has come from a directory that is not watched.
    case arrival(RawEvent)
  }

  private var backlog = EventBacklog()
  private let scheduler: any Scheduler
  /// Called when a departure has waited for `holdTime`.
  var onDue: () -> Void = {}
  private var hold: (any Disposable)?
  /// Departures before this offset have waited for `holdTime`.
  private var settled = 0

  init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  /// The number of pending bytes.
  var count: Int { backlog.count }

  /// Reads the queue. Returns true if the queue is empty.
  func fill(from descriptor: Int32, error: inout Int32) -> Bool { backlog.fill(from: descriptor, error: &error) }

  /// Takes the next step. Returns nil if there is none, or if it must wait. `mayPair` returns true if the target of a
  /// departure matters. The names stay valid until the stage is filled again.
  func next(mayPair: (RawEvent) -> Bool) -> Step? {
    while let event = backlog.next() {
      if event.mask.contains(.movedFrom) {
        if event.offset >= settled, !backlog.hasArrival(event.cookie), mayPair(event) {
          holdBack()
          return nil
        }
        backlog.advance(over: event)
        return .departure(event, arrival: backlog.takeArrival(event.cookie))
      }
      backlog.advance(over: event)
      if !event.mask.contains(.movedTo) { return .event(event) }
      // Otherwise, its departure has already taken it.
      if let arrival = backlog.takeArrival(event.cookie) { return .arrival(arrival) }
    }
    endHold()
    backlog.shrink()
    return nil
  }

  /// Drops all pending events, and does not call back for them.
  func removeAll() {
    backlog.removeAll()
    endHold()
  }

  /// Returns no more steps until `holdTime` is over, or until the arrival has been read.
  private func holdBack() {
    if hold != nil { return }
    let end = backlog.endOffset
    hold = scheduler.schedule(after: Self.holdTime) { [unowned self] in
      hold = nil
      settled = end
      onDue()
    }
  }

  /// Ends the wait. Offsets begin at 0 again.
  private func endHold() {
    settled = 0
    hold?.dispose()
    hold = nil
  }
}
