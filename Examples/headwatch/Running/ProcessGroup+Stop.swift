import EventLoops
import FileWatching
import Streams

extension ProcessGroup {
  /// Completes when no member is left. It looks after one millisecond, then after two, and so on up to 50: a group has no
  /// event for its end.
  func end(on loop: Loop = .current) -> Stream<Never> {
    Stream { observer in
      let wait = SerialDisposable()
      let scheduler = loop.scheduler
      func look(after delay: Duration) {
        wait.inner = scheduler.schedule(after: delay) {
          if isAlive { look(after: min(delay * 2, .milliseconds(50))) } else { observer.completed() }
        }
      }
      look(after: .milliseconds(1))
      return wait
    }
  }
}
