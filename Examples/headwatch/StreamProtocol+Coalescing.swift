import Headwater

nonisolated extension StreamProtocol where Element == FileEvent {
  /// Thins out modifications of the same file: the first passes at once; those within `window` of it are one, which passes
  /// when the window is over. The last one is never lost.
  ///
  /// All other events pass at once, in their order, after the modifications that were held back; of a file that has been
  /// removed these are dropped. Costs nothing while nothing happens.
  func coalescingModifications(
    within window: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<FileEvent, Failure> {
    if window <= .zero { return toOperation() }
    return Operation { observer in
      let held = HeldModifications(window, scheduler ?? Loop.current.scheduler) { observer.next($0) }
      let upstream = self.observe(
        next: { held.take($0) },
        termination: { end in
          held.release()
          observer.terminate(end)
        })
      return CompositeDisposable([upstream, held.timer])
    }
  }
}

/// The files that were modified a moment ago, and which of them have been modified again.
private nonisolated final class HeldModifications {
  let timer = SerialDisposable()
  private let window: Duration
  private let scheduler: any Scheduler
  private let emit: (FileEvent) -> Void
  /// The window of each file; the value tells what came since it was opened.
  private var open: [BytePath: FileEvent?] = [:]
  /// The windows in the order in which they close.
  private var queue: [(path: BytePath, end: Duration)] = []
  private var first = 0

  init(_ window: Duration, _ scheduler: any Scheduler, _ emit: @escaping (FileEvent) -> Void) {
    self.window = window
    self.scheduler = scheduler
    self.emit = emit
  }

  func take(_ event: FileEvent) {
    switch event.kind {
    case .modified:
      if open[event.path] != nil {
        open[event.path] = .some(event)
      } else {
        openWindow(event.path)
        emit(event)
      }
    case .created, .attributes:
      emit(event)
    case .removed:
      if open[event.path] != nil { open[event.path] = .some(nil) }
      release()
      emit(event)
    case .renamed, .overflow:
      release()
      emit(event)
    }
  }

  /// Emits what is held back, in the order in which the windows would have closed.
  func release() {
    for (path, _) in queue[first...] {
      guard case .some(.some(let event)) = open[path] else { continue }
      open[path] = .some(nil)
      emit(event)
    }
  }

  private func openWindow(_ path: BytePath) {
    open[path] = .some(nil)
    let end = scheduler.now + window
    queue.append((path, end))
    if queue.count - first == 1 { arm(end) }
  }

  private func arm(_ deadline: Duration) {
    timer.inner = scheduler.schedule(at: deadline) { [unowned self] in closeWindows() }
  }

  private func closeWindows() {
    let now = scheduler.now
    while first < queue.count, queue[first].end <= now {
      let path = queue[first].path
      first += 1
      guard let event = open.removeValue(forKey: path) ?? nil else { continue }
      emit(event)
      // It goes on: the next window begins.
      open[path] = .some(nil)
      queue.append((path, now + window))
    }
    if first == queue.count || first > 4096 {
      queue.removeSubrange(..<first)
      first = 0
    }
    if let next = queue.first.map({ _ in queue[first] }) { arm(next.end) }
  }
}
