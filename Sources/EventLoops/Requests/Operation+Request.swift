import CEventLoops
import Streams

extension Operation where Element: Sendable {
  /// Makes a request with `Sendable` input and result observable in any domain that has a loop or is an actor.
  ///
  /// It runs on the loop of the observer's thread. For an observer in an actor without a loop, it runs on the package's
  /// own loop and the result is delivered in the actor.
  static func request(_ local: Operation) -> Operation {
    Operation { observer in
      guard let actor = HomeThread.actorWithoutLoop else {
        return local.subscribe(observer)
      }
      // Counted as work of the main thread: a synchronous run() of the main loop waits for the result.
      let isCounted = headwater_hold_jobs() != 0
      let results = Inlet<Event<Element, Failure>>(capacity: 2, whenFull: .dropNewest, isolation: actor)
      let far = Confined(at: Queue.shared.mailbox) { DisposeBag() }
      // The caller made it of Sendable input, and passes it to the other loop as a whole.
      nonisolated(unsafe) let request = local
      far.async { bag in request.observe { results.send($0) }.dispose(in: bag) }
      let subscription = results.stream.observeNext(isolation: actor) { event in
        // The task that resumes here is counted before the current count ends.
        var isHeld = false
        countingJobs(isCounted) {
          isHeld = headwater_hold_jobs() != 0
          observer.send(event)
        }
        if isHeld { headwater_release_jobs() }
      }
      return BlockDisposable {
        subscription.dispose()
        far.async { $0.dispose() }
        if isCounted { headwater_release_jobs() }
      }
    }
  }
}
