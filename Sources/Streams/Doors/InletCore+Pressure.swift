/// What an inlet's sender has asked to be told.
@usableFromInline
struct InletMarks: Sendable {
  let high: Int
  let low: Int
  let body: @Sendable (InletPressure) -> Void
}

extension InletCore {
  func setPressure(_ marks: InletMarks) {
    // Released outside the lock.
    let old = state.withLock { state in
      defer {
        state.marks = marks
        state.pressure = .low
        state.highMark = marks.high
      }
      return state.marks
    }
    _ = old
    tell(isHome: false)
  }

  /// Calls the sender back until it knows what holds. Only who delivers lowers the pressure: what has been taken from
  /// the buffer still waits.
  @usableFromInline
  func tell(isHome: Bool) {
    // Released outside the lock.
    var old: InletMarks?
    while true {
      let call = state.withLock { state -> (InletMarks, InletPressure)? in
        guard let marks = state.marks, !state.isTelling else { return nil }
        let count = state.elements.count
        switch state.pressure {
        case .low where count >= marks.high: state.pressure = .high
        // A sender that waits finds out that home has closed.
        case .high where count <= marks.low && (isHome || state.isClosed): state.pressure = .low
        default:
          if state.isClosed { old = state.marks.take() }
          return nil
        }
        state.highMark = state.pressure == .high ? .max : marks.high
        state.isTelling = true
        return (marks, state.pressure)
      }
      guard let (marks, pressure) = call else { break }
      marks.body(pressure)
      // A drain that has ended meanwhile could not tell: it is made good by one more.
      let home = state.withLock { state -> (any Mailbox)? in
        state.isTelling = false
        guard !isHome, state.pressure == .high, state.elements.count <= marks.low, !state.isScheduled else {
          return nil
        }
        state.isScheduled = state.home != nil
        return state.home
      }
      if let home { _ = wake(home) }
    }
    _ = consume old
  }
}
