import EventLoops
import FileWatching
import Streams

nonisolated extension StreamProtocol where Element == FileEvent {
  /// Reduces repeated modifications of the same file.
  ///
  /// Emits the first modification immediately, and opens a window. Modifications within the window are merged into one,
  /// which is emitted when the window closes. The last modification is never lost. While a file is written
  /// continuously, its window doubles, up to eight times `window`. Without a window, that is, if `window` is zero, the
  /// stream is unchanged.
  ///
  /// All other events are emitted immediately. A removal, a rename, and an overflow first emit the held modifications,
  /// except that a removal drops those of the removed file. The end of the stream also emits the held modifications.
  /// One timer serves all files, and none runs while no window is open.
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

/// The open windows of recently modified files, and the modifications that are held until the windows close.
private nonisolated final class HeldModifications {
  let timer = SerialDisposable()
  private let scheduler: any Scheduler
  private let emit: (FileEvent) -> Void
  /// The open window of each file. The value is the last modification since the window opened, or nil.
  private var open: [BytePath: FileEvent?] = [:]
  /// The windows by length. Each queue is in the order in which the windows close.
  private var queues: [WindowQueue]
  private var armed: Duration?

  init(_ window: Duration, _ scheduler: any Scheduler, _ emit: @escaping (FileEvent) -> Void) {
    self.scheduler = scheduler
    self.emit = emit
    queues = (0..<4).map { WindowQueue(length: window * (1 << $0)) }
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

  /// Emits the held modifications. The windows stay open.
  func release() {
    for queue in queues {
      for window in queue.windows[queue.first...] {
        guard case .some(.some(let event)) = open[window.path] else { continue }
        open[window.path] = .some(nil)
        emit(event)
      }
    }
  }

  private func openWindow(_ path: BytePath, _ index: Int = 0) {
    open[path] = .some(nil)
    let end = queues[index].append(path, at: scheduler.now)
    if armed.map({ end < $0 }) ?? true { arm(end) }
  }

  private func arm(_ deadline: Duration) {
    armed = deadline
    timer.inner = scheduler.schedule(at: deadline) { [unowned self] in closeWindows() }
  }

  private func closeWindows() {
    armed = nil
    let now = scheduler.now
    for index in queues.indices {
      while let path = queues[index].popClosed(at: now) {
        guard let event = open.removeValue(forKey: path) ?? nil else { continue }
        emit(event)
        // The file is still being written, so the next window is longer.
        openWindow(path, min(index + 1, queues.count - 1))
      }
    }
    if let next = queues.compactMap(\.next).min() { arm(next) }
  }
}

/// The windows of one length, which close in the order in which they were opened.
private nonisolated struct WindowQueue {
  let length: Duration
  private(set) var windows: [(path: BytePath, end: Duration)] = []
  private(set) var first = 0

  init(length: Duration) { self.length = length }

  /// The time when the first window closes, or nil if there is none.
  var next: Duration? { first < windows.count ? windows[first].end : nil }

  /// Opens a window, and returns the time when it closes.
  mutating func append(_ path: BytePath, at time: Duration) -> Duration {
    windows.append((path, time + length))
    return time + length
  }

  /// Removes the first window if it has closed, and returns its path.
  mutating func popClosed(at time: Duration) -> BytePath? {
    guard let next, next <= time else { return nil }
    let path = windows[first].path
    first += 1
    if first == windows.count || first > 4096 {
      windows.removeSubrange(..<first)
      first = 0
    }
    return path
  }
}
