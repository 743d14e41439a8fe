import EventLoops
import FileWatching
import Streams

/// An event of a burst, which is a group of elements in quick succession.
nonisolated enum Burst<Element> {
  /// The first element of a burst was delivered.
  case began
  /// No element was delivered for a while. The array contains all elements of the burst.
  case settled([Element])
}

nonisolated extension Burst: Equatable where Element: Equatable {}

nonisolated extension StreamProtocol {
  /// Groups elements in quick succession into bursts.
  ///
  /// Emits `.began` when the first element is delivered. Emits `.settled` with all elements after `quiet` without a new
  /// one, or after `limit` (at least `quiet`) if the elements do not pause. With a `quiet` of zero, each burst ends on
  /// the next loop iteration.
  ///
  /// The end of the stream is delivered immediately, and an unsettled burst is dropped. Holds the elements of one
  /// burst. One timer per subscription.
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
        // One timer serves a burst of any length: it is rescheduled if elements were delivered in the meantime.
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
