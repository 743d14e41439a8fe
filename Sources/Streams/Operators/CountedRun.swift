/// A run that counts its observers, and is paused while all of them are paused.
///
/// A synchronous source sends inside the call that starts or resumes it. The observer for which this happens cannot leave or pause
/// through its member, which was not returned yet. So its subscription is checked after each element.
@usableFromInline
class CountedRun {
  @exclusivity(unchecked) @usableFromInline final var memberCount = 0
  @exclusivity(unchecked) @usableFromInline final var pausedCount = 0
  /// The innermost member that is being added or starts the run.
  @exclusivity(unchecked) @usableFromInline final var entering: RunMember?

  /// True while a member is added and receives old elements. A resume is then postponed.
  @exclusivity(unchecked) @usableFromInline final var isAdding = false

  @inlinable
  init() {}

  /// Pauses or resumes the link as the counts require.
  @usableFromInline
  func updatePause() {}

  /// Ends the run, or lets it continue without observers.
  @usableFromInline
  func didEmpty() {}

  /// Handles a member whose subscription was disposed while it was added.
  @usableFromInline
  func willLeave(_ entering: RunMember) {}

  /// Counts a member, and checks its subscription while `subscribe` adds it and while the source is resumed.
  @inlinable
  final func add(_ subscription: Subscription, _ subscribe: () -> any Disposable) -> RunMember {
    let member = RunMember(of: self, subscription)
    memberCount += 1
    enter(member) {
      let wasAdding = isAdding
      isAdding = true
      let place = subscribe()
      isAdding = wasAdding
      if member.isLeft { place.dispose() } else { member.place = place }
      followGates()
      updatePause()
    }
    return member
  }

  @inlinable
  final func enter(_ member: RunMember, _ body: () -> Void) {
    member.outer = entering
    entering = member
    body()
    followGates()
    entering = member.outer
    member.outer = nil
  }

  /// Leaves and pauses for members that are being added.
  @usableFromInline
  final func followGates() {
    var next = entering
    while let member = next {
      next = member.outer
      if member.isLeft { continue }
      if member.subscription.isDisposed {
        willLeave(member)
        member.dispose()
      } else if member.subscription.isPaused {
        member.pause()
      } else {
        member.resume()
      }
    }
  }

  @usableFromInline
  final func memberDidLeave(wasPaused: Bool) {
    memberCount -= 1
    if wasPaused { pausedCount -= 1 }
    if memberCount == 0 { didEmpty() } else { updatePause() }
  }

  @usableFromInline
  final func memberDidPause(_ isPaused: Bool) {
    pausedCount += isPaused ? 1 : -1
    updatePause()
  }
}

/// The membership of one observer in a run that counts its observers.
@usableFromInline
final class RunMember: Disposable {
  @exclusivity(unchecked) @usableFromInline var run: CountedRun?
  @exclusivity(unchecked) @usableFromInline var place: any Disposable = .none
  @usableFromInline let subscription: Subscription
  /// The member that was entering before this one.
  @exclusivity(unchecked) @usableFromInline var outer: RunMember?
  @exclusivity(unchecked) @usableFromInline var isPaused = false

  @inlinable
  init(of run: CountedRun, _ subscription: Subscription) {
    self.run = run
    self.subscription = subscription
  }

  @inlinable var isLeft: Bool { run == nil }

  @usableFromInline var isDisposed: Bool { run == nil || place.isDisposed }

  @usableFromInline
  func dispose() {
    guard let run else { return }
    self.run = nil
    place.dispose()
    run.memberDidLeave(wasPaused: isPaused)
  }

  @usableFromInline
  func pause() {
    if isPaused { return }
    isPaused = true
    run?.memberDidPause(true)
  }

  @usableFromInline
  func resume() {
    if !isPaused { return }
    isPaused = false
    run?.memberDidPause(false)
  }
}
