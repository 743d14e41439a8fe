import Streams

/// The stage that pairs: gives what the kernel has reported in order, with the two halves of a rename as one.
///
/// The kernel queues a departure and its arrival one after the other, but a thread may be interrupted between the two. So a
/// departure that matters waits for its arrival, and all that follows waits with it.
final class PairingStage {
  /// How long a departure waits.
  static let holdTime = Duration.milliseconds(5)

  /// What comes next.
  enum Step {
    /// Anything that is no rename.
    case event(RawEvent)
    /// A name has left a directory. It has arrived elsewhere, unless that is not watched.
    case departure(RawEvent, arrival: RawEvent?)
    /// A name has come from a directory that is not watched.
    case arrival(RawEvent)
  }

  private var backlog = EventBacklog()
  private let scheduler: any Scheduler
  /// Called when a departure has waited long enough.
  var onDue: () -> Void = {}
  private var hold: (any Disposable)?
  /// Departures before this offset have waited long enough.
  private var settled = 0

  init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  /// The number of bytes that wait.
  var count: Int { backlog.count }

  /// Reads what the queue holds. True when the queue has been found empty.
  func fill(from descriptor: Int32, error: inout Int32) -> Bool { backlog.fill(from: descriptor, error: &error) }

  /// Takes what comes next; nil if there is nothing, or if it has to wait. `mayPair` tells whether it matters where what
  /// departs arrives. The names stay valid until the stage is filled again.
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
      // Otherwise its departure has taken it.
      if let arrival = backlog.takeArrival(event.cookie) { return .arrival(arrival) }
    }
    endHold()
    backlog.shrink()
    return nil
  }

  /// Drops all that waits, and does not call back for it.
  func removeAll() {
    backlog.removeAll()
    endHold()
  }

  /// Gives nothing more until the time is over, or until the arrival has been read.
  private func holdBack() {
    if hold != nil { return }
    let end = backlog.endOffset
    hold = scheduler.schedule(after: Self.holdTime) { [unowned self] in
      hold = nil
      settled = end
      onDue()
    }
  }

  /// Offsets begin anew.
  private func endHold() {
    settled = 0
    hold?.dispose()
    hold = nil
  }
}
