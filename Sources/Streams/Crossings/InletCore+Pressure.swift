extension InletCore {
  /// The watermarks at which the sender is notified.
  @usableFromInline typealias Pressure = (marks: Watermarks, notify: @Sendable (InletPressure) -> Void)

  func setPressure(_ observer: Pressure) {
    // Released outside the lock.
    let old = state.withLock { state in
      defer {
        state.pressureObserver = observer
        state.pressure = .low
        state.highMark = observer.marks.high
      }
      return state.pressureObserver
    }
    _ = old
    tell(isHome: false)
  }

  /// Calls the sender until its last call corresponds to the current pressure. Only the delivering thread lowers the
  /// pressure: what has been taken from the buffer still waits.
  @usableFromInline
  func tell(isHome: Bool) {
    // Released outside the lock.
    var old: Pressure?
    while true {
      let call = state.withLock { state -> (Pressure, InletPressure)? in
        guard let observer = state.pressureObserver, !state.isTelling else { return nil }
        let marks = observer.marks
        let count = state.elements.count
        switch state.pressure {
        case .low where count >= marks.high: state.pressure = .high
        // A sender that waits finds out that home has closed.
        case .high where count <= marks.low && (isHome || state.isClosed): state.pressure = .low
        default:
          if state.isClosed { old = state.pressureObserver.take() }
          return nil
        }
        state.highMark = state.pressure == .high ? .max : marks.high
        state.isTelling = true
        return (observer, state.pressure)
      }
      guard let (observer, pressure) = call else { break }
      observer.notify(pressure)
      // A drain that has ended meanwhile could not tell: it is made good by one more.
      let home = state.withLock { state -> (any Mailbox)? in
        state.isTelling = false
        guard !isHome, state.pressure == .high, state.elements.count <= observer.marks.low, !state.isScheduled else {
          return nil
        }
        state.isScheduled = state.home != nil
        return state.home
      }
      if let home { _ = wake(home) }
    }
    withExtendedLifetime(old) {}
  }
}
