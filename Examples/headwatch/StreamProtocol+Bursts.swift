import EventLoops
import FileWatching
import Streams

/// Elements that come close together.
nonisolated enum Burst<Element> {
  /// The first one has come.
  case began
  /// None has come for a while: these are all of them.
  case settled([Element])
}

nonisolated extension Burst: Equatable where Element: Equatable {}

nonisolated extension StreamProtocol {
  /// Groups elements that come close together: the burst begins with an element and has settled when none has come for
  /// `quiet`, or after `limit` where they never cease. With no quiet period each burst ends on the next turn of the loop.
  ///
  /// The end of the stream passes at once; a burst that has not settled is forgotten with it.
  func bursts(
    quiet: Duration, atMost limit: Duration, on scheduler: (any Scheduler)? = nil
  ) -> Operation<Burst<Element>, Failure> {
    Operation { observer in
      let scheduler = scheduler ?? Loop.current.scheduler
      let timer = SerialDisposable()
      var burst: [Element] = []
      var latest = Duration.zero
      var last = Duration.zero

      func settle() {
        let now = scheduler.now
        let due = min(last + quiet, latest)
        // One timer serves a burst of any length: it looks again where elements have come in the meantime.
        if now < due {
          timer.inner = scheduler.schedule(at: due, settle)
        } else {
          let elements = burst
          burst = []
          observer.next(.settled(elements))
        }
      }
      let upstream = self.observe(
        next: { element in
          last = scheduler.now
          burst.append(element)
          guard burst.count == 1 else { return }
          latest = last + max(quiet, limit)
          observer.next(.began)
          timer.inner = scheduler.schedule(at: last + quiet, settle)
        },
        termination: { end in
          timer.dispose()
          observer.terminate(end)
        })
      return CompositeDisposable([upstream, timer])
    }
  }
}
