import EventLoops
import FileWatching
import Streams

extension ProcessGroup {
  /// Completes when none of the groups has a member left. It looks after one millisecond, then after two, and so on up to 50: a group has no
  /// event for its end.
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
