extension Operation where Element: Sendable {
  /// What `work` returns, then completed; fails with what it throws. `work` runs in `context`, such as a queue's or the
  /// thread pool's, once for each observer; its result is delivered where the operation is observed.
  ///
  /// What is disposed of before `work` starts never starts it; afterwards its result is dropped. Where `context` has
  /// closed it completes without an element.
  ///
  /// - Parameters:
  ///   - context: Where `work` runs.
  ///   - isolation: The actor that observes, if it has no loop. Leave it out.
  ///   - work: Returns the element.
  public static func execute(
    on context: ExecutionContext, isolation: (any Actor)? = #isolation,
    _ work: @escaping @Sendable () throws(Failure) -> Element
  ) -> Operation {
    execute(on: context, capacity: 1, whenFull: .dropNewest, isolation: isolation) { inlet throws(Failure) in
      var result: Element? = try work()
      // Too late: whoever asked for it has gone.
      if inlet.core.send(from: &result) { return }
      Untaken.dispose(&result)
    }
  }

  /// What `produce` sends into its inlet, then completed; fails with what it throws, after what was sent before. `produce`
  /// runs in `context`, once for each observer; what it sends is delivered where the operation is observed.
  ///
  /// What is disposed of before `produce` starts never starts it; afterwards `send` returns false, and `produce` had
  /// better return. `capacity` and `policy` are those of the `Inlet`.
  ///
  /// - Parameters:
  ///   - context: Where `produce` runs.
  ///   - capacity: The number of elements that may wait, at least 1.
  ///   - policy: What becomes of an element for which there is no room.
  ///   - isolation: The actor that observes, if it has no loop. Leave it out.
  ///   - produce: Sends the elements.
  public static func execute(
    on context: ExecutionContext, capacity: Int, whenFull policy: OverflowPolicy,
    isolation: (any Actor)? = #isolation, _ produce: @escaping @Sendable (Inlet<Element>) throws(Failure) -> Void
  ) -> Operation {
    let isolation = isolation.map(WeakActor.init)
    return Operation(unguarded: { observer in
      let link = Subscription(downstream: observer.subscription)
      let failure = Lock<Failure?>(nil)
      let isWanted = Lock(true)
      let inlet = Inlet<Element>(
        capacity: capacity, whenFull: policy, for: "elements of execute(on:)", isolation: isolation?.actor)
      let elements = inlet.stream
      link.connect(
        // Where the context releases the job without running it, nobody holds the inlet and the stream completes.
        elements.doOn(disposed: { [weak inlet] in
          isWanted.withLock { $0 = false }
          inlet?.finish()
        }), next: observer.onNext,
        termination: { _ in
          observer.onTermination(failure.withLock { $0 }.map { .failed($0) } ?? .completed)
        })
      context.execute {
        if !isWanted.withLock({ $0 }) { return }
        do throws(Failure) {
          try produce(inlet)
        } catch {
          failure.withLock { $0 = error }
        }
        inlet.finish()
      }
      return link
    })
  }
}
