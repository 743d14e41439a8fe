import EventLoops
import FileWatching
import Streams

extension ProcessGroup {
  /// Returns a stream that completes when no group has a living member. The stream polls after 1 ms and doubles the
  /// interval up to 50 ms, because the system reports no event for the end of a group.
  static func end(of groups: [ProcessGroup], on loop: Loop = .current) -> Stream<Never> {
    Stream { observer in
      let wait = SerialDisposable()
      let scheduler = loop.scheduler
      func look(after delay: Duration) {
        wait.inner = scheduler.schedule(after: delay) {
          if groups.contains(where: \.isAlive) {
            look(after: min(delay * 2, .milliseconds(50)))
          } else {
            observer.completed()
          }
        }
      }
      look(after: .milliseconds(1))
      return wait
    }
  }
}
