import CEventLoops
import Streams

extension Operation where Element: Sendable {
  /// A request whose input and result are Sendable, observed wherever there is a loop or an actor.
  ///
  /// It runs on the loop of the observer's thread. For an observer in an actor without a loop it runs on a loop of the
  /// package's own, and its result is delivered in the actor.
  static func request(_ local: Operation) -> Operation {
    Operation { observer in
      guard let actor = HomeThread.actorWithoutLoop else {
        return local.subscribe(observer)
      }
      // Work of the main thread: a synchronous run() of the main loop waits for the result.
      let isCounted = headwater_hold_jobs() != 0
      let results = Inlet<Event<Element, Failure>>(capacity: 2, whenFull: .dropNewest, isolation: actor)
      let far = Confined(at: Queue.shared.mailbox) { DisposeBag() }
      // Made of Sendable input by the caller, and given to the other loop as a whole.
      nonisolated(unsafe) let request = local
      far.async { bag in request.observe { results.send($0) }.dispose(in: bag) }
      let subscription = results.stream.observeNext(isolation: actor) { event in
        // The task that is resumed here counts again, before what has been counted so far ends.
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
