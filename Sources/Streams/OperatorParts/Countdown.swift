/// The owner of a countdown, which is notified of its end.
@usableFromInline
protocol Expiring: AnyObject {
  func didExpire()
}

/// A deadline that moves. Restarting it takes a clock read and no timer.
///
/// At most one timer is set. If it fires before a deadline that has moved, it is set again for the rest.
///
/// Ownership: owner ===> Countdown; scheduler ===> timer ===> owner, while a timer is set.
@usableFromInline
final class Countdown {
  private let scheduler: any Scheduler
  // Unowned, because it owns this object.
  private unowned(unsafe) let owner: any Expiring
  @exclusivity(unchecked) private var deadline: Duration?
  @exclusivity(unchecked) private var timer: (any Disposable)?

  @usableFromInline
  init(_ scheduler: any Scheduler, for owner: any Expiring) {
    self.scheduler = scheduler
    self.owner = owner
  }

  /// Moves the deadline to `interval` from now.
  @usableFromInline
  func restart(_ interval: Duration) {
    deadline = scheduler.time(after: interval)
    if timer == nil { arm() }
  }

  /// Cancels the deadline.
  @usableFromInline
  func stop() {
    deadline = nil
    timer.take()?.dispose()
  }

  private func arm() {
    guard let deadline else { return }
    let owner = owner
    timer = scheduler.schedule(at: deadline) { [self] in fire(owner) }
  }

  private func fire(_ owner: any Expiring) {
    timer = nil
    guard let deadline else { return }
    if scheduler.now < deadline {
      arm()
    } else {
      self.deadline = nil
      owner.didExpire()
    }
  }
}
